"""Managers of each field of an object, from its metadata.managedFields.

The format is that of structured-merge-diff: ``f:name`` is a field of a map, ``k:{…}`` the item of a list that has these
keys, ``v:…`` the item of a set that is this value, ``i:0`` an item by its index, ``.`` the field itself. A field
without inner fields is owned as a whole: an atomic list belongs to its last writer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from zlib import crc32

from dashboard.objects.fields.field_access import ItemKey, Path, PlainPath, Segment, Value
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text


def unique_names(words: Iterable[str]) -> Iterator[str]:
    """A unique name for each, valid in an id; it stays the same for the same words as long as no equal ones
    come before.
    """
    known: Counter[str] = Counter()
    for each in words:
        name = f"{crc32(each.encode('utf-8', 'surrogatepass')):x}"
        yield f"{name}-{known[name]}" if known[name] else name
        known[name] += 1


MOST_FIELDS = 100
"""Maximum number of a manager's fields that are named; the rest is counted."""
_DEEPEST = 100
_MOST_KEYS = 4
"""Maximum number of an item's keys for which items that lack some of them are searched."""


@dataclass(frozen=True, slots=True)
class FieldManager:
    """One entry of managedFields: writer, operation and time."""

    name: str
    """The name that the writer gave: ``kubectl-edit``, ``kube-controller-manager``; empty where it gave none."""
    is_apply: bool
    """Whether by a server-side apply, which claims the fields; otherwise by a plain write."""
    subresource: str
    time: str
    """RFC 3339 of its last write; empty where the API server does not say."""

    @property
    def words(self) -> str:
        """``kubelet · status``."""
        name = self.name or "nobody named"
        return f"{name} · {self.subresource}" if self.subresource else name

    @property
    def sentence(self) -> str:
        how = "Applied" if self.is_apply else "Set"
        return f"{how} by {self.words}" + (f", which last wrote at {self.time}" if self.time else "")


@dataclass(frozen=True, slots=True)
class ManagedFields:
    """A manager with the fields that it owns, which others may own, too."""

    id: str
    """The same in later versions of the object, unique in the object, and valid in an element's id."""
    manager: FieldManager
    count: int
    fields: tuple[str, ...]
    """``.spec.ports[0].port``, the first MOST_FIELDS."""

    @property
    def more_count(self) -> int:
        return self.count - len(self.fields)


class FieldOwners:
    """Index of the managedFields of one object, by the paths of its fields."""

    def __init__(self, obj: Mapping[str, Any]) -> None:
        self._owners_of_all: dict[PlainPath, list[FieldManager]] = {}
        self._itself: dict[PlainPath, FieldManager] = {}
        self._fields: dict[FieldManager, list[PlainPath]] = {}
        for setter, fields in sorted(_entries(obj), key=lambda entry: entry[0].time):
            for path, whole in _owned_paths(fields, obj, ()):
                if whole:
                    self._owners_of_all.setdefault(path, []).append(setter)
                    self._fields.setdefault(setter, []).append(path)
                else:
                    self._itself[path] = setter

    def of(self, path: PlainPath) -> FieldManager | None:
        """The manager of this field, or of a field around it that is owned as a whole; None where there is none.

        Of several managers the last writer: each entry has one time for all of its fields.
        """
        if path not in self._owners_of_all and path in self._itself:
            return self._itself[path]
        managers = self._managers_of(path)
        return managers[-1] if managers else None

    def others(self, path: PlainPath) -> tuple[FieldManager, ...]:
        """Other managers of this field than `of`, the newest first: they set the same value, and may have done
        so last.
        """
        if path not in self._owners_of_all and path in self._itself:
            return ()
        managers = self._managers_of(path)
        return tuple(other for other in reversed(managers[:-1]) if other != managers[-1])

    def _managers_of(self, path: PlainPath) -> list[FieldManager]:
        """The managers of this field, or of a field around it that is owned as a whole, the newest last."""
        managers = self._owners_of_all.get(path)
        while managers is None and path:
            path = path[:-1]
            managers = self._owners_of_all.get(path)
        return managers or []

    @property
    def managers(self) -> tuple[ManagedFields, ...]:
        """All managers that own a field, the newest first."""
        newest = sorted(self._fields.items(), key=lambda pair: pair[0].time, reverse=True)
        ids = unique_names(repr((setter.name, setter.is_apply, setter.subresource)) for setter, _ in newest)
        return tuple(
            ManagedFields(name, setter, len(places), tuple(format_path(place) for place in places[:MOST_FIELDS]))
            for name, (setter, places) in zip(ids, newest, strict=True)
        )


