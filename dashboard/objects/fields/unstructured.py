"""Parts of an object, whatever is there: a custom resource has what its maker let in, and nothing may break on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def mapping(value: Any) -> Mapping[str, Any]:
    """`value` if it is a map, else an empty one: objects come as the API server let them in."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The maps in `value`, if it is a list."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """`value` as text; empty for None."""
    return "" if value is None else str(value)


def texts(value: Any) -> list[str]:
    """The items of `value` as text, if it is a list."""
    return [text(item) for item in value] if isinstance(value, list) else []


def number(value: Any) -> int | None:
    """`value` if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
