"""Fields that a write changes, with their values before and after, as an entry of the audit log keeps them.

Of a Secret only the names of fields are kept, but for a few that never hold a value of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from dashboard.objects.paths.field_changes import FieldChange, field_changes
from dashboard.pages.audit.entry import Changes, FieldValue

MAX_FIELDS = 100
"""Most fields of an entry."""
MAX_VALUE = 2_000
"""Most characters of a value's JSON text."""
MAX_NESTING = 100
"""Most lists and maps of a value; of more its JSON text is kept."""
MAX_CHARACTERS = 32_000
"""Most characters of all fields of an entry."""
_BOOKKEEPING = frozenset({"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"})
"""Metadata that the API server sets, or that is a precondition."""
_OPEN_SECRET_FIELDS = (("metadata", "labels"), ("metadata", "finalizers"), ("metadata", "ownerReferences"),
                       ("metadata", "name"), ("metadata", "namespace"), ("type",), ("immutable",), ("kind",),
                       ("apiVersion",), ("metadata", "deletionTimestamp"))  # fmt: skip
"""Fields of a Secret whose values are kept. Annotations are not among them: kubectl apply writes all values there."""


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any], *, is_secret: bool) -> Changes:
    """The fields that differ between two states of an object."""
    found = field_changes(before, after)
    changes = _fields(found.changes, is_secret=is_secret)
    return changes if found.are_all else Changes(changes.fields, changes.omitted + 1)


def changes_of_creation(body: Mapping[str, Any], *, is_secret: bool) -> Changes:
    """The fields of a new object."""
    return _fields(_leaves(body, ()), is_secret=is_secret)


def changes_of_patch(patch: Any, before: Mapping[str, Any] | None, kind: str, *, is_secret: bool) -> Changes:
    """The fields that a patch sets or removes; `before` is the object, where it is known. `kind` is the content type.

    What a merge patch makes of a known object is computed. Of other patches, and of unknown objects, the fields are
    those of the patch.
    """
    if isinstance(patch, list):
        steps = (each for each in patch if isinstance(each, Mapping))
        return _fields(map(_json_patch_step, steps), is_secret=is_secret)
    if not isinstance(patch, Mapping):
        return Changes()
    if before is not None and kind == "application/merge-patch+json":
        return changes_between(before, _merged(before, patch), is_secret=is_secret)
    return _fields(_leaves(patch, ()), is_secret=is_secret)


def _merged(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), value)
    return merged


def _json_patch_step(step: Mapping[str, Any]) -> FieldChange:
    parts = str(step.get("path", "")).strip("/").split("/")
    steps = tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
    return FieldChange(steps, "removed" if step.get("op") == "remove" else "changed", None, step.get("value"))


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[FieldChange]:
    """The fields of an object that are no maps."""
    if isinstance(value, Mapping) and value and len(path) < 50:
        for name, each in value.items():
            if not (path == ("metadata",) and name in _BOOKKEEPING):
                yield from _leaves(each, (*path, str(name)))
    else:
        yield FieldChange(path, "removed" if value is None else "added", None, value)


def _fields(changes: Iterable[FieldChange], *, is_secret: bool) -> Changes:
    fields: list[FieldValue] = []
    omitted = size = 0
    for change in _names_of_values(changes) if is_secret else changes:
        if change.steps[:1] == ("metadata",) and change.steps[1:2] and change.steps[1] in _BOOKKEEPING:
            continue
        field = _field(change, is_hidden=is_secret and not _is_open(change.steps))
        length = len(field.path) + _length(field.was) + _length(field.now)
        if len(fields) == MAX_FIELDS or size + length > MAX_CHARACTERS:
            omitted += 1
            continue
        size += length
        fields.append(field)
    return Changes(tuple(fields), omitted)


def _names_of_values(changes: Iterable[FieldChange]) -> Iterator[FieldChange]:
    """The changes of a Secret: a map of values that came or went as a whole is one change for each of its names."""
    for change in changes:
        whole = change.new if isinstance(change.new, Mapping) else change.old
        if len(change.steps) <= 2 and isinstance(whole, Mapping) and not _is_open(change.steps):
            yield from (FieldChange((*change.steps, str(name)), change.op) for name in whole)
        else:
            yield change


def _is_open(steps: tuple[str, ...]) -> bool:
    return any(steps[: len(prefix)] == prefix for prefix in _OPEN_SECRET_FIELDS)


def _field(change: FieldChange, *, is_hidden: bool) -> FieldValue:
    if is_hidden:
        return FieldValue(change.path, is_hidden=True)
    (was, is_was_cut), (now, is_now_cut) = _value(change.old), _value(change.new)
    return FieldValue(change.path, was, now, is_cut=is_was_cut or is_now_cut)


def _value(value: Any) -> tuple[Any, bool]:
    """The value, or the beginning of its JSON text where that is too long."""
    try:
        text = msgspec.json.encode(value).decode(errors="replace")
    except RecursionError:
        return "…", True
    if len(text) <= MAX_VALUE and text.count("[") + text.count("{") <= MAX_NESTING:
        return value, False
    return f"{text[:MAX_VALUE]}…", True


def _length(value: Any) -> int:
    return len(msgspec.json.encode(value))
