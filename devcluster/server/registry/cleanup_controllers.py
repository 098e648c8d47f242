"""Controllers that clean up: garbage collector, namespaces, definitions, pods' grace periods, Events' TTL, in the
simplest form that keeps their promises.

* An object whose owners are all gone is deleted; so is one whose owner never existed.
* ``foregroundDeletion`` holds an owner until its dependents are gone; ``orphan`` removes it from their references.
* A namespace that is being deleted is emptied, then removed; so is a CustomResourceDefinition with its objects.
* A pod is removed when its grace period is over, unless a kubelet (the workload) removed it before.
* Events expire after an hour, as with --event-ttl; beyond 20,000 events the oldest are removed.
"""

from __future__ import annotations

import asyncio
import calendar
import contextlib
import time
from collections.abc import Callable

from devcluster.server.api_errors import Failure
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS, Kind, ServedKinds
from devcluster.server.registry.deletion import CLEANUP_FINALIZER, FOREGROUND_FINALIZER, ORPHAN_FINALIZER, Deletion
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.store import Change, Key, Record, Store

EVENT_TTL_SECONDS = 3600.0
"""Seconds for which a Kubernetes Event is stored after its last change."""
MAX_EVENTS = 20_000
"""The limit exists because everything is in memory."""

_NOW = DeleteOptions(grace_seconds=0)


