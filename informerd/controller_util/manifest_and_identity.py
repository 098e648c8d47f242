"""Manifests of objects in any form, their identity, and the client that writes them."""

from __future__ import annotations

import copy
from typing import Any, Protocol, TypeVar, cast

import msgspec

from informerd.clients.official_models import to_body
from informerd.clients.resource_client import ResourceClient
from informerd.errors import InvalidCall, ObjectReplaced
from informerd.objects import Object
from informerd.unstructured import Json, metadata_of

T = TypeVar("T")


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
