"""Checks before a write: name and namespace, uid, resource version, size, and a namespace that accepts objects."""

from __future__ import annotations

from devcluster.server.api_errors import (
    FieldError,
    bad_request,
    conflict,
    forbidden,
    invalid_as,
    invalid_value,
    not_found,
    object_modified,
    plain_error,
)
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, Kind
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Record, Store

MAX_STORED_BYTES = 3 << 19
"""Bytes of an object's JSON: a body may be twice as long, and patches could make an object ever longer."""


def check_request_namespace(kind: Kind, namespace: str, obj: Object) -> None:
    """Check that the object's namespace is the request's. Raises Failure (400)."""
    given = obj["metadata"].get("namespace")
    if given and given != (namespace if kind.namespaced else ""):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")


def check_identity(kind: Kind, namespace: str, name: str, obj: Object) -> None:
    """Check that the object is the one that the path names. Raises Failure (400)."""
    given = obj["metadata"].get("name", "")
    if not given:
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if given != name:
        raise bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")
    check_request_namespace(kind, namespace, obj)


def check_namespace(store: Store, kind: Kind, namespace: str, obj: Object) -> None:
    """Check that the namespace accepts new objects. Raises Failure (404, 403)."""
    if not kind.namespaced:
        return
    record = store.get(NAMESPACES.key, ("", namespace))
    if record is None:
        raise not_found(NAMESPACES, namespace)
    if record.deleting:
        ending = f"namespace {namespace} is being terminated"
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        cause = FieldError("metadata.namespace", "NamespaceTerminating", ending)
        raise forbidden(kind, obj["metadata"].get("name", ""), why, [cause])


def check_version(kind: Kind, name: str, resource_version: str, record: Record) -> None:
    """Check that the resourceVersion of a write is the present one. Raises Failure (409, 422, 500)."""
    if not resource_version or resource_version == "0":
        if kind.allows_unconditional_update:
            return
        error = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
        details = {"name": name, "group": kind.group, "kind": kind.plural}
        raise invalid_as(kind.key, name, [error], {key: value for key, value in details.items() if value})
    if not (resource_version.isascii() and resource_version.isdigit()):
        raise plain_error(f'strconv.ParseUint: parsing "{resource_version}": invalid syntax')
    if int(resource_version) != record.revision:
        raise object_modified(kind, name)


def check_size(record: Record) -> None:
    """Check that an object is small enough to be stored, as with etcd's --max-request-bytes. Raises Failure (500)."""
    if len(record.raw) > MAX_STORED_BYTES:
        raise plain_error("etcdserver: request is too large")


def check_uid(kind: Kind, obj: Object, record: Record, *, dry_run: bool) -> None:
    """Check that an update is for the present object and not an earlier one of its name. Raises Failure (409)."""
    uid = obj["metadata"].get("uid")
    if not uid or uid == record.uid:
        return
    root = "" if dry_run else "/registry"
    group = kind.group if kind.custom or kind is CUSTOM_RESOURCE_DEFINITIONS else ""
    place = {"nodes": "minions", "services": "services/specs"}.get(kind.key, kind.plural)
    path = "/".join((root, *(part for part in (group, place, *record.key) if part)))
    why = (
        f"StorageError: invalid object, Code: 4, Key: {path}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: UID in precondition: {uid}, UID in object meta: {record.uid}"
    )
    raise conflict(kind, record.key[1], why)
