"""How the lists of a patch meet those of an object, and its maps: item by item, or one instead of the other.

Of the kinds built into Kubernetes the API server takes what ``kubectl patch`` sends, a strategic merge patch: lists
that have a merge key merge by it, and directives such as ``$patch: delete`` take items out. Of all others it takes a
merge patch (RFC 7386), in which a list is one value. Source: apimachinery's pkg/util/strategicpatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from dashboard.edits.fields import ABSENT, ItemKey, Path, Value, get, same, show
from dashboard.edits.schema import Schema

REMOVES = "$deleteFromPrimitiveList/"
ORDERS = "$setElementOrder/"
_DIRECTIVES = ("$patch", "$retainKeys", ORDERS, REMOVES)
How = Literal["merged", "added", "replaced", "exchanged", "emptied", "taken"]
"""merged, added, replaced: a list · exchanged, emptied: a map, in objects that have one · taken: an item or values."""


class PatchedList(msgspec.Struct, frozen=True, array_like=True):
    """A list that a patch has, a map that it does not merge, or what it takes out of a list."""

    field: str
    how: How
    keys: str = ""
    """What tells its items apart, where the schema says so; the values that are taken out of it."""


def lists_in(patch: Value, schema: Schema) -> tuple[PatchedList, ...]:
    """Each list of a patch that the API server takes, as `schema` has it; none inside of what is replaced."""
    return tuple(dict.fromkeys(_lists((), patch, schema, strategic=schema.strategic)))


def is_directive(name: str) -> bool:
    """Whether it is no field, but says what becomes of those beside it."""
    return name.startswith(_DIRECTIVES)


def replaces(items: list[Value]) -> bool:
    """Whether a list of a strategic merge patch takes the other's place all the same."""
    return any(isinstance(item, dict) and item.get("$patch") == "replace" for item in items)


def is_asked_for(patch: Value, path: Path, schema: Schema) -> bool:
    """Whether a patch of a kind with this schema names the field that changed, one above it or one below it."""
    value, strategic = patch, schema.strategic
    for segment in path:
        merged = strategic and schema.patch_key is not None
        schema = schema.child(segment if isinstance(segment, str) else 0)
        if isinstance(value, list) and isinstance(segment, ItemKey) and merged and not replaces(value):
            value = next((item for item in value if _is_meant(item, segment)), ABSENT)
        elif not isinstance(value, dict) or not value or f"{REMOVES}{segment}" in value or _whole(value):
            return True
        else:
            value = get(value, (segment,))
        if value is ABSENT:
            return False
    return True


def _is_meant(item: Value, key: ItemKey) -> bool:
    """By the keys that the patch has: it may leave out one of them, such as a port's protocol."""
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
        key = schema.patch_key if strategic and not replaces(value) else None
        if key is None:
            yield PatchedList(show(path), "replaced", ", ".join(filter(None, schema.list_keys)))
            return
        yield PatchedList(show(path), "merged" if key else "added", key)
        for item in value if key else ():
            if isinstance(item, dict):
                place = (*path, ItemKey(((key, item.get(key)),)))
                if item.get("$patch") == "delete":
                    yield PatchedList(show(place), "taken")
                else:
                    yield from _of_map(place, item, schema.child(0), strategic=strategic)


def _of_map(path: Path, value: Mapping[str, Value], schema: Schema, *, strategic: bool) -> Iterator[PatchedList]:
    if "$patch" in value:
        yield PatchedList(show(path), "emptied" if value["$patch"] == "delete" else "exchanged")
        return
    for name, each in value.items():
        if name.startswith(REMOVES):
            yield PatchedList(show((*path, name.removeprefix(REMOVES))), "taken", ", ".join(map(str, each)))
        elif not is_directive(name):
            yield from _lists((*path, name), each, schema.child(name), strategic=strategic)
