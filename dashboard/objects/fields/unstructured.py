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


MAX_DEPTH = 200
"""Maximum levels that are shown, the same as in the editor."""


TOO_DEEP_TEXT = f"… nested more than {MAX_DEPTH} levels deep: kubectl get -o json has all of it"
"""Replaces deeper values."""


def truncate_depth(obj: dict[str, Any]) -> dict[str, Any]:
    """`obj` itself, in which everything deeper than MAX_DEPTH levels has been replaced by a note."""
    level: list[Any] = [obj]
    for _ in range(MAX_DEPTH - 1):
        level = [
            each
            for inside in level
            for each in (inside.values() if type(inside) is dict else inside)
            if type(each) is dict or type(each) is list
        ]
        if not level:
            return obj
    for inside in level:
        for place, each in list(inside.items() if type(inside) is dict else enumerate(inside)):
            if isinstance(each, dict | list) and each:
                inside[place] = TOO_DEEP_TEXT
    return obj
