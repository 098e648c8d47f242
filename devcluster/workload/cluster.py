"""The cluster as the workload's controllers see it: informers to read from, a client to write with."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Iterable
from typing import Any

from devcluster.workload.building import Json
from devcluster.workload.recorder import Recorder
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock
from informerd.errors import NotFound
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS, Resource
from informerd.rest.client import Client

NODES = Resource(version="v1", plural="nodes", kind="Node", namespaced=False)
DEPLOYMENTS = Resource(group="apps", version="v1", plural="deployments", kind="Deployment")
REPLICA_SETS = Resource(group="apps", version="v1", plural="replicasets", kind="ReplicaSet")
JOBS = Resource(group="batch", version="v1", plural="jobs", kind="Job")
LEASES = Resource(group="coordination.k8s.io", version="v1", plural="leases", kind="Lease")

WATCHED = (PODS, NODES, DEPLOYMENTS, REPLICA_SETS, JOBS, MYDEMOS)
OWN_WRITE_SECONDS = 5.0
"""How long a controller waits for its own write to come back before it goes on all the same."""

_OWNER = "owner"


class Cluster:
    """Shared by all controllers of one workload. Reads come from the informers' stores, as new dicts."""

    def __init__(self, client: Client, *, clock: Clock, rng: random.Random) -> None:
        self.client = client
        self.clock = clock
        self.rng = rng
        self.recorder = Recorder(client, clock=clock, rng=rng)
        self._factory = SharedInformerFactory(client, clock=clock)
        self._informers: dict[str, SharedInformer[Object]] = {r.key: self._factory.informer(r) for r in WATCHED}
        for informer in self._informers.values():
            informer.store.add_index(_OWNER, lambda obj: [owner.uid for owner in obj.metadata.owner_references])

    async def start(self) -> None:
        """Start the informers and wait until they have seen everything."""
        self._factory.start()
        for informer in self._informers.values():
            await informer.wait_for_sync()

    async def stop(self) -> None:
        """End the informers."""
        await self._factory.stop()

    def on_change(self, resource: Resource, tell: Callable[[Object], None]) -> None:
        """Call `tell` with every object of a resource that is there, comes, changes or goes."""
        handler: HandlerFunctions[Object] = HandlerFunctions(
            on_add=lambda obj, _: tell(obj), on_update=lambda _, new: tell(new), on_delete=lambda obj, _: tell(obj)
        )
        self.add_handler(resource, handler)

    def add_handler(self, resource: Resource, handler: HandlerFunctions[Object]) -> None:
        """Tell `handler` of a resource's objects."""
        self._informers[resource.key].add_handler(handler)

    def get(self, resource: Resource, key: str) -> Json | None:
        """A whole object by ``namespace/name``."""
        found = self._informers[resource.key].store.get(key)
        return None if found is None else found.full()

    def all(self, resource: Resource, namespace: str = "") -> list[Json]:
        """Whole objects, in the order of their keys."""
        store = self._informers[resource.key].store
        chosen: Iterable[Object] = (obj for obj in store if not namespace or obj.metadata.namespace == namespace)
        return [obj.full() for obj in sorted(chosen, key=lambda obj: obj.key)]

    def owned(self, resource: Resource, uid: str) -> list[Json]:
        """Whole objects that name `uid` as an owner, in the order of their keys."""
        found = self._informers[resource.key].store.by_index(_OWNER, uid)
        return [obj.full() for obj in sorted(found, key=lambda obj: obj.key)]

    async def create(self, resource: Resource, obj: Json) -> Json:
        """Create, and wait until the informer has seen it."""
        answer = await self.client.create(resource, obj, field_manager="demo", field_validation="Ignore")
        created: Json = answer.json()
        await self._seen(resource, created)
        return created

    async def patch(self, resource: Resource, obj: Json, patch: Json, *, status: bool = False) -> None:
        """Merge a patch into what is there, and wait until the informer has seen it. Gone already: nothing."""
        meta = obj["metadata"]
        with contextlib.suppress(NotFound):
            answer = await self.client.patch(
                resource, meta["name"], meta.get("namespace", ""), patch,
                subresource="status" if status else "", field_manager="demo", field_validation="Ignore",
            )  # fmt: skip
            await self._seen(resource, answer.json())

    async def delete(self, resource: Resource, obj: Json, *, grace: int | None = None) -> None:
        """Delete this very object, and wait until the informer has seen it. Gone already: nothing."""
        meta = obj["metadata"]
        with contextlib.suppress(NotFound):
            answer = await self.client.delete(
                resource, meta["name"], meta.get("namespace", ""), uid=meta["uid"], grace_period=grace,
                propagation_policy="Background",
            )  # fmt: skip
            await self._seen(resource, answer.json())

    async def bind(self, pod: Json, node: str) -> None:
        """Put a pod on a node."""
        meta = pod["metadata"]
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"]}, "target": target}
        path = PODS.path(meta["namespace"], meta["name"], "binding")
        with contextlib.suppress(NotFound):
            await self.client.request("POST", path, body=binding)

    async def _seen(self, resource: Resource, obj: dict[str, Any]) -> None:
        informer = self._informers.get(resource.key)
        version = obj["metadata"].get("resourceVersion")
        if informer is not None and version:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(OWN_WRITE_SECONDS):
                    await informer.wait_for(version)
