"""ReplicaSets: as many pods as asked for, new ones for those that went, and their status."""

from __future__ import annotations

from devcluster.workload import building
from devcluster.workload.building import BEHAVIOUR, Json
from devcluster.workload.cluster import REPLICA_SETS, Cluster
from devcluster.workload.queue import DueQueue
from devcluster.workload.teams import APPS, App, Flaw
from informerd.objects import Object
from informerd.resource import PODS

SOURCE = "replicaset-controller"
_FINISHED = ("Succeeded", "Failed")


class ReplicaSetController:
    """Reconciles every ReplicaSet."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._apps: dict[tuple[str, str], App] = {(app.namespace, app.name): app for app in APPS}
        self._queue = DueQueue(cluster.clock)
        cluster.on_change(REPLICA_SETS, lambda obj: self._queue.add(obj.key))
        cluster.on_change(PODS, self._owner_changed)

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    def _owner_changed(self, obj: Object) -> None:
        for owner in obj.metadata.owner_references:
            if owner.kind == "ReplicaSet":
                self._queue.add(f"{obj.metadata.namespace}/{owner.name}")

    async def reconcile(self, key: str) -> None:
        """Create or delete what is missing or too much, and write the status."""
        replica_set = self._cluster.get(REPLICA_SETS, key)
        if replica_set is None or "deletionTimestamp" in replica_set["metadata"]:
            return
        pods = self._living(replica_set)
        missing = replica_set["spec"]["replicas"] - len(pods)
        if missing > 0:
            await self._create(replica_set, pods, missing)
        elif missing < 0:
            await self._delete(replica_set, pods, -missing)
        await self._write_status(replica_set)

    def _living(self, replica_set: Json) -> list[Json]:
        return [
            pod
            for pod in self._cluster.owned(PODS, replica_set["metadata"]["uid"])
            if "deletionTimestamp" not in pod["metadata"] and pod.get("status", {}).get("phase") not in _FINISHED
        ]

    async def _create(self, replica_set: Json, pods: list[Json], number: int) -> None:
        reference = building.owner("ReplicaSet", "apps/v1", replica_set)
        flaw, room = self._flaw(replica_set, pods)
        for position in range(number):
            body = building.pod(replica_set, reference, flaw=flaw if position < room else "")
            created = await self._cluster.create(PODS, body)
            message = f"Created pod: {created['metadata']['name']}"
            await self._cluster.recorder.normal(replica_set, SOURCE, "SuccessfulCreate", message)

    def _flaw(self, replica_set: Json, pods: list[Json]) -> tuple[Flaw, int]:
        """The application's flaw, and how many more of its pods are to have it."""
        namespace, app = replica_set["metadata"]["namespace"], replica_set["metadata"]["labels"].get("app", "")
        known = self._apps.get((namespace, app))
        if known is None or not known.flaw:
            return "", 0
        having = sum(BEHAVIOUR in (pod["metadata"].get("annotations") or {}) for pod in pods)
        return known.flaw, known.flawed - having

    async def _delete(self, replica_set: Json, pods: list[Json], number: int) -> None:
        """Those that are not ready first, then the youngest."""

        def rank(pod: Json) -> tuple[bool, str]:
            return is_ready(pod), pod["metadata"]["creationTimestamp"]

        unready = sorted((pod for pod in pods if not is_ready(pod)), key=rank)
        ready = sorted((pod for pod in pods if is_ready(pod)), key=rank, reverse=True)
        for pod in [*unready, *ready][:number]:
            await self._cluster.delete(PODS, pod)
            message = f"Deleted pod: {pod['metadata']['name']}"
            await self._cluster.recorder.normal(replica_set, SOURCE, "SuccessfulDelete", message)

    async def _write_status(self, replica_set: Json) -> None:
        pods = self._living(replica_set)
        ready = sum(map(is_ready, pods))
        status = {
            "replicas": len(pods),
            "fullyLabeledReplicas": len(pods),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "observedGeneration": replica_set["metadata"]["generation"],
        }
        before = replica_set.get("status", {})
        if {key: before.get(key) for key in status} != status:
            await self._cluster.patch(REPLICA_SETS, replica_set, {"status": status}, status=True)


def is_ready(pod: Json) -> bool:
    """Whether a pod's Ready condition holds."""
    found = pod.get("status", {}).get("conditions") or ()
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in found)
