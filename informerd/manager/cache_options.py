"""Options of a manager's caches: namespaces, and fields to leave out of each object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypedDict

import msgspec

from informerd.decoding.decoder import Transform
from informerd.selectors.field_selector import FieldSelector
from informerd.selectors.label_selector import LabelSelector
from informerd.selectors.shard_selector import ShardSelector


class CacheOptions(TypedDict, total=False):
    """Options of one kind's cache (controller-runtime's cache.ByObject)."""

    namespaces: Sequence[str]
    """Namespaces to watch, each by its own informer, which needs rights there only; empty for all."""
    label_selector: str | LabelSelector
    field_selector: str | FieldSelector
    shard_selector: str | ShardSelector
    """Objects of this shard only, for controllers of which each has a part: see `ShardSelector.of`."""
    transform: Transform | None
    """Changes an object's JSON before anything is stored, to leave out large or secret fields."""
    strip_managed_fields: bool
    """Whether to leave out metadata.managedFields, a good part of many objects. Writes of them are not affected."""


def strip_managed_fields(raw: bytes) -> bytes:
    """A transform: the object without its metadata.managedFields (client-go's cache.TransformStripManagedFields)."""
    if b'"managedFields"' not in raw:
        return raw
    obj: dict[str, Any] = msgspec.json.decode(raw)
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
    return msgspec.json.encode(obj)


@cache
def _stripped_and(transform: Transform) -> Transform:
    def both(raw: bytes) -> bytes:
        return transform(strip_managed_fields(raw))

    return both


def combined_transform(transform: Callable[[bytes], bytes] | None, strip: bool) -> Transform | None:
    """One transform that does both; the same one for equal arguments, because informers are identified by it."""
    if not strip:
        return transform
    return strip_managed_fields if transform is None else _stripped_and(transform)
