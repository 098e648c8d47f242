"""Merge patches (RFC 7396) of the changes to a manifest."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from informerd.controller_util.manifest_and_identity import Head, manifest_of
from informerd.errors import InvalidCall
from informerd.resource_version import is_precondition
from informerd.unstructured import Json, metadata_of


def patch_to(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """The merge patch (RFC 7396) that makes `after` of `before`; empty where they are the same.

    Lists are replaced whole, so such a patch needs a precondition. A None in `after` says that there is no such field.
    """
    patch: Json = {name: None for name in before if before[name] is not None and after.get(name) is None}
    for name, value in after.items():
        old = before.get(name)
        if value is None or (value == old and _same_types(value, old)):
            continue
        patch[name] = patch_to(old, value) if isinstance(value, dict) and isinstance(old, dict) else _bare(value)
    return patch


def with_preconditions(patch: Json, head: Head) -> Json:
    """The patch, for that very state of that very object: Conflict where either has passed. Raises InvalidCall."""
    if not is_precondition(head.resource_version):
        raise InvalidCall(f"{head} has no resourceVersion: read it first, so that nothing is overwritten")
    meta = {**patch.get("metadata", {}), "resourceVersion": head.resource_version}
    return {**patch, "metadata": meta | ({"uid": head.uid} if head.uid else {})}


def apply_mutation(obj: object, mutate: Callable[[Json], object]) -> tuple[Json, Json]:
    """A copy of the object after `mutate`, and the patch for it.

    The return value of `mutate` is ignored. Raises InvalidCall where it turns the object into another one, or is async.
    """
    before = manifest_of(obj)
    after = copy.deepcopy(before)
    if hasattr(answer := mutate(after), "__await__"):
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        raise InvalidCall("a change must be a plain function of the manifest: await everything before it")
    for name in ("name", "namespace", "uid", "resourceVersion"):
        if metadata_of(after).get(name) != metadata_of(before).get(name):
            raise InvalidCall(f"a change may not touch metadata.{name}: it says which object is meant")
    return after, patch_to(before, after)


def _bare(value: Any) -> Any:
    """Without members that are None: in a merge patch they would be no values."""
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items() if each is not None}
    return value


def _same_types(one: Any, other: Any) -> bool:
    """True and 1 are equal in Python, but not in JSON."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_same_types(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return all(map(_same_types, one, other))
    return isinstance(one, bool) == isinstance(other, bool)
