"""Access to parts of an object of unknown shape: custom resources may hold anything, and nothing may fail on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_map(value: Any) -> Mapping[str, Any]:
    """`value` if it is a map, else an empty one: objects come as the API server let them in."""
    return value if isinstance(value, Mapping) else {}


def as_maps(value: Any) -> list[Mapping[str, Any]]:
    """The maps in `value`, if it is a list."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """`value` as text; empty for None."""
    return "" if value is None else str(value)


def as_texts(value: Any) -> list[str]:
    """The items of `value` as text, if it is a list."""
    return [as_text(item) for item in value] if isinstance(value, list) else []


def as_int(value: Any) -> int | None:
    """`value` if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
