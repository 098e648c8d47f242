"""List items that a patch names: those it adds to an object, and those it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

import msgspec

from dashboard.objects.fields.field_access import ABSENT, ItemKey, Path, Value, format_path, get, same
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.bulk.patch_merge_rules import has_replace_directive

_NOUNS: Mapping[str, str] = MappingProxyType({
    "containers": "container", "initContainers": "init container", "ephemeralContainers": "ephemeral container",
    "env": "variable", "ports": "port", "volumes": "volume", "volumeMounts": "mount", "volumeDevices": "device",
    "imagePullSecrets": "pull secret", "ownerReferences": "owner", "topologySpreadConstraints": "spread constraint",
})  # fmt: skip


MAX_NAMED_ITEMS = 40
"""Most items of a change that a run stores."""
MAX_NAMED_TEXT = 8_000
"""Most characters of their names and fields."""
MAX_HINTED = 5
"""Most items that the reason of a refusal names."""


class NamedItem(msgspec.Struct, frozen=True, array_like=True):
    """A list item that a patch names, and its change in an object."""

    field: str
    names: tuple[tuple[str, str], ...]
    """Its noun and name, then those of its parents: variable DEBUG, container app."""
    how: Literal["added", "changed"]

    @property
    def words(self) -> str:
        """``variable DEBUG of container app``."""
        return " of ".join(f"{noun} {name}" for noun, name in self.names)

    @property
    def is_container(self) -> bool:
        return self.names[0][0].endswith("container")


def named_items(patch: Value, schema: Schema, was: Value, now: Value) -> tuple[NamedItem, ...]:
    """Added and changed items; without the items inside an added one."""
    items: list[NamedItem] = []
    added: list[Path] = []
    for path in _item_paths((), patch, schema) if schema.strategic else ():
        before, after = get(was, path), get(now, path)
        if after is ABSENT or same(before, after) or any(path[: len(each)] == each for each in added):
            continue
        if before is ABSENT:
            added.append(path)
        items.append(NamedItem(format_path(path), _names(path), "added" if before is ABSENT else "changed"))
    return tuple(items)


def limit_items(items: Sequence[NamedItem]) -> tuple[tuple[NamedItem, ...], int]:
    """Those that a run stores, added containers and other added items before changed ones; and the number of added
    items that are left out.
    """
    kept: list[NamedItem] = []
    text = 0
    for item in sorted(items, key=lambda each: (each.how != "added", not each.is_container)):
        text += len(item.field) + sum(len(name) for _, name in item.names)
        if len(kept) == MAX_NAMED_ITEMS or text > MAX_NAMED_TEXT:
            break
        kept.append(item)
    more = sum(item.how == "added" for item in items) - sum(item.how == "added" for item in kept)
    return tuple(item for item in items if item in kept), more


def missing_items_hint(patch: Value, schema: Schema, live: Value) -> str:
    """Likely reason of a refusal: the patch names an item that the object does not have; as a sentence."""
    paths: list[Path] = []
    for path in _item_paths((), patch, schema) if schema.strategic else ():
        if get(live, path) is ABSENT and not any(path[: len(each)] == each for each in paths):
            paths.append(path)
    if not paths:
        return ""
    named = ", ".join(NamedItem(format_path(path), _names(path), "added").words for path in paths[:MAX_HINTED])
    more = f" and {len(paths) - MAX_HINTED:,} more" if len(paths) > MAX_HINTED else ""
    return f"There is no {named}{more} to change: the patch would add {'it' if len(paths) == 1 else 'them'}."


def _item_paths(path: Path, value: Value, schema: Schema) -> Iterator[Path]:
    """Path of each list item that the patch names, parents first."""
    if isinstance(value, dict):
        if "$patch" not in value:
            for name, each in value.items():
                yield from _item_paths((*path, name), each, schema.child(name))
    elif isinstance(value, list) and schema.patch_key and not has_replace_directive(value):
        for item in value:
            if isinstance(item, dict) and "$patch" not in item:
                item_path = (*path, ItemKey(((schema.patch_key, item.get(schema.patch_key)),)))
                yield item_path
                yield from _item_paths(item_path, item, schema.child(0))


def _names(path: Path) -> tuple[tuple[str, str], ...]:
    """Noun and name of the item at `path`, then those of its parents."""
    names = [
        (_NOUNS.get(str(before), f"item of {before}"), ", ".join(str(value) for _, value in segment.fields))
        for before, segment in pairwise(path)
        if isinstance(segment, ItemKey)
    ]
    return tuple(reversed(names))
