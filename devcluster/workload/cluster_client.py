"""Typed access to the cluster for the workload's controllers: reads from informers, writes through a client."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Generic, TypeVar

from devcluster.workload.api_types import (
    Budget,
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    Mydemo,
    Node,
    Pod,
    ReplicaSet,
    StatefulSet,
)
from devcluster.workload.object_builders import Json
from devcluster.workload.random_source import RandomSource
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.shared_informer import SharedInformer
from informerd.clock import Clock
from informerd.controller.request import Request
from informerd.errors import NotFound
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS, Resource
from informerd.rest.client import Client

BUDGETS = Resource(group="policy", version="v1", plural="poddisruptionbudgets", kind="PodDisruptionBudget")
NODES = Resource(version="v1", plural="nodes", kind="Node", namespaced=False)
DEPLOYMENTS = Resource(group="apps", version="v1", plural="deployments", kind="Deployment")
REPLICA_SETS = Resource(group="apps", version="v1", plural="replicasets", kind="ReplicaSet")
JOBS = Resource(group="batch", version="v1", plural="jobs", kind="Job")
CRON_JOBS = Resource(group="batch", version="v1", plural="cronjobs", kind="CronJob")
STATEFUL_SETS = Resource(group="apps", version="v1", plural="statefulsets", kind="StatefulSet")
DAEMON_SETS = Resource(group="apps", version="v1", plural="daemonsets", kind="DaemonSet")
LEASES = Resource(group="coordination.k8s.io", version="v1", plural="leases", kind="Lease")

OWN_WRITE_SECONDS = 5.0
"""Seconds for which a controller waits for its own write to show in the cache before it continues."""
OWNER_INDEX, NODE_INDEX, APP_INDEX, ORPHANS_INDEX = "owner", "node", "app", "orphans"
"""Indexes: by the owners' uids; pods by their node; by the label app; by namespace, those that nobody controls."""

T = TypeVar("T", bound=Object)


class KindClient(Generic[T]):
    """One kind: read from an informer's store, written to the API server. A write returns once the store has it."""

    def __init__(self, resource: Resource, informer: SharedInformer[T], client: Client) -> None:
        self.resource = resource
        self.informer = informer
        self._client = client
        informer.add_index(OWNER_INDEX, lambda obj: [owner.uid for owner in obj.metadata.owner_references])
        informer.add_index(ORPHANS_INDEX, _where_orphaned)
        informer.add_index(APP_INDEX, lambda obj: [f"{obj.metadata.namespace}/{obj.metadata.labels.get('app', '')}"])

    def get(self, request: Request | str) -> T | None:
        """An object by request or key."""
        return self.informer.store.get(request if isinstance(request, str) else request.key)

    def all(self) -> list[T]:
        """All objects, in the order of their keys: for kinds with few of them."""
        return sorted(self.informer.store, key=lambda obj: obj.key)

    def owned_by(self, uid: str) -> list[T]:
        """The objects that name `uid` as an owner, in no order."""
        return self.informer.store.by_index(OWNER_INDEX, uid)

    def by_index(self, index: str, value: str) -> list[T]:
        """The objects of an index, in the order of their keys."""
        return sorted(self.informer.store.by_index(index, value), key=lambda obj: obj.key)

    async def create(self, body: Json) -> T | None:
        """Create it; returns the object from the store, None where it has been removed meanwhile."""
        answer = await self._client.create(self.resource, body, field_manager="demo", field_validation="Ignore")
        made: Json = answer.json()
        await self.wait_until_cached(made)
        return self.get(_key(made))

    async def patch(self, obj: T, patch: Json, *, status: bool = False) -> None:
        """Merge a patch into this very object; does nothing where it is gone."""
        meta = obj.metadata
        whole = {**patch, "metadata": {**patch.get("metadata", {}), "uid": meta.uid}}
        with contextlib.suppress(NotFound):
            answer = await self._client.patch(
                self.resource, meta.name, meta.namespace, whole, subresource="status" if status else "",
                field_manager="demo", field_validation="Ignore",
            )  # fmt: skip
            await self.wait_until_cached(answer.json())

    async def merge(self, obj: T, metadata: Json) -> None:
        """Merge lists and maps of its metadata by their keys into this very object; does nothing where it is gone."""
        meta = obj.metadata
        with contextlib.suppress(NotFound):
            answer = await self._client.patch(
                self.resource, meta.name, meta.namespace, {"metadata": {**metadata, "uid": meta.uid}}, "strategic",
                field_manager="demo", field_validation="Ignore",
            )  # fmt: skip
            await self.wait_until_cached(answer.json())

    async def replace(self, obj: T, values: dict[str, Any]) -> None:
        """Replace parts of this very object, each named by a JSON pointer; does nothing where it is gone."""
        meta = obj.metadata
        steps = [{"op": "test", "path": "/metadata/uid", "value": meta.uid}]
        steps += [{"op": "add", "path": path, "value": value} for path, value in values.items()]
        with contextlib.suppress(NotFound):
            answer = await self._client.patch(
                self.resource, meta.name, meta.namespace, steps, "json", field_manager="demo", field_validation="Ignore"
            )
            await self.wait_until_cached(answer.json())

    async def delete(self, obj: T, *, grace: int | None = None) -> None:
        """Delete this very object; does nothing where it is gone."""
        meta = obj.metadata
        with contextlib.suppress(NotFound):
            answer = await self._client.delete(
                self.resource, meta.name, meta.namespace, uid=meta.uid, grace_period=grace,
                propagation_policy="Background",
            )  # fmt: skip
            await self.wait_until_cached(answer.json())

    async def wait_until_cached(self, obj: dict[str, Any]) -> None:
        """Wait until the store has an object's version, or OWN_WRITE_SECONDS."""
        version = (obj.get("metadata") or {}).get("resourceVersion")
        if version:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(OWN_WRITE_SECONDS):
                    await self.informer.wait_for(version)