def format_path(path: PlainPath) -> str:
    """The path of a field: ``.spec.ports[0].port``."""
    return "".join(
        f"[{step}]" if isinstance(step, int) else "." + step.replace("\\", "\\\\").replace(".", "\\.") for step in path
    )


def _owned_paths(fields: Any, value: Any, path: PlainPath) -> Iterator[tuple[PlainPath, bool]]:
    """The paths named by `fields` that `value` has, each with whether everything inside belongs to it."""
    if len(path) > _DEEPEST:
        return
    items = _Items(value) if isinstance(value, list) else None
    for name, inner in as_map(fields).items():
        if name == ".":
            yield path, False
            continue
        step = items.find(as_text(name)) if items is not None else _field(as_text(name), value)
        if step is None:
            continue
        if inner:
            yield from _owned_paths(inner, value[step], (*path, step))
        else:
            yield (*path, step), True


def _field(name: str, value: Any) -> str | None:
    """The field of a map that a name of managedFields means; None where there is none."""
    kind, _, field = name.partition(":")
    return field if kind == "f" and isinstance(value, Mapping) and field in value else None


class _Items:
    """A list's items by their names in managedFields, indexed."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items
        self._by_keys: dict[tuple[str, ...], dict[str, int]] = {}

    def find(self, name: str) -> int | None:
        """The index of the item that a name means; None where there is none."""
        kind, _, rest = name.partition(":")
        try:
            wanted = json.loads(rest)
        except (ValueError, RecursionError):
            return None
        if kind == "i":
            return wanted if isinstance(wanted, int) and 0 <= wanted < len(self._items) else None
        if kind == "v":
            return self._indexes_by_key(()).get(_frozen(wanted))
        return self._keyed(wanted) if kind == "k" and isinstance(wanted, dict) else None

    def _keyed(self, wanted: dict[str, Any]) -> int | None:
        """The item with these keys. One that lacks some of them may have defaults, which the object does not show."""
        names = tuple(sorted(wanted))
        for left_out in range(len(names) if len(names) <= _MOST_KEYS else 1):
            for missing in combinations(names, left_out):
                present = {name: wanted[name] for name in names if name not in missing}
                if (place := self._indexes_by_key(names).get(_frozen(present))) is not None:
                    return place
        return None

    def _indexes_by_key(self, names: tuple[str, ...]) -> dict[str, int]:
        """Indexes of items by these fields, as far as they have them; by the whole item without names."""
        indexes = self._by_keys.get(names)
        if indexes is None:
            indexes = self._by_keys[names] = {}
            for place, item in enumerate(self._items):
                known = {name: item[name] for name in names if name in item} if isinstance(item, Mapping) else item
                indexes.setdefault(_frozen(known if names else item), place)
        return indexes


def _frozen(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def field_managers(obj: Mapping[str, Value], path: Path) -> tuple[FieldManager, ...]:
    """The managers that have set the field, or a field around it as a whole, in the API server's order.

    Other than with `FieldOwners` the object need not have the field. Items of lists are identified by keys, and an
    index in a user's text may be another one in the object: below an item no manager is named.
    """
    return tuple(manager for manager, fields in _entries(obj) if _has(fields, path))


def owned_fields_differ(fields: Any, was: Any, now: Any) -> bool:
    """Whether one of the fields that `fields`, a FieldsV1, names differs between two versions of an object. Items of
    lists are the same by their keys, wherever they stand.
    """
    return _differ(as_map(fields), was, now, _DEEPEST)


def _differ(fields: Mapping[str, Any], was: Any, now: Any, levels: int) -> bool:
    one_of, other_of = _children(was), _children(now)
    for name, inner in fields.items():
        if name == ".":
            if (was is None) != (now is None):
                return True
            continue
        one, other = one_of(as_text(name)), other_of(as_text(name))
        if one != other and (not inner or not levels or _differ(as_map(inner), one, other, levels - 1)):
            return True
    return False


def _children(value: Any) -> Callable[[str], Any]:
    """Finds fields or items of a value by their names in managedFields; None for those that it does not have."""
    items = _Items(value) if isinstance(value, list) else None

    def find(name: str) -> Any:
        step = items.find(name) if items is not None else _field(name, value)
        return None if step is None else value[step]

    return find


def last_writers(live: Mapping[str, Value], path: Path) -> tuple[str, ...]:
    """The names of `field_managers`, the last writer first; those of the status for fields of the status alone."""
    of_status = path[:1] == ("status",)
    own = [each for each in field_managers(live, path) if each.name and (of_status or each.subresource != "status")]
    return tuple(dict.fromkeys(each.name for each in sorted(own, key=lambda each: each.time, reverse=True)))


def last_writer(live: Mapping[str, Value], subresource: str = "") -> tuple[str, str]:
    """The last writer of the object or of that subresource, and the time (RFC 3339); empty where there is none.

    For the object itself writes of its status are ignored; scaling counts, because it changes the spec.
    """
    own = (
        manager
        for manager, _ in _entries(live)
        if manager.time and (manager.subresource == subresource if subresource else manager.subresource != "status")
    )
    newest = max(own, key=lambda manager: manager.time, default=None)
    return (newest.name, newest.time) if newest is not None else ("", "")


def last_write(live: Mapping[str, Value], name: str) -> str:
    """The time (RFC 3339) of the last write of the manager with this name; empty where there is none."""
    return max((manager.time for manager, _ in _entries(live) if manager.name == name), default="")


def without_managed_fields(obj: Mapping[str, Any]) -> dict[str, Any]:
    """The object without its managedFields."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, Mapping):
        return {**obj, "metadata": {}} if "metadata" in obj else dict(obj)
    return {**obj, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


def _entries(obj: Mapping[str, Any]) -> Iterator[tuple[FieldManager, Mapping[str, Any]]]:
    """Each manager with its fields, in the API server's order. Never raises, whatever the entries hold."""
    for entry in as_maps(as_map(obj.get("metadata")).get("managedFields")):
        manager = FieldManager(
            as_text(entry.get("manager")),
            entry.get("operation") == "Apply",
            as_text(entry.get("subresource")),
            as_text(entry.get("time")),
        )
        yield manager, as_map(entry.get("fieldsV1"))


def _has(fields: Mapping[str, Any], path: Path) -> bool:
    """Whether the manager owns the field, or a field around it as a whole.

    An item of a set has an owner of its own: a manager that has removed its items keeps an entry without items.
    """
    for depth, segment in enumerate(path):
        if depth and not _parts(fields) and not _is_set_item(segment):
            return True
        below = fields.get(_step(segment))
        if not isinstance(below, Mapping):
            return False
        fields = below
    return not _parts(fields)


def _step(segment: Segment) -> str:
    """The name of a field, or of an item of a set, in managedFields; empty for other items."""
    if isinstance(segment, str):
        return f"f:{segment}"
    if isinstance(segment, ItemKey) and _is_set_item(segment):
        return f"v:{json.dumps(segment.fields[0][1], ensure_ascii=False)}"
    return ""


def _is_set_item(segment: Segment) -> bool:
    return isinstance(segment, ItemKey) and [name for name, _ in segment.fields] == [""]


def _parts(fields: Mapping[str, Any]) -> list[str]:
    """The fields below a field; ``.`` is the field itself."""
    return [name for name in fields if name != "."]
