"""Paths of the fields that differ between two versions of an object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.fields.work_budget import BudgetExceeded, WorkBudget
from dashboard.objects.kinds.row import Row
from dashboard.objects.kinds.value_hashes import MEMBER

MAX_CHANGES = 1_000
"""Fields that differ, after which no further ones are looked for."""
MAX_STEPS = 50_000
MAX_SECONDS = 0.1
"""Limits of one comparison (see WorkBudget); it runs on an event loop."""
MAX_PATH_LENGTH = 500
"""Characters of a path; names of fields may be as long as the object."""

_QUIET = frozenset({
    ("metadata", "managedFields"), ("metadata", "resourceVersion"), ("metadata", "generation"),
    ("status", "observedGeneration"), (MEMBER,),
})  # fmt: skip
"""Fields that change with every write and say nothing."""
_STEP = re.compile(r"[.\[]")
_MISSING: Any = object()
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_IDENTITIES = ("type", "name", "containerPort", "uid", "ip", "key")
"""Fields that identify the entries of a list; the first that all of them have is used."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs."""

    steps: tuple[str, ...]
    op: Literal["added", "removed", "changed"]
    old: Any = None
    new: Any = None

    @property
    def path(self) -> str:
        """``spec.containers[web].image``, at most MAX_PATH_LENGTH characters of it."""
        return _join(self.steps)


class FieldChanges(NamedTuple):
    """The fields that differ; not all of them where the objects are too large to compare in little time."""

    changes: list[FieldChange]
    are_all: bool


def field_changes(old: Any, new: Any) -> FieldChanges:
    """The fields that differ, in the newer object's order; the removed fields of a map come after its other fields.

    Entries of a list are matched by type or name where every entry has one. A whole subtree that was added or removed
    is one change. resourceVersion, generation, observedGeneration and managedFields are left out. Objects may have any
    shape and depth; there are at most MAX_CHANGES.
    """
    found: list[FieldChange] = []
    try:
        for change in _walk(old, new, (), WorkBudget(MAX_STEPS, MAX_SECONDS)):
            if len(found) == MAX_CHANGES:
                return FieldChanges(found, are_all=False)
            found.append(change)
    except (BudgetExceeded, RecursionError):
        return FieldChanges(found, are_all=False)
    return FieldChanges(found, are_all=True)


def put_back(now: Any, then: Any, paths: frozenset[str]) -> tuple[Any, frozenset[str]]:
    """`now` with the fields at `paths` as they are in `then`, and the paths of which neither has anything to put back.

    Paths and entries of lists are those of `field_changes`. A field that `then` does not have is removed. A list whose
    entries have no names is put back as a whole where the path has a position in it, and an entry that only one side
    has can only be put back as a whole.
    """
    fields = _ChosenFields(paths)
    value = fields.put_back(now, then, ())
    return value, paths - fields.done


def row_changes(old: Row, new: Row) -> FieldChanges:
    """`field_changes` of the whole objects of two rows; none where a row has no object."""
    if old.blob is None or new.blob is None:
        return FieldChanges([], are_all=True)
    try:
        return field_changes(*decode_differing(old.blob.json(), new.blob.json()))
    except RecursionError:
        return FieldChanges([], are_all=False)


def decode_differing(old: bytes, new: bytes) -> tuple[Any, Any]:
    """Two versions of an object without equal and irrelevant members; `field_changes` of them is complete.

    That is half the work of decoding both: usually only status differs, and of metadata nothing but managedFields, its
    largest part. Raises msgspec.DecodeError where the text is not a JSON object.
    """
    before, after = _differing(old, new, ())
    if "metadata" in before and "metadata" in after:
        inside = _differing(before["metadata"], after["metadata"], ("metadata",))
        before["metadata"], after["metadata"] = (msgspec.Raw(msgspec.json.encode(members)) for members in inside)
    return _decoded(before), _decoded(after)


def _differing(
    old: bytes | msgspec.Raw, new: bytes | msgspec.Raw, path: tuple[str, ...]
) -> tuple[dict[str, msgspec.Raw], dict[str, msgspec.Raw]]:
    before, after = _members(old), _members(new)
    for name in before | after:
        if before.get(name) == after.get(name) or (*path, name) in _QUIET:
            before.pop(name, None)
            after.pop(name, None)
    return before, after


def _decoded(members: dict[str, msgspec.Raw]) -> dict[str, Any]:
    return {name: msgspec.json.decode(raw) for name, raw in members.items()}


