"""Paths of the fields that differ between two versions of an object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

_QUIET = frozenset({
    ("metadata", "managedFields"), ("metadata", "resourceVersion"), ("metadata", "generation"),
    ("status", "observedGeneration"),
})  # fmt: skip
"""Fields that change with every write and say nothing."""
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_IDENTITIES = ("type", "name", "containerPort", "uid", "ip", "key")
"""Fields that identify the entries of a list; the first that all of them have is used."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs; `path` is written like ``spec.containers[web].image``."""

    path: str
    op: Literal["added", "removed", "changed"]
    old: Any = None
    new: Any = None


def field_changes(old: Any, new: Any) -> list[FieldChange]:
    """The fields that differ, in the newer object's order; the removed fields of a map come after its other fields.

    Entries of a list are matched by type or name where every entry has one. A whole subtree that was added or removed
    is one change. resourceVersion, generation, observedGeneration and managedFields are left out.
    """
    return list(_walk(old, new, ()))


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


def _walk(old: Any, new: Any, path: tuple[str, ...]) -> Iterator[FieldChange]:
    if path in _QUIET or (old == new and type(old) is type(new)):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _walk_maps(old, new, path)
        return
    if isinstance(old, list) and isinstance(new, list):
        name = _identity(old, new)
        yield from _walk_maps(_keyed(old, name), _keyed(new, name), path)
        return
    yield FieldChange(_join(path), "changed", old, new)


def _walk_maps(old: dict[str, Any], new: dict[str, Any], path: tuple[str, ...]) -> Iterator[FieldChange]:
    for key, value in new.items():
        if key in old:
            yield from _walk(old[key], value, (*path, key))
        elif (*path, key) not in _QUIET:
            yield FieldChange(_join((*path, key)), "added", None, value)
    for key, value in old.items():
        if key not in new and (*path, key) not in _QUIET:
            yield FieldChange(_join((*path, key)), "removed", value)


def _identity(old: list[Any], new: list[Any]) -> str:
    """The field that identifies the entries of both lists; empty: their position does."""
    for name in _IDENTITIES:
        if all(_identified(entries, name) for entries in (old, new)):
            return name
    return ""


def _identified(entries: list[Any], name: str) -> bool:
    keys = [entry.get(name) if isinstance(entry, dict) else None for entry in entries]
    return None not in keys and len({str(key) for key in keys}) == len(keys)


def _keyed(entries: list[Any], name: str) -> dict[str, Any]:
    return {f"[{entry[name] if name else index}]": entry for index, entry in enumerate(entries)}


def _join(path: tuple[str, ...]) -> str:
    parts: list[str] = []
    for part in path:
        if part.startswith("["):
            parts.append(part)
        elif _PLAIN.fullmatch(part):
            parts.append(f".{part}" if parts else part)
        else:
            parts.append(f'["{part}"]')
    return "".join(parts)
