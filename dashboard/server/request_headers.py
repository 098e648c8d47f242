"""Headers of an ASGI scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def header_values(scope: Mapping[str, Any], name: str) -> list[str]:
    """All values of a header, in the order in which they were sent. Upper and lower case of `name` do not count."""
    encoded = name.lower().encode("latin-1")
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == encoded]
