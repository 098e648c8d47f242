"""Who set each field of an object, from its metadata.managedFields.

The format is that of structured-merge-diff: ``f:name`` is a field of a map, ``k:{…}`` the item of a list that has these
keys, ``v:…`` the item of a set that is this value, ``i:0`` an item by its place, ``.`` the thing itself. What has
nothing inside is owned as a whole: an atomic list belongs to whoever set it last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from dashboard.resources.loose import mapping, mappings, text
from dashboard.resources.part_names import numbered
from dashboard.resources.yaml_text import Place

MOST_FIELDS = 100
"""Fields of a manager that are named; the rest is counted."""
_DEEPEST = 100
_MOST_KEYS = 4
"""Keys of an item, up to which items that lack some of them are looked for."""


@dataclass(frozen=True, slots=True)
class Setter:
    """One entry of managedFields: who wrote, how and when."""

    manager: str
    """The name that the writer gave: ``kubectl-edit``, ``kube-controller-manager``."""
    applied: bool
    """By a server-side apply, which keeps the fields as its own; otherwise by a plain write."""
    subresource: str
    time: str
    """RFC 3339 of its last write; empty where the API server does not say."""

    @property
    def words(self) -> str:
        """``kubelet · status``."""
        return f"{self.manager} · {self.subresource}" if self.subresource else self.manager

    @property
    def sentence(self) -> str:
        how = "Applied" if self.applied else "Set"
        return f"{how} by {self.words}" + (f", which last wrote at {self.time}" if self.time else "")


@dataclass(frozen=True, slots=True)
class Managed:
    """A setter with the fields that it owns, which others may own, too."""

    id: str
    """The same in an object's next versions, another than any other's of the object, and fit for an element's id."""
    setter: Setter
    count: int
    fields: tuple[str, ...]
    """``.spec.ports[0].port``, the first MOST_FIELDS."""

    @property
    def more(self) -> int:
        return self.count - len(self.fields)


class FieldOwners:
    """Reads the managedFields of one object. Never raises, whatever they hold: what makes no sense owns nothing."""

    def __init__(self, obj: Mapping[str, Any]) -> None:
        self._whole: dict[Place, list[Setter]] = {}
        self._itself: dict[Place, Setter] = {}
        self._fields: dict[Setter, list[Place]] = {}
        entries = mappings(mapping(obj.get("metadata")).get("managedFields"))
        for entry in sorted(entries, key=lambda each: text(each.get("time"))):
            setter = Setter(
                text(entry.get("manager")) or "nobody named",
                entry.get("operation") == "Apply",
                text(entry.get("subresource")),
                text(entry.get("time")),
            )
            for place, whole in _owned(entry.get("fieldsV1"), obj, ()):
                if whole:
                    self._whole.setdefault(place, []).append(setter)
                    self._fields.setdefault(setter, []).append(place)
                else:
                    self._itself[place] = setter

    def of(self, place: Place) -> Setter | None:
        """Who owns this field, or what it is a part of as a whole; None where nobody does.

        Of several owners the one that wrote last: each entry has one time for all of its fields.
        """
        if place not in self._whole and place in self._itself:
            return self._itself[place]
        held = self._held(place)
        return held[-1] if held else None

    def others(self, place: Place) -> tuple[Setter, ...]:
        """Who owns this field beside `of`, the newest first: they set the same value, and may have done so last."""
        if place not in self._whole and place in self._itself:
            return ()
        held = self._held(place)
        return tuple(other for other in reversed(held[:-1]) if other != held[-1])

    def _held(self, place: Place) -> list[Setter]:
        """Who owns this field, or what it is a part of as a whole, the newest last."""
        held = self._whole.get(place)
        while held is None and place:
            place = place[:-1]
            held = self._whole.get(place)
        return held or []

    @property
    def managers(self) -> tuple[Managed, ...]:
        """All who own a field, the newest first."""
        newest = sorted(self._fields.items(), key=lambda pair: pair[0].time, reverse=True)
        ids = numbered(repr((setter.manager, setter.applied, setter.subresource)) for setter, _ in newest)
        return tuple(
            Managed(name, setter, len(places), tuple(path_of(place) for place in places[:MOST_FIELDS]))
            for name, (setter, places) in zip(ids, newest, strict=True)
        )


def path_of(place: Place) -> str:
    """A place as a field path: ``.spec.ports[0].port``."""
    return "".join(
        f"[{step}]" if isinstance(step, int) else "." + step.replace("\\", "\\\\").replace(".", "\\.") for step in place
    )


def _owned(fields: Any, value: Any, place: Place) -> Iterator[tuple[Place, bool]]:
    """The places that `fields` name which `value` has, each with whether all inside belongs to it."""
    if len(place) > _DEEPEST:
        return
    items = _Items(value) if isinstance(value, list) else None
    for name, inner in mapping(fields).items():
        if name == ".":
            yield place, False
            continue
        step = items.find(text(name)) if items is not None else _field(text(name), value)
        if step is None:
            continue
        if inner:
            yield from _owned(inner, value[step], (*place, step))
        else:
            yield (*place, step), True


def _field(name: str, value: Any) -> str | None:
    """The field of a map that a name of managedFields means; None where there is none."""
    kind, _, field = name.partition(":")
    return field if kind == "f" and isinstance(value, Mapping) and field in value else None


class _Items:
    """A list's items by what managedFields call them, found without looking at each again."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items
        self._by_keys: dict[tuple[str, ...], dict[str, int]] = {}

    def find(self, name: str) -> int | None:
        """The place of the item that a name means; None where there is none."""
        kind, _, rest = name.partition(":")
        try:
            wanted = json.loads(rest)
        except (ValueError, RecursionError):
            return None
        if kind == "i":
            return wanted if isinstance(wanted, int) and 0 <= wanted < len(self._items) else None
        if kind == "v":
            return self._places(()).get(_frozen(wanted))
        return self._keyed(wanted) if kind == "k" and isinstance(wanted, dict) else None

    def _keyed(self, wanted: dict[str, Any]) -> int | None:
        """The item of these keys. One that lacks some of them may have defaults, which the object does not show."""
        names = tuple(sorted(wanted))
        for left_out in range(len(names) if len(names) <= _MOST_KEYS else 1):
            for missing in combinations(names, left_out):
                kept = {name: wanted[name] for name in names if name not in missing}
                if (place := self._places(names).get(_frozen(kept))) is not None:
                    return place
        return None

    def _places(self, names: tuple[str, ...]) -> dict[str, int]:
        """Where items are by these of their fields, as far as they have them; by the whole item without names."""
        found = self._by_keys.get(names)
        if found is None:
            found = self._by_keys[names] = {}
            for place, item in enumerate(self._items):
                known = {name: item[name] for name in names if name in item} if isinstance(item, Mapping) else item
                found.setdefault(_frozen(known if names else item), place)
        return found


def _frozen(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
