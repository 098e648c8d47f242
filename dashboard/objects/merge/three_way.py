"""Three-way merge of an object by field: changes of one side are applied, different changes of both are conflicts.

Maps merge by field, lists that have keys in the schema by item; all other lists, and maps that the schema calls atomic
(a Service's selector), are one value. Removing a structure while the other side changed something inside it is a
conflict at the structure; maps with free names (labels) are merged name by name. No change of either side is ever
dropped without a conflict.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import is_
from types import MappingProxyType
from typing import Literal, TypeVar

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, Value, same
from dashboard.objects.schemas.list_keys import items_by_key
from dashboard.objects.schemas.schema import UNKNOWN, Schema

Side = Literal["theirs", "mine"]
Order = Literal["ask", "mine"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed one field, differently. A value may be ABSENT."""

    path: Path
    base: Value
    theirs: Value
    mine: Value


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Result of a merge: `value` holds my side wherever a conflict is open."""

    value: Value
    conflicts: tuple[Conflict, ...]
    """Conflicts that no choice has settled."""
    resolved: tuple[tuple[Conflict, Side], ...] = ()


def merge(
    base: Value,
    theirs: Value,
    mine: Value,
    *,
    schema: Schema = UNKNOWN,
    choices: Mapping[Path, Side] = MappingProxyType({}),
    order: Order = "ask",
) -> MergeResult:
    """Merge two changed objects that began as `base`. `choices` settle conflicts by their path.

    A list with keys that both sides ordered differently is one conflict, or has with `order` “mine” the order of mine.

    merge(b, x, x) is x; exchanging the sides exchanges them in the conflicts and changes nothing else but the order
    of fields. None of the three is changed; the result shares parts with them.
    """
    merger = _Merger(choices, order)
    value = merger.value((), base, theirs, mine, schema)
    return MergeResult(value, tuple(merger.conflicts), tuple(merger.resolved))


class _Merger:
    def __init__(self, choices: Mapping[Path, Side], order: Order) -> None:
        self._choices = choices
        self._order = order
        self.conflicts: list[Conflict] = []
        self.resolved: list[tuple[Conflict, Side]] = []

    def value(self, path: Path, base: Value, theirs: Value, mine: Value, schema: Schema) -> Value:
        if theirs is mine:
            return mine
        if _mergeable_maps(base, theirs, mine, schema):
            fields = self._map(path, _fields(base), _fields(theirs), _fields(mine), schema)
            return ABSENT if not fields and (theirs is ABSENT or mine is ABSENT) else fields
        if isinstance(theirs, list) and isinstance(mine, list):
            items = self._list(path, base, theirs, mine, schema)
            if items is not None:
                return items
        return self._whole(path, base, theirs, mine)

    def _whole(self, path: Path, base: Value, theirs: Value, mine: Value) -> Value:
        if same(base, theirs) or same(theirs, mine):
            return mine
        if same(base, mine):
            return theirs
        conflict = Conflict(path, base, theirs, mine)
        choice = self._choices.get(path)
        if choice is None:
            self.conflicts.append(conflict)
            return mine
        self.resolved.append((conflict, choice))
        return theirs if choice == "theirs" else mine

    def _map(
        self, path: Path, base: dict[str, Value], theirs: dict[str, Value], mine: dict[str, Value], schema: Schema
    ) -> dict[str, Value]:
        merged: dict[str, Value] = {}
        for name in _in_order(list(mine), list(theirs)):
            sides = base.get(name, ABSENT), theirs.get(name, ABSENT), mine.get(name, ABSENT)
            if isinstance(sides[1], dict | list) or isinstance(sides[2], dict | list):
                value = self.value((*path, name), *sides, schema.child(name))
            else:  # what holds nothing needs no schema, and is most of an object
                value = self._whole((*path, name), *sides)
            if value is not ABSENT:
                merged[name] = value
        # True, "" and 1 are one object wherever they stand: without the names another field of that value would do
        return mine if mine.keys() == merged.keys() and _is_all_of(mine.values(), merged.values()) else merged

    def _list(self, path: Path, base: Value, theirs: list[Value], mine: list[Value], schema: Schema) -> Value | None:
        """Merge by the items' keys; None where an item has none, a key is repeated, or both sides reordered."""
        old = items_by_key([] if base is ABSENT else base, schema)
        other, own = items_by_key(theirs, schema), items_by_key(mine, schema)
        if old is None or other is None or own is None:
            return None
        order = _merged_order(list(old), list(other), list(own))
        if order is None:
            if self._order == "ask":
                return None
            order = _in_order(list(own), list(other))
        items = {
            key: self.value(
                (*path, key), old.get(key, ABSENT), other.get(key, ABSENT), own.get(key, ABSENT), schema.child(0)
            )
            for key in order
        }
        merged = [item for item in items.values() if item is not ABSENT]
        return mine if _is_all_of(mine, merged) else merged


def _is_all_of(mine: Collection[Value], merged: Collection[Value]) -> bool:
    """Whether the result is exactly my side, so that a comparison finds that at once."""
    return len(mine) == len(merged) and all(map(is_, mine, merged))


def _mergeable_maps(base: Value, theirs: Value, mine: Value, schema: Schema) -> bool:
    """Whether the three can be merged field by field; with free names an absent map is an empty one."""
    if schema.is_atomic:
        return False
    sides = (theirs, mine)
    if all(isinstance(side, dict) for side in sides):
        return isinstance(base, dict) or base is ABSENT
    if not schema.is_map or not isinstance(base, dict):
        return False
    return all(isinstance(side, dict) or side is ABSENT for side in sides)


def _fields(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _merged_order(base: list[ItemKey], theirs: list[ItemKey], mine: list[ItemKey]) -> list[ItemKey] | None:
    """The items of both sides in the order of the side that reordered them; None if both did, differently."""
    both = set(theirs) & set(mine)
    before, their_order, my_order = ([key for key in side if key in both] for side in (base, theirs, mine))
    if my_order == their_order:  # what both added at one spot comes in the same order, whoever is whose
        return _in_order(*sorted((theirs, mine), key=repr))
    if my_order == before:
        return _in_order(theirs, mine)
    return _in_order(mine, theirs) if their_order == before else None


def _in_order(first: list[T], second: list[T]) -> list[T]:
    """All of `first` in its order, and the rest of `second`, each item after its predecessor there."""
    known = set(first)
    order = list(first)
    place = 0
    added: list[tuple[int, T]] = []
    where = {item: index for index, item in enumerate(first)}
    for item in second:
        if item in known:
            place = where[item] + 1
        else:
            added.append((place, item))
    for place, item in reversed(added):
        order.insert(place, item)
    return order
