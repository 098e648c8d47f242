"""Limits of what pages show of one object: an object of a custom kind may have any depth and 1.5 MB of anything.

Rendering takes time on the event loop that everybody shares, and a browser does not show 90,000 lines well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MAX_DEPTH = 200
"""Maximum levels that are shown, the same as in the editor."""
TOO_DEEP_TEXT = f"… nested more than {MAX_DEPTH} levels deep: kubectl get -o json has all of it"
"""Replaces deeper values."""
MAX_LINES = 5_000
"""Maximum lines that are shown, about those that the object has as YAML."""
LINE_LENGTH = 80
"""Characters of a text that count as one line."""
MORE = "…"
"""Marks what is left out: the name of a field, the beginning of an item, the end of a text."""

Container = dict[str, Any] | list[Any]


def truncate_depth(obj: dict[str, Any]) -> dict[str, Any]:
    """`obj` itself, in which everything deeper than MAX_DEPTH levels has been replaced by a note."""
    level: list[Container] = [obj]
    for _ in range(MAX_DEPTH - 1):
        level = [each for inside in level for each in _values(inside) if isinstance(each, dict | list)]
        if not level:
            return obj
    _replace_deeper(level)
    return obj


def limit_object(obj: dict[str, Any]) -> bool:
    """Leave out of `obj` itself what is beyond MAX_DEPTH and MAX_LINES. Returns whether anything was left out.

    Maps, lists and texts of one level share what is left, so that every field near the root is there. managedFields go
    first, all of them.
    """
    if _fits(obj):
        return False
    if isinstance(metadata := obj.get("metadata"), dict):
        metadata.pop("managedFields", None)
    level: list[Container] = [obj]
    left = MAX_LINES
    for _ in range(MAX_DEPTH - 1):
        inner: list[Container] = []
        for number, container in enumerate(level):
            left -= _shorten(container, left // (len(level) - number))
            inner += (each for each in _values(container) if isinstance(each, dict | list))
        level = inner
    _replace_deeper(level)
    return True


def _fits(obj: dict[str, Any]) -> bool:
    level: list[Container] = [obj]
    left = MAX_LINES
    for _ in range(MAX_DEPTH):
        inner: list[Container] = []
        for container in level:
            for name, value in _entries(container):
                left -= _lines(name, value)
                if left < 0:
                    return False
                if isinstance(value, dict | list):
                    inner.append(value)
        if not inner:
            return True
        level = inner
    return False


def _shorten(container: Container, share: int) -> int:
    """Leave no more than `share` lines of it, without what is inside its maps and lists. Returns their number."""
    left = share
    for index, (name, value) in enumerate(list(_entries(container))):
        if _further_lines(value) > share // 2:
            container[name] = value = _beginning(value, share // 2)
        left -= _lines(name, value)
        if left < 0:
            _drop_from(container, index)
            return share
    return share - left


def _drop_from(container: Container, index: int) -> None:
    rest = len(container) - index
    if isinstance(container, list):
        container[index:] = [f"{MORE} {rest:,} more"]
        return
    for name in list(container)[index:]:
        del container[name]
    container[MORE] = f"{rest:,} more"


def _beginning(text: str, lines: int) -> str:
    return "\n".join(text.split("\n", lines)[:lines])[: lines * LINE_LENGTH] + MORE


def _lines(name: Any, value: Any) -> int:
    """Lines of a field or an item, without what is inside it."""
    return 1 + _further_lines(name) + _further_lines(value)


def _further_lines(value: Any) -> int:
    return value.count("\n") + len(value) // LINE_LENGTH if isinstance(value, str) else 0


def _entries(container: Container) -> Iterable[tuple[Any, Any]]:
    return container.items() if isinstance(container, dict) else enumerate(container)


def _values(container: Container) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def _replace_deeper(level: list[Container]) -> None:
    for inside in level:
        for place, each in list(_entries(inside)):
            if isinstance(each, dict | list) and each:
                inside[place] = TOO_DEEP_TEXT
