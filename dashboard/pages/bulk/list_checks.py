"""The items of lists that a patch names by their keys: an object that has none of that name gets it as a new one.

That is how a strategic merge patch works, and how a slip of the pen in a container's name becomes one more container.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

import msgspec

from dashboard.bulk.lists import replaces
from dashboard.edits.fields import ABSENT, ItemKey, Path, Value, get, same, show
from dashboard.edits.schema import Schema

_NOUNS: Mapping[str, str] = MappingProxyType({
    "containers": "container", "initContainers": "init container", "ephemeralContainers": "ephemeral container",
    "env": "variable", "ports": "port", "volumes": "volume", "volumeMounts": "mount", "volumeDevices": "device",
    "imagePullSecrets": "pull secret", "ownerReferences": "owner", "topologySpreadConstraints": "spread constraint",
})  # fmt: skip


class NamedItem(msgspec.Struct, frozen=True, array_like=True):
    """One that a patch names, and what becomes of it in an object."""

    field: str
    names: tuple[tuple[str, str], ...]
    """What it is and its name, then what it is in: variable DEBUG, container app."""
    how: Literal["added", "changed"]

    @property
    def words(self) -> str:
        """``variable DEBUG of container app``."""
        return " of ".join(f"{noun} {name}" for noun, name in self.names)


def named_items(patch: Value, schema: Schema, was: Value, now: Value) -> tuple[NamedItem, ...]:
    """Those that were added or changed; nothing of what is inside of one that was added."""
    found: list[NamedItem] = []
    added: list[Path] = []
    for path in _named((), patch, schema) if schema.strategic else ():
        before, after = get(was, path), get(now, path)
        if after is ABSENT or same(before, after) or any(path[: len(each)] == each for each in added):
            continue
        if before is ABSENT:
            added.append(path)
        found.append(NamedItem(show(path), _names(path), "added" if before is ABSENT else "changed"))
    return tuple(found)


def not_there(patch: Value, schema: Schema, live: Value) -> str:
    """Why a patch of an object may have been refused: what it names and the object does not have, as a sentence."""
    paths: list[Path] = []
    for path in _named((), patch, schema) if schema.strategic else ():
        if get(live, path) is ABSENT and not any(path[: len(each)] == each for each in paths):
            paths.append(path)
    named = ", ".join(NamedItem(show(path), _names(path), "added").words for path in paths)
    return f"There is no {named} to be changed: the patch would add it." if named else ""


def _named(path: Path, value: Value, schema: Schema) -> Iterator[Path]:
    """What is around an item comes before it."""
    if isinstance(value, dict):
        if "$patch" not in value:
            for name, each in value.items():
                yield from _named((*path, name), each, schema.child(name))
    elif isinstance(value, list) and schema.patch_key and not replaces(value):
        for item in value:
            if isinstance(item, dict) and "$patch" not in item:
                place = (*path, ItemKey(((schema.patch_key, item.get(schema.patch_key)),)))
                yield place
                yield from _named(place, item, schema.child(0))


def _names(path: Path) -> tuple[tuple[str, str], ...]:
    found = [
        (_NOUNS.get(str(before), f"item of {before}"), ", ".join(str(value) for _, value in segment.fields))
        for before, segment in pairwise(path)
        if isinstance(segment, ItemKey)
    ]
    return tuple(reversed(found))
