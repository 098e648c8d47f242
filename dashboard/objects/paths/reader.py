"""Reader of fields by path from packed objects, which decodes only what all the paths of an object need.

The names at the beginning of the paths become a msgspec struct with just these fields: everything else in the JSON is
skipped, not built, which takes half the time. An object of another shape (a text where others have a map) is decoded
whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec
import zstandard

from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, Values, to_values
from dashboard.objects.paths.json_path import JsonPath

PathReader = Callable[[Row], tuple[Values, ...]]
"""Returns the values of each path in a row's object, empty where no object is kept. Never raises."""

CACHE_SIZE = 128
"""Maximum number of cached readers."""
_SPARED = (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of an object that is damaged or nested too deep, which counts as one without fields."""


@lru_cache(maxsize=CACHE_SIZE)
def path_reader(paths: tuple[FieldPath, ...]) -> PathReader:
    """A reader of these paths, in this order. May be called from any thread."""
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
                decoded = decode(raw)
            except msgspec.ValidationError:
                whole = msgspec.json.decode(raw)
                return tuple([path.values(whole) for path in paths])
            return tuple([_picked(decoded, attributes, rest) for attributes, rest in pickers])
        except _SPARED:
            return nothing

    return read


def read_path(path: FieldPath, row: Row) -> Values:
    """The values of one path in a row's object."""
    return path_reader((path,))(row)[0]


@dataclass(slots=True)
class _Node:
    """Needed part of a map: some of its members; or, without `members`, all."""

    number: int = 0
    """Its index among the members of its parent."""
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
    """The attributes that lead to the plainly decoded value, and the rest of the path from there on."""
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
        return to_values(rest.all(value))
    return (value,) if type(value) is str else to_values([value])
