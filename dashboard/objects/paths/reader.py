"""Reading fields by path from packed objects: all of an object's paths at one go, and of it only what they need.

The names that paths begin with become a msgspec struct of just these fields: everything else in the JSON is skipped,
not built, which takes half the time. An object that is not shaped so (a text where others have a map) is decoded whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec
import zstandard

from dashboard.live.messages import Row
from dashboard.resources.rows.field_path import FieldPath, Values, values_of
from dashboard.resources.rows.json_path import JsonPath

Read = Callable[[Row], tuple[Values, ...]]
"""Gives the values of each path in a row's object, nothing where no object is kept. Never raises."""

KEPT = 128
"""Readers that are kept."""
_SPARED = (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a damaged object raises: it has no fields then."""


@lru_cache(maxsize=KEPT)
def reader(paths: tuple[FieldPath, ...]) -> Read:
    """What reads these paths, in this order. May be called from any thread."""
    root = _Node()
    for path in paths:
        root.want(path.names)
    decode = msgspec.json.Decoder(root.type()).decode
    pickers = [_picker(root, path) for path in paths]
    nothing: tuple[Values, ...] = ((),) * len(paths)

    def read(row: Row) -> tuple[Values, ...]:
        if row.blob is None:
            return nothing
        try:
            raw = row.blob.json()
            try:
                found = decode(raw)
            except msgspec.ValidationError:
                whole = msgspec.json.decode(raw)
                return tuple([path.values(whole) for path in paths])
        except _SPARED:
            return nothing
        return tuple([_picked(found, attributes, rest) for attributes, rest in pickers])

    return read


def read_path(path: FieldPath, row: Row) -> Values:
    """What one path leads to in a row's object."""
    return reader((path,))(row)[0]


@dataclass(slots=True)
class _Node:
    """What is wanted of a map: some of its members; or, without `members`, all that is there."""

    number: int = 0
    """Its place among the members that it is one of."""
    members: dict[str, _Node] = field(default_factory=dict)
    whole: bool = False

    def want(self, names: Iterable[str]) -> None:
        node = self
        for name in names:
            node = node.members.setdefault(name, _Node(len(node.members)))
        node.whole = True

    def type(self) -> Any:
        """The members in their order are ``f0``, ``f1``…, since their names may be no identifiers."""
        if self.whole:
            return Any
        fields = [
            (f"f{index}", _optional(each.type()), msgspec.UNSET) for index, each in enumerate(self.members.values())
        ]
        names = {f"f{index}": name for index, name in enumerate(self.members)}
        return msgspec.defstruct("Wanted", fields, rename=names, gc=False)


def _optional(kind: Any) -> Any:
    return kind if kind is Any else kind | None | msgspec.UnsetType


def _picker(root: _Node, path: FieldPath) -> tuple[tuple[str, ...], JsonPath | None]:
    """The attributes that lead to what is decoded plainly, and the path from there on, if it goes on."""
    node, attributes = root, []
    for name in path.names:
        if node.whole:
            break
        node = node.members[name]
        attributes.append(f"f{node.number}")
    rest = path.json_path.after(len(attributes))
    return tuple(attributes), rest if rest.steps else None


def _picked(value: Any, attributes: tuple[str, ...], rest: JsonPath | None) -> Values:
    for each in attributes:
        value = getattr(value, each)
        if value is None or value is msgspec.UNSET:
            return ()
    if rest is not None:
        return values_of(rest.all(value))
    return (value,) if type(value) is str else values_of([value])