class Cluster:
    """Shared by all controllers of one workload."""

    def __init__(self, client: Client, *, clock: Clock, random_source: RandomSource) -> None:
        self.client = client
        self.clock = clock
        self.random_source = random_source
        self._factory = SharedInformerFactory(client, clock=clock)
        self.pods = self._kind(PODS, Pod)
        self.nodes = self._kind(NODES, Node)
        self.deployments = self._kind(DEPLOYMENTS, Deployment)
        self.replica_sets = self._kind(REPLICA_SETS, ReplicaSet)
        self.jobs = self._kind(JOBS, Job)
        self.cron_jobs = self._kind(CRON_JOBS, CronJob)
        self.stateful_sets = self._kind(STATEFUL_SETS, StatefulSet)
        self.daemon_sets = self._kind(DAEMON_SETS, DaemonSet)
        self.budgets = self._kind(BUDGETS, Budget)
        self.mydemos = self._kind(MYDEMOS, Mydemo)
        self.pods.informer.add_index(NODE_INDEX, lambda pod: [pod.spec.node_name])

    def _kind(self, resource: Resource, projection: type[T]) -> KindClient[T]:
        return KindClient(resource, self._factory.informer(resource, projection), self.client)

    @property
    def revision(self) -> int:
        """The version of the newest change of a pod that was seen: the demo server counts all changes by it."""
        return int(self.pods.informer.store.resource_version or 0)

    def start(self) -> None:
        """Start the informers."""
        self._factory.start()

    async def wait_for_sync(self) -> None:
        """Wait until they have seen everything."""
        await self._factory.wait_for_cache_sync()

    async def stop(self) -> None:
        """End the informers."""
        await self._factory.stop()

    async def bind(self, pod: Pod, node: str) -> None:
        """Bind a pod to a node."""
        meta = pod.metadata
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta.name}, "target": target}
        with contextlib.suppress(NotFound):
            await self.client.request("POST", PODS.path(meta.namespace, meta.name, "binding"), body=binding)


def _where_orphaned(obj: Object) -> list[str]:
    """Its namespace, where nobody controls it."""
    return [] if any(each.controller for each in obj.metadata.owner_references) else [obj.metadata.namespace]


def _key(obj: Json) -> str:
    meta = obj["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else str(meta["name"])
