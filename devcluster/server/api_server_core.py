"""API server without HTTP: its parts, wired together for the HTTP layer and the seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from devcluster.server.builtin_definitions import BuiltinTypes
from devcluster.server.codec.protobuf import Messages
from devcluster.server.kinds import ALWAYS_SERVED, CUSTOM_RESOURCE_DEFINITIONS, Kind, ServedKinds, served_kinds_of
from devcluster.server.registry.cleanup_controllers import GarbageCollector
from devcluster.server.registry.deletion import Deletion
from devcluster.server.registry.eviction import Evictions
from devcluster.server.registry.verbs import Verbs
from devcluster.server.request_options import WriteOptions
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.store import Change, Store

FIRST_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")


class ApiServer:
    """One API server without HTTP: a store with its verbs, kinds and garbage collector. `now` gives Unix seconds.

    A new one holds the four namespaces that every cluster has.
    """

    def __init__(self, *, now: Callable[[], float], rng: random.Random, store: Store | None = None) -> None:
        self.now = now
        self.store = store or Store()
        self.served_kinds = ServedKinds()
        self.builtin_types = BuiltinTypes.load()
        self.messages = Messages.load()
        self.verbs = Verbs(self.store, self.builtin_types, now=now, rng=rng)
        self.deletion = Deletion(self.store, now=now)
        self.evictions = Evictions(self.store, self.deletion, now=now)
        self.garbage_collector = GarbageCollector(self.store, self.served_kinds, self.deletion, now=now)
        self.store.listen(CUSTOM_RESOURCE_DEFINITIONS.key, self._serve_definition)
        for name in FIRST_NAMESPACES:
            self.create(self.kind("namespaces"), "", {"metadata": {"name": name}})

    def kind(self, key: str) -> Kind:
        """The kind stored under ``plural`` or ``plural.group``. Raises LookupError."""
        bucket = self.served_kinds.bucket(key)
        if bucket is None:
            raise LookupError(f"{key} is not served")
        return bucket

    def create(self, kind: Kind, namespace: str, obj: Object) -> None:
        """Create as a client would. Raises Failure."""
        self.verbs.create(kind, namespace, obj, WriteOptions(field_validation="Strict"))

    def put_seed_object(self, kind: Kind, obj: Object, *, check: bool = True) -> Object:
        """Store an object with a past and a status of its own: given are at least name, namespace, creationTimestamp.

        Defaults are filled in; uid and generation where they are missing. What is stored already is replaced. The
        object as stored. Raises Failure where it is invalid; unchecked, as one of many that are alike may be, it must
        have kind and apiVersion and be valid.
        """
        self.verbs.fill_for_seed(kind, obj, check=check)
        record = objects.encode(obj, kind, self.store.next_revision)
        self.store.put(kind.key, record)
        return objects.decode(record)

    def _serve_definition(self, change: Change) -> None:
        obj = objects.decode(change.record)
        spec = obj["spec"]
        if any(kind.group == spec["group"] for kind in ALWAYS_SERVED):
            return
        kinds = () if change.operation == "DELETED" else served_kinds_of(obj)
        self.served_kinds.replace(spec["group"], spec["names"]["plural"], kinds)
