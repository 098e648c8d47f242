"""Merge rules of a patch's lists and maps: item by item, or as a replacement.

For kinds built into Kubernetes, the API server accepts a strategic merge patch, as ``kubectl patch`` sends it: lists
with a merge key merge by it, and directives such as ``$patch: delete`` remove items. For all others it accepts a merge
patch (RFC 7386), in which a list is one value. Source: apimachinery's pkg/util/strategicpatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, Value, format_path, get, same
from dashboard.objects.schemas.schema import Schema

DELETE_FROM_PREFIX = "$deleteFromPrimitiveList/"
SET_ORDER_PREFIX = "$setElementOrder/"
_DIRECTIVES = ("$patch", "$retainKeys", SET_ORDER_PREFIX, DELETE_FROM_PREFIX)
ListEffect = Literal["merged", "added", "replaced", "exchanged", "emptied", "taken"]
"""merged, added, replaced: a list · exchanged, emptied: a map, in objects that have one · taken: an item or values."""


class PatchedList(msgspec.Struct, frozen=True, array_like=True):
    """A list in a patch, a map that is not merged, or the removal of list items."""

    field: str
    how: ListEffect
    keys: str = ""
    """Merge key of its items, where the schema has one; or the values to remove."""


def patched_lists(patch: Value, schema: Schema) -> tuple[PatchedList, ...]:
    """Each list of a patch with its merge rule, by `schema`; none inside a replaced one."""
    return tuple(dict.fromkeys(_lists((), patch, schema, strategic=schema.strategic)))


def is_directive(name: str) -> bool:
    """Whether the key is a directive and not a field."""
    return name.startswith(_DIRECTIVES)


def has_replace_directive(items: list[Value]) -> bool:
    """Whether a list of a strategic merge patch replaces the other one all the same."""
    return any(isinstance(item, dict) and item.get("$patch") == "replace" for item in items)


def is_in_patch(patch: Value, path: Path, schema: Schema) -> bool:
    """Whether a patch of a kind with this schema names the changed field, a parent of it or a child."""
    value, strategic = patch, schema.strategic
    for segment in path:
        merged = strategic and schema.patch_key is not None
        schema = schema.child(segment if isinstance(segment, str) else 0)
        if isinstance(value, list) and isinstance(segment, ItemKey) and merged and not has_replace_directive(value):
            value = next((item for item in value if _is_meant(item, segment)), ABSENT)
        elif not isinstance(value, dict) or not value or f"{DELETE_FROM_PREFIX}{segment}" in value or _whole(value):
            return True
        else:
            value = get(value, (segment,))
        if value is ABSENT:
            return False
    return True


def _is_meant(item: Value, key: ItemKey) -> bool:
    """Match by the keys that the patch has: it may leave one out, such as a port's protocol."""
    if not isinstance(item, dict):
        return any(same(item, value) for _, value in key.fields)
    named = [(item[name], value) for name, value in key.fields if name in item]
    return bool(named) and all(same(one, other) for one, other in named)


def _whole(value: Mapping[str, Value]) -> bool:
    return "$patch" in value or "$retainKeys" in value


def _lists(path: Path, value: Value, schema: Schema, *, strategic: bool) -> Iterator[PatchedList]:
    if isinstance(value, Mapping):
        yield from _of_map(path, value, schema, strategic=strategic)
    elif isinstance(value, list):
        key = schema.patch_key if strategic and not has_replace_directive(value) else None
        if key is None:
            yield PatchedList(format_path(path), "replaced", ", ".join(filter(None, schema.list_keys)))
            return
        yield PatchedList(format_path(path), "merged" if key else "added", key)
        for item in value if key else ():
            if isinstance(item, dict):
                item_path = (*path, ItemKey(((key, item.get(key)),)))
                if item.get("$patch") == "delete":
                    yield PatchedList(format_path(item_path), "taken")
                else:
                    yield from _of_map(item_path, item, schema.child(0), strategic=strategic)


def _of_map(path: Path, value: Mapping[str, Value], schema: Schema, *, strategic: bool) -> Iterator[PatchedList]:
    if "$patch" in value:
        yield PatchedList(format_path(path), "emptied" if value["$patch"] == "delete" else "exchanged")
        return
    for name, each in value.items():
        if name.startswith(DELETE_FROM_PREFIX):
            yield PatchedList(
                format_path((*path, name.removeprefix(DELETE_FROM_PREFIX))), "taken", ", ".join(map(str, each))
            )
        elif not is_directive(name):
            yield from _lists((*path, name), each, schema.child(name), strategic=strategic)