class GarbageCollector:
    """Collects on one store: `collect` does what is due at `now()` (Unix seconds); `run` calls it as things change."""

    def __init__(self, store: Store, registry: ServedKinds, deletion: Deletion, *, now: Callable[[], float]) -> None:
        self._store = store
        self._registry = registry
        self._deletion = deletion
        self._now = now
        self._suspects: set[tuple[str, Key]] = set()
        self._pods: dict[Key, float] = {}
        """When the grace period of each pod being deleted ends, in Unix seconds."""
        self._events: dict[Key, float] = {}
        """When each was changed last, in Unix seconds; in this order."""
        self._woken = asyncio.Event()
        self._watched: dict[str, Callable[[], None]] = {}
        """Watched kinds, and the function that ends each watch."""
        self._watch_buckets()
        registry.on_change(self._watch_buckets)

    async def run(self, *, interval: float = 1.0) -> None:
        """Collect until cancelled: at once after a deletion, and every `interval` seconds."""
        while True:
            self.collect()
            self._woken.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(interval):
                    await self._woken.wait()

    def collect(self) -> None:
        """Do all that is due."""
        self._expire_events()
        self._end_pods()
        while self._suspects:
            bucket, key = self._suspects.pop()
            kind = self._registry.bucket(bucket)
            record = self._store.get(bucket, key)
            if kind is not None and record is not None:
                self._examine(kind, record)

    def _watch_buckets(self) -> None:
        served = {kind.key: kind for kind in self._registry}
        for gone in self._watched.keys() - served.keys():
            self._watched.pop(gone)()
        for kind in served.values():
            if kind.key not in self._watched:
                self._watched[kind.key] = self._store.listen(kind.key, self._notice)
                for record in self._store.records(kind.key).values():
                    self._notice_record(kind.key, record)

    def _notice(self, change: Change) -> None:
        record = change.record
        if change.operation != "DELETED":
            self._notice_record(change.bucket, record)
            return
        self._pods.pop(record.key, None) if change.bucket == "pods" else None
        self._events.pop(record.key, None) if change.bucket == "events" else None
        for owner in record.owners:
            self._suspect_owner(owner)
        for dependent in self._store.dependents(record.uid):
            self._suspect(*dependent)
        self._suspect_container(change.bucket, record)

    def _notice_record(self, bucket: str, record: Record) -> None:
        if bucket == "events":
            self._events.pop(record.key, None)
            self._events[record.key] = self._now()
        elif bucket == "pods" and record.deleting:
            self._pods[record.key] = _deadline(objects.decode(record))
        if record.deleting or any(not self._store.has_uid(owner) for owner in record.owners):
            self._suspect(bucket, record.key)

    def _suspect(self, bucket: str, key: Key) -> None:
        self._suspects.add((bucket, key))
        self._woken.set()

    def _suspect_owner(self, uid: str) -> None:
        place = self._store.locate(uid)
        if place is not None:
            self._suspect(*place)

    def _suspect_container(self, bucket: str, record: Record) -> None:
        """The namespace or definition that may have been waiting for this object to go."""
        if record.key[0]:
            self._suspect("namespaces", ("", record.key[0]))
        self._suspect(CUSTOM_RESOURCE_DEFINITIONS.key, ("", bucket))

    def _examine(self, kind: Kind, record: Record) -> None:
        if not record.deleting:
            if record.owners and not any(self._store.has_uid(owner) for owner in record.owners):
                self._delete(kind, record)
            return
        obj = objects.decode(record)
        finalizers = obj["metadata"].get("finalizers") or []
        if FOREGROUND_FINALIZER in finalizers:
            self._delete_dependents(record)
            if not self._store.dependents(record.uid):
                self._release(kind, record, FOREGROUND_FINALIZER)
        elif ORPHAN_FINALIZER in finalizers:
            self._orphan_dependents(record)
            self._release(kind, record, ORPHAN_FINALIZER)
        elif kind.key == "namespaces":
            self._empty_namespace(kind, record)
        elif kind is CUSTOM_RESOURCE_DEFINITIONS and CLEANUP_FINALIZER in finalizers:
            self._empty_definition(kind, record)

    def _delete(self, kind: Kind, record: Record, options: DeleteOptions | None = None) -> None:
        try:
            self._deletion.delete(
                kind, record.key[0], record.key[1], options or DeleteOptions(propagation_policy="Background")
            )
        except Failure as failure:
            if failure.code != 404:
                raise

    def _delete_dependents(self, record: Record) -> None:
        for bucket, key in self._store.dependents(record.uid):
            kind, dependent = self._registry.bucket(bucket), self._store.get(bucket, key)
            if kind is None or dependent is None:
                continue
            if any(self._stays(uid) for uid in dependent.owners if uid != record.uid):
                self._disown(kind, dependent, record.uid)
            elif not dependent.deleting:
                self._delete(kind, dependent, DeleteOptions(propagation_policy="Foreground"))

    def _stays(self, uid: str) -> bool:
        """Whether an owner exists and is not being deleted."""
        place = self._store.locate(uid)
        owner = self._store.get(*place) if place is not None else None
        return owner is not None and not owner.deleting

    def _orphan_dependents(self, record: Record) -> None:
        for bucket, key in self._store.dependents(record.uid):
            kind, dependent = self._registry.bucket(bucket), self._store.get(bucket, key)
            if kind is not None and dependent is not None:
                self._disown(kind, dependent, record.uid)

    def _disown(self, kind: Kind, dependent: Record, uid: str) -> None:
        """Remove an owner from the ownerReferences of `dependent`."""
        obj = objects.decode(dependent)
        owners = [owner for owner in obj["metadata"]["ownerReferences"] if owner["uid"] != uid]
        obj["metadata"]["ownerReferences"] = owners
        self._store.put(kind.key, objects.encode(obj, kind, self._store.next_revision))

    def _release(self, kind: Kind, record: Record, finalizer: str) -> None:
        """Take a finalizer away; without any left, and its time over, the object goes."""
        obj = objects.decode(record)
        left = [name for name in obj["metadata"].get("finalizers") or [] if name != finalizer]
        obj["metadata"]["finalizers"] = left
        written = objects.encode(obj, kind, self._store.next_revision)
        if left or obj["metadata"].get("deletionGracePeriodSeconds"):
            self._store.put(kind.key, written)
        else:
            self._store.remove(kind.key, written)

    def _empty_namespace(self, kind: Kind, record: Record) -> None:
        """Delete the namespace's objects, or the namespace once it has none. Each removal makes it suspect again."""
        name, empty = record.key[1], True
        for inner in self._inner_kinds():
            for content in [each for each in self._store.records(inner.key).values() if each.key[0] == name]:
                empty = False
                if not content.deleting:
                    self._delete(inner, content)
        if empty:
            self._end_namespace(kind, record)

    def _end_namespace(self, kind: Kind, record: Record) -> None:
        """Remove an emptied namespace, or wait for the finalizers of others."""
        obj = objects.decode(record)
        if not obj["metadata"].get("finalizers"):
            self._store.remove(kind.key, objects.with_revision(record, self._store.next_revision))
        elif obj["spec"].pop("finalizers", None):
            self._store.put(kind.key, objects.encode(obj, kind, self._store.next_revision))

    def _inner_kinds(self) -> list[Kind]:
        return list({kind.key: kind for kind in self._registry if kind.namespaced}.values())

    def _empty_definition(self, kind: Kind, record: Record) -> None:
        """Delete its objects, or let the definition go once there are none."""
        bucket = record.key[1]
        instances = list(self._store.records(bucket).values())
        served = self._registry.bucket(bucket)
        for instance in instances:
            if served is not None and not instance.deleting:
                self._delete(served, instance)
        if not instances:
            self._release(kind, record, CLEANUP_FINALIZER)

    def _expire_events(self) -> None:
        kind = self._registry.bucket("events")
        now = self._now()
        while self._events:
            key, seen = next(iter(self._events.items()))
            if now - seen < EVENT_TTL_SECONDS and len(self._events) <= MAX_EVENTS:
                return
            del self._events[key]
            record = self._store.get("events", key)
            if kind is not None and record is not None:
                self._delete(kind, record, _NOW)

    def _end_pods(self) -> None:
        kind = self._registry.bucket("pods")
        now = self._now()
        for key in [key for key, deadline in self._pods.items() if now >= deadline]:
            record = self._store.get("pods", key)
            if kind is not None and record is not None:
                self._delete(kind, record, _NOW)


def _deadline(obj: objects.Object) -> float:
    """When the object's grace period ends, in Unix seconds."""
    text = obj["metadata"]["deletionTimestamp"]
    return float(calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")))
