"""Deletion, with preconditions, grace periods, finalizers and propagation policies.

Source: apiserver's registry/generic/registry/store.go (Delete, deletionFinalizersForGarbageCollection) and
registry/rest/delete.go. The effects of a deletion on dependents and namespaces' contents are in cleanup_controllers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from devcluster.server.api_errors import conflict, forbidden, not_found
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind
from devcluster.server.registry.verbs import VerbResult
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Record, Store
from devcluster.server.times import timestamp

FOREGROUND_FINALIZER = "foregroundDeletion"
ORPHAN_FINALIZER = "orphan"
CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that holds a definition being deleted until its objects are gone."""

_RETURN_OBJECT = ("pods", "services", "serviceaccounts")
_FIXED_NAMESPACES = ("default", "kube-system", "kube-public")
_FINISHED = ("Succeeded", "Failed")


class Deletion:
    """The delete verb on one store. `now` gives Unix seconds."""

    def __init__(self, store: Store, *, now: Callable[[], float]) -> None:
        self._store = store
        self._now = now

    def delete(self, kind: Kind, namespace: str, name: str, options: DeleteOptions) -> VerbResult:
        """Delete, or mark as being deleted where grace or finalizers hold it. Raises Failure: 403, 404, 409."""
        record = self._store.get(kind.key, (namespace if kind.namespaced else "", name))
        if record is None:
            raise not_found(kind, name)
        _check_preconditions(kind, record, options)
        if kind.key == "namespaces" and name in _FIXED_NAMESPACES:
            raise forbidden(kind, name, "this namespace may not be deleted")
        obj = objects.decode(record)
        return self._delete(kind, record, obj, options)

    def _delete(self, kind: Kind, record: Record, obj: Object, options: DeleteOptions) -> VerbResult:
        grace = self._grace(kind, obj, options)
        finalizers = _finalizers(kind, obj, options)
        meta = obj["metadata"]
        waits = bool(finalizers or grace or kind.key == "namespaces")
        nothing_new = finalizers == (meta.get("finalizers") or []) and grace >= meta.get(
            "deletionGracePeriodSeconds", 0
        )
        if record.deleting and waits and nothing_new:
            return VerbResult(200, record.raw)
        if finalizers:
            meta["finalizers"] = finalizers
        self._mark(kind, obj, grace)
        if options.dry_run:
            stored = objects.make_record(obj, kind, record.revision)
            return VerbResult(200, stored.raw if waits or kind.key in _RETURN_OBJECT else _success(kind, record))
        written = objects.encode(obj, kind, self._store.next_revision)
        if waits:
            self._store.put(kind.key, written)
            return VerbResult(200, written.raw)
        if kind.key == "pods":  # as by the real server, whoever watches is told that the grace period is over first
            self._store.put(kind.key, written)
            written = objects.with_revision(written, self._store.next_revision)
        self._store.remove(kind.key, written)
        return VerbResult(200, written.raw if kind.key in _RETURN_OBJECT else _success(kind, record))

    def _mark(self, kind: Kind, obj: Object, grace: int) -> None:
        meta = obj["metadata"]
        if kind.key == "namespaces":
            obj["status"] = {**(obj.get("status") or {}), "phase": "Terminating"}
        if "deletionTimestamp" not in meta:
            if meta.get("generation"):
                meta["generation"] += 1
            meta["deletionTimestamp"] = timestamp(self._now() + grace)
        elif grace < meta.get("deletionGracePeriodSeconds", 0):
            meta["deletionTimestamp"] = timestamp(self._now() + grace)
        if kind.key != "namespaces":
            meta["deletionGracePeriodSeconds"] = grace

    @staticmethod
    def _grace(kind: Kind, obj: Object, options: DeleteOptions) -> int:
        """Seconds until the object may go; only pods have any."""
        if kind.key != "pods":
            return 0
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        if not spec.get("nodeName") or status.get("phase") in _FINISHED:
            return 0
        requested = options.grace_seconds
        seconds: int = spec.get("terminationGracePeriodSeconds", 30) if requested is None else requested
        return seconds if seconds >= 0 else 1


def _finalizers(kind: Kind, obj: Object, options: DeleteOptions) -> list[str]:
    finalizers = [
        name for name in obj["metadata"].get("finalizers") or [] if name not in (FOREGROUND_FINALIZER, ORPHAN_FINALIZER)
    ]
    if kind is CUSTOM_RESOURCE_DEFINITIONS and CLEANUP_FINALIZER not in finalizers:
        finalizers.append(CLEANUP_FINALIZER)
    present = [
        name for name in obj["metadata"].get("finalizers") or [] if name in (FOREGROUND_FINALIZER, ORPHAN_FINALIZER)
    ]
    if options.propagation_policy == "Foreground":
        return [*finalizers, FOREGROUND_FINALIZER]
    if options.propagation_policy == "Orphan":
        return [*finalizers, ORPHAN_FINALIZER]
    return finalizers if options.propagation_policy == "Background" else finalizers + present


def _check_preconditions(kind: Kind, record: Record, options: DeleteOptions) -> None:
    name = record.key[1]
    if options.uid and options.uid != record.uid:
        why = (
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({record.uid}). "
            "The object might have been deleted and then recreated"
        )
        raise conflict(kind, name, why, by_kind=True)
    if options.version and options.version != str(record.revision):
        why = (
            f"the ResourceVersion in the precondition ({options.version}) does not match the ResourceVersion in record "
            f"({record.revision}). The object might have been modified"
        )
        raise conflict(kind, name, why, by_kind=True)


def _success(kind: Kind, record: Record) -> bytes:
    details: dict[str, Any] = {"name": record.key[1], "group": kind.group, "kind": kind.plural, "uid": record.uid}
    details = {key: value for key, value in details.items() if value}
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
    return msgspec.json.encode(body)