def _walk(old: Any, new: Any, path: tuple[str, ...], budget: WorkBudget) -> Iterator[FieldChange]:
    budget.spend()
    if path in _QUIET or _are_same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _walk_maps(old, new, path, budget)
        return
    if isinstance(old, list) and isinstance(new, list):
        name = _identity(old, new)
        yield from _walk_maps(_keyed(old, name), _keyed(new, name), path, budget)
        return
    yield FieldChange(path, "changed", old, new)


def _walk_maps(
    old: dict[str, Any], new: dict[str, Any], path: tuple[str, ...], budget: WorkBudget
) -> Iterator[FieldChange]:
    for key, value in new.items():
        if key in old:
            if not _are_same(old[key], value):
                yield from _walk(old[key], value, (*path, key), budget)
        elif (*path, key) not in _QUIET:
            yield FieldChange((*path, key), "added", None, value)
    for key, value in old.items():
        if key not in new and (*path, key) not in _QUIET:
            yield FieldChange((*path, key), "removed", value)


class _ChosenFields:
    """Fields that are put back, by their paths. `done`: those that were found."""

    def __init__(self, paths: frozenset[str]) -> None:
        self.done: set[str] = set()
        self._paths = frozenset(path for path in paths if path and len(path) <= MAX_PATH_LENGTH)
        self._parents = {path[: step.start()] for path in self._paths for step in _STEP.finditer(path)} | {""}

    def put_back(self, now: Any, then: Any, path: tuple[str, ...]) -> Any:
        """The value at `path`; `_MISSING` stands for none."""
        text = _join(path)
        if text in self._paths:
            self.done.add(text)
            return then
        if text not in self._parents:
            return now
        if isinstance(now, list) and isinstance(then, list):
            name = _identity(now, then)
            if not name:
                entries = _keyed(now, "") | _keyed(then, "")
                whole = {each for each in self._paths if each.startswith(text) and _first(each[len(text) :]) in entries}
                self.done |= whole
                return then if whole else now
            return [*self._members(_keyed(now, name), _keyed(then, name), path, is_list=True).values()]
        if all(isinstance(side, dict) or side is _MISSING for side in (now, then)):
            members = self._members(_members_of(now), _members_of(then), path)
            return members if members or isinstance(now, dict) else _MISSING
        return now

    def _members(
        self, now: dict[str, Any], then: dict[str, Any], path: tuple[str, ...], *, is_list: bool = False
    ) -> dict[str, Any]:
        """The members in the order of `now`; those that only `then` has come after the one before them there."""
        added: dict[str, list[str]] = {}
        before = ""
        for key in then:
            if key in now:
                before = key
            else:
                added.setdefault(before, []).append(key)
        order = [*added.get("", ()), *(each for key in now for each in (key, *added.get(key, ())))]
        members: dict[str, Any] = {}
        for key in order:
            sides = now.get(key, _MISSING), then.get(key, _MISSING)
            inner = (*path, key)
            if is_list and _MISSING in sides and _join(inner) not in self._paths:
                value = sides[0]
            else:
                value = self.put_back(*sides, inner)
            if value is not _MISSING:
                members[key] = value
        return members


def _first(path: str) -> str:
    """The entry of a list with which a path begins, ``[web]``."""
    return path[: path.find("]") + 1]


def _members_of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _are_same(old: Any, new: Any) -> bool:
    return old == new and type(old) is type(new)


def _identity(old: list[Any], new: list[Any]) -> str:
    """The field that identifies the entries of both lists; empty: their position does."""
    for name in _IDENTITIES:
        if all(_identified(entries, name) for entries in (old, new)):
            return name
    return ""


def _identified(entries: list[Any], name: str) -> bool:
    keys: set[str] = set()
    for entry in entries:
        key = entry.get(name) if isinstance(entry, dict) else None
        if key is None:
            return False
        keys.add(str(key))
    return len(keys) == len(entries)


def _keyed(entries: list[Any], name: str) -> dict[str, Any]:
    return {f"[{entry[name] if name else index}]": entry for index, entry in enumerate(entries)}


def _join(path: tuple[str, ...]) -> str:
    text = ""
    for part in path:
        short = limit_text(part, MAX_PATH_LENGTH)
        if part.startswith("["):
            text += short
        elif _PLAIN.fullmatch(part):
            text += f".{short}" if text else short
        else:
            text += f'["{short}"]'
        if len(text) > MAX_PATH_LENGTH:
            break
    return limit_text(text, MAX_PATH_LENGTH)
