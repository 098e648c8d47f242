"""Paths of fields in an object, and the API server's equality of values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

Value = Any
"""What JSON can carry: None, bool, int, float, str, list of Value, dict of str to Value. Never changed in place."""


class _Absent(Enum):
    ABSENT = "absent"

    def __bool__(self) -> Literal[False]:
        return False


ABSENT: Final = _Absent.ABSENT
"""The field is not there, which is not the same as null."""


@dataclass(frozen=True, slots=True)
class ItemKey:
    """Names an item of a list by the values of its key fields: ``[name=http]``."""

    fields: tuple[tuple[str, Value], ...]

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" if name else str(value) for name, value in self.fields)


Segment = str | int | ItemKey
Path = tuple[Segment, ...]

_PLAIN_NAME = re.compile(r"[^.\[\]=]+")
_NAMED = r"\.?(?P<name>[^.\[\]]+)"
_SEGMENT = re.compile(_NAMED + r"|\[(?P<index>[0-9]{1,9})\]|\[(?P<quoted>[^\]]*)\]")
_NAME = re.compile(_NAMED)


def format_path(path: Sequence[Segment]) -> str:
    """A path as the API server writes it: ``spec.ports[0].port``, ``metadata.labels[app.kubernetes.io/name]``."""
    text = ""
    for segment in path:
        if isinstance(segment, str) and _PLAIN_NAME.fullmatch(segment):
            text += f".{segment}" if text else segment
        else:
            text += f"[{segment}]"
    return text


def parse_path(text: str) -> Path:
    """The path that an API server's message names; the reverse of `format_path` except for keyed items. Never
    raises.
    """
    path: list[Segment] = []
    end = text.rfind("]") + 1  # behind it no bracket is closed, which would be looked for from each that opens
    for match in _SEGMENT.finditer(text, 0, end):
        if match["index"] is not None:
            path.append(int(match["index"]))
        else:
            path.append(match["name"] if match["name"] is not None else match["quoted"].strip("\"'"))
    return (*path, *(match["name"] for match in _NAME.finditer(text, end)))


def same(one: Value, other: Value) -> bool:
    """Whether two values are the same to the API server: true is not 1, 1 is 1.0, order of fields does not matter."""
    if one is other:
        return True
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same(value, other[name]) for name, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    return bool(one == other)


def get(value: Value, path: Sequence[Segment]) -> Value:
    """The value at `path`, or ABSENT. A numeric index selects an item of a list, an ItemKey the item with that key."""
    for segment in path:
        if isinstance(segment, str):
            value = value.get(segment, ABSENT) if isinstance(value, dict) else ABSENT
        else:
            value = _item(value, segment)
        if value is ABSENT:
            return ABSENT
    return value


def put(value: Value, path: Sequence[Segment], new: Value) -> Value:
    """A copy of `value` with `new` at `path`; ABSENT removes the field or item. Missing parents are created.

    An index after the end of a list appends. Raises IndexError for an ItemKey that no item has.
    """
    if not path:
        return new
    segment, rest = path[0], path[1:]
    if isinstance(segment, str):
        return _put_field(value, segment, rest, new)
    items = list(value) if isinstance(value, list) else []
    index = segment if isinstance(segment, int) else _index(items, segment)
    changed = put(items[index] if index < len(items) else ABSENT, rest, new)
    items[index : index + 1] = [] if changed is ABSENT else [changed]
    return items


def resolve_path(value: Value, path: Path) -> Path:
    """`path` matched to the names in `value`: a message does not show where a name with dots ends, as in
    ``spec.map.example.com/a``.
    """
    resolved: list[Segment] = []
    at = 0
    while at < len(path):
        segment, count = _resolve_segment(value, path, at)
        resolved.append(segment)
        value, at = get(value, (segment,)), at + count
    return tuple(resolved)


def _resolve_segment(value: Value, path: Path, at: int) -> tuple[Segment, int]:
    """The segment that stands for `path[at:]`, and how many it replaces: in a map the longest name that they form.

    Only the map's own names are tried, not all that a path of any length could form.
    """
    if isinstance(value, dict) and path[at] not in value:
        candidates = ((name, _segments_of(name, path, at)) for name in value if isinstance(name, str))
        name, count = max(candidates, key=lambda each: each[1], default=("", 0))
        if count:
            return name, count
    return path[at], 1


def _segments_of(name: str, path: Path, at: int) -> int:
    """Number of segments of `path` from `at` on that form `name`, joined by dots; 0 where none do."""
    begin = 0
    for index in range(at, len(path)):
        segment = path[index]
        if not isinstance(segment, str) or not name.startswith(segment, begin):
            return 0
        begin += len(segment) + 1
        if begin > len(name):
            return index - at + 1
        if name[begin - 1] != ".":
            return 0
    return 0


def can_put(value: Value, path: Sequence[Segment]) -> bool:
    """Whether `put` at `path` replaces nothing on its way: there are maps, lists up to their end, or nothing yet."""
    for segment in path:
        if isinstance(segment, str):
            fits = value is ABSENT or value is None or isinstance(value, dict)
        elif isinstance(segment, int):
            fits = segment <= len(value) if isinstance(value, list) else segment == 0 and value in (ABSENT, None)
        else:
            fits = _item(value, segment) is not ABSENT
        if not fits:
            return False
        value = get(value, (segment,))
    return True


def _put_field(value: Value, name: str, rest: Sequence[Segment], new: Value) -> Value:
    copy = dict(value) if isinstance(value, dict) else {}
    changed = put(copy.get(name, ABSENT), rest, new)
    if changed is ABSENT:
        copy.pop(name, None)
    else:
        copy[name] = changed
    return copy


def _index(items: list[Value], key: ItemKey) -> int:
    index = next((index for index, item in enumerate(items) if _has_key(item, key)), None)
    if index is None:
        raise IndexError(str(key))
    return index


def _item(value: Value, segment: int | ItemKey) -> Value:
    if not isinstance(value, list):
        return ABSENT
    if isinstance(segment, int):
        return value[segment] if segment < len(value) else ABSENT
    for item in value:
        if _has_key(item, segment):
            return item
    return ABSENT


def _has_key(item: Value, key: ItemKey) -> bool:
    if len(key.fields) == 1 and key.fields[0][0] == "":
        return same(item, key.fields[0][1])
    return isinstance(item, dict) and all(same(item.get(name), value) for name, value in key.fields)


PlainPath = tuple[str | int, ...]
"""Path of a field: names in maps, numbers of list items from 0; empty for the whole object."""
