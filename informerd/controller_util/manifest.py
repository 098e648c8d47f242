"""Manifests of objects in any form, and merge patches of their changes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

import msgspec

from informerd.clients.resource_client import ResourceClient
from informerd.errors import InvalidCall, ObjectReplaced
from informerd.objects import Object
from informerd.rest.request import Json, is_precondition, metadata_of

T = TypeVar("T")
T_co = TypeVar("T_co")


class Verbs(Protocol[T]):
    """Verbs that write objects of one kind: a `ResourceClient`, or a manager's kind."""

    def in_namespace(self, namespace: str) -> ResourceClient[T]:
        """The verbs in one namespace, "" for what is cluster-scoped."""
        ...


class Head(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Identity of an object."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None
    generation: int = 0
    finalizers: tuple[str, ...] = ()
    kind: str = ""
    api_version: str = ""

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place}" if self.kind else place


def manifest_of(obj: object) -> Json:
    """A copy of the object as a dict that may be changed: from a dict, a projection or an official model.

    Raises InvalidCall for any other value, and for a projection without a full copy.
    """
    if isinstance(obj, dict):
        metadata_of(obj)
        return copy.deepcopy(obj)
    if isinstance(obj, Object):
        if obj.blob is None:
            raise InvalidCall(f"there is no full copy of {obj.key}: read it from the API server")
        return obj.full()
    if hasattr(obj, "openapi_types"):
        from informerd.clients.official_models import to_body  # whoever has a model has paid for the import already

        return to_body(cast("Any", obj))
    raise InvalidCall(f"{type(obj).__name__} is not an object that can be written")


def head_of(obj: object) -> Head:
    """Identity of an object. Raises InvalidCall for a value that is not an object, or has no name."""
    if isinstance(obj, Object):
        meta: Json = msgspec.to_builtins(obj.metadata)
        types = {"kind": obj.kind, "apiVersion": obj.api_version}
    else:
        manifest = obj if isinstance(obj, dict) else manifest_of(obj)
        meta = metadata_of(manifest)
        types = {name: manifest.get(name) or "" for name in ("kind", "apiVersion")}
    known = {name: value for name, value in meta.items() if value is not None}
    try:
        head = msgspec.convert({**known, **types}, Head)
    except msgspec.ValidationError as error:
        raise InvalidCall(f"the object's metadata cannot be read: {error}") from error
    if not head.name:
        raise InvalidCall("an object to be written needs a name")
    return head


def client_for(verbs: Verbs[T], head: Head) -> ResourceClient[T]:
    """The verbs for an object, in its namespace; where it says none, in that of the ResourceClient that is given.

    Raises InvalidCall where they are of another namespace.
    """
    if isinstance(verbs, ResourceClient) and verbs.namespace:
        if head.namespace not in {"", verbs.namespace}:
            raise InvalidCall(f"{head} is not in the namespace {verbs.namespace} of this client: use another client")
        return verbs
    return verbs.in_namespace(head.namespace)


def check_same(before: Head, now: Head) -> None:
    """Raises ObjectReplaced where a name means another object by now. Without a uid, anything is meant."""
    if before.uid and now.uid != before.uid:
        raise ObjectReplaced(str(before), before.uid, now.uid)


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
