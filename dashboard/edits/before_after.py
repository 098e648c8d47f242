"""One object before and after a change, as those who say what the change does look at it."""

from __future__ import annotations

from dashboard.edits.fields import Value, get, same

Object = dict[str, Value]
Said = list[str]
"""Sentences."""


def differs(was: Object, now: Object, *path: str) -> bool:
    """Whether the field at `path` does."""
    return not same(get(was, path), get(now, path))


def text_of(value: Object, *path: str) -> str:
    """The text at `path`; empty where there is none."""
    found = get(value, path)
    return found if isinstance(found, str) else ""
