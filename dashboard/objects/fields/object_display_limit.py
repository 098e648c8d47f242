"""Limits of what pages show of one object: an object of a custom kind may have any depth and 1.5 MB of anything.

Rendering takes time on the event loop that everybody shares, and a browser does not show 90,000 lines well. What is
limited is for display only: everything else is read from the whole object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.objects.fields.managed_fields import without_managed_fields
from dashboard.objects.fields.unstructured import as_map

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
_SHARES: Mapping[str, int] = MappingProxyType({"apiVersion": 10, "kind": 10, "metadata": MAX_LINES // 5})
"""Lines of the fields that every object has, whatever else it has."""

Container = dict[str, Any] | list[Any]
_CONTAINERS = (dict, list)
"""Faster than a union, and there may be a million values."""


@dataclass(frozen=True, slots=True)
class LimitedObject:
    """An object as pages show it."""

    value: dict[str, Any]
    is_cut: bool = False
    """Whether parts of it other than managedFields are left out, because it is too large or too deep."""
    lacks_managers: bool = False
    """Whether its managedFields are left out: they are the first to go."""


def limit_object(obj: dict[str, Any]) -> LimitedObject:
    """The object without what is beyond MAX_DEPTH and MAX_LINES; `obj` stays as it is.

    Maps, lists and texts of one level share what is left, so that every field near the root is there.
    """
    if fits(obj):
        return LimitedObject(obj)
    lacks_managers = "managedFields" in as_map(obj.get("metadata"))
    rest = without_managed_fields(obj)
    if fits(rest):
        return LimitedObject(rest, lacks_managers=lacks_managers)
    shown: dict[str, Any] = {}
    left = MAX_LINES
    for name, share in _SHARES.items():
        if name in rest:
            part, used = _limited({name: rest.pop(name)}, share)
            shown |= part
            left -= used
    part, _ = _limited(rest, left)
    return LimitedObject(shown | part, is_cut=True, lacks_managers=lacks_managers)


def fits(value: Container) -> bool:
    """Whether it has at most MAX_LINES and MAX_DEPTH; takes no longer where it has many more."""
    level = [value]
    left = MAX_LINES
    for _ in range(MAX_DEPTH):
        inner: list[Container] = []
        for container in level:
            for name, each in _entries(container):
                left -= _lines(name, each)
                if left < 0:
                    return False
                if each and isinstance(each, _CONTAINERS):
                    inner.append(each)
        if not inner:
            return True
        level = inner
    return False


def is_too_deep(obj: dict[str, Any]) -> bool:
    """Whether it has more than MAX_DEPTH levels. Looks at all of it."""
    level: list[Container] = [obj]
    for _ in range(MAX_DEPTH):
        level = [each for container in level for each in _values(container) if each and isinstance(each, _CONTAINERS)]
        if not level:
            return False
    return True


def _limited(obj: dict[str, Any], most: int) -> tuple[dict[str, Any], int]:
    """A copy with at most `most` lines and MAX_DEPTH levels, and the number of its lines."""
    root: list[Any] = [obj]
    level: list[tuple[Container, Any]] = [(root, 0)]
    """Where the maps and lists of a level are."""
    left = most
    for _ in range(MAX_DEPTH):
        inner: list[tuple[Container, Any]] = []
        for number, (parent, place) in enumerate(level):
            parent[place], used = _shortened(parent[place], left // (len(level) - number))
            left -= used
            entries = _entries(parent[place])
            inner += ((parent[place], name) for name, each in entries if each and isinstance(each, _CONTAINERS))
        level = inner
    for parent, place in level:
        parent[place] = TOO_DEEP_TEXT
    return root[0], most - left


def _shortened(container: Container, share: int) -> tuple[Container, int]:
    """A copy with at most `share` lines, not counting those inside its maps and lists, and the number of its lines.

    One line more says how many entries are left out.
    """
    left = share
    kept: list[tuple[Any, Any]] = []
    for name, value in _entries(container):
        short = _beginning(value, share // 2) if _further_lines(value) > share // 2 else value
        left -= _lines(name, short)
        if left < 0:
            rest = f"{len(container) - len(kept):,} more"
            kept.append((MORE, rest if isinstance(container, dict) else f"{MORE} {rest}"))
            left = 0
            break
        kept.append((name, short))
    return dict(kept) if isinstance(container, dict) else [value for _, value in kept], share - left


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
