"""Deployments: ReplicaSets for their templates, rolling updates one pod at a time, and their status."""

from __future__ import annotations

from devcluster.workload import building
from devcluster.workload.building import Json, stamp
from devcluster.workload.cluster import DEPLOYMENTS, REPLICA_SETS, Cluster
from devcluster.workload.queue import DueQueue
from informerd.objects import Object

SOURCE = "deployment-controller"
KEPT_REVISIONS = 2
_REVISION = "deployment.kubernetes.io/revision"


class DeploymentController:
    """Reconciles every Deployment, the demo's own and those that people create."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._queue = DueQueue(cluster.clock)
        cluster.on_change(DEPLOYMENTS, lambda obj: self._queue.add(obj.key))
        cluster.on_change(REPLICA_SETS, self._owner_changed)

    async def run(self) -> None:
        await self._queue.work(self.reconcile)

    def _owner_changed(self, obj: Object) -> None:
        for owner in obj.metadata.owner_references:
            if owner.kind == "Deployment":
                self._queue.add(f"{obj.metadata.namespace}/{owner.name}")

    async def reconcile(self, key: str) -> None:
        """One step towards what the Deployment asks for."""
        deployment = self._cluster.get(DEPLOYMENTS, key)
        if deployment is None or "deletionTimestamp" in deployment["metadata"]:
            return
        sets = self._cluster.owned(REPLICA_SETS, deployment["metadata"]["uid"])
        digest = building.template_hash(_plain_template(deployment))
        current = next((s for s in sets if s["metadata"]["labels"].get("pod-template-hash") == digest), None)
        old = [s for s in sets if s is not current]
        if current is None:
            current = await self._new_set(deployment, old)
        else:
            current = await self._roll(deployment, current, old)
        await self._write_status(deployment, current, old)
        await self._forget(old)

    async def _new_set(self, deployment: Json, old: list[Json]) -> Json:
        wanted = deployment["spec"]["replicas"]
        first = wanted if not any(s["spec"]["replicas"] for s in old) else min(1, wanted)
        revision = 1 + max((int(s["metadata"].get("annotations", {}).get(_REVISION, 0)) for s in old), default=0)
        body = building.replica_set(deployment, _plain_template(deployment), first, revision)
        created = await self._cluster.create(REPLICA_SETS, body)
        marks = {"metadata": {"annotations": {_REVISION: str(revision)}}}
        await self._cluster.patch(DEPLOYMENTS, deployment, marks)
        await self._say_scaled(deployment, created, 0, first)
        return created

    async def _roll(self, deployment: Json, current: Json, old: list[Json]) -> Json:
        """Grow the current ReplicaSet by one pod at most over the number, shrink the old ones as it becomes ready."""
        wanted = deployment["spec"]["replicas"]
        total = current["spec"]["replicas"] + sum(s["spec"]["replicas"] for s in old)
        active = [s for s in old if s["spec"]["replicas"]]
        if not active:
            return await self._scale(deployment, current, wanted)
        if current["spec"]["replicas"] < wanted and total <= wanted:
            current = await self._scale(deployment, current, current["spec"]["replicas"] + 1)
            total += 1
        ready = current.get("status", {}).get("readyReplicas", 0)
        may_go = total - max(wanted - 1, 0) - (current["spec"]["replicas"] - ready)
        if may_go > 0:
            oldest = active[0]
            await self._scale(deployment, oldest, oldest["spec"]["replicas"] - 1)
        return current

    async def _scale(self, deployment: Json, replica_set: Json, replicas: int) -> Json:
        before = replica_set["spec"]["replicas"]
        if before == replicas:
            return replica_set
        await self._cluster.patch(REPLICA_SETS, replica_set, {"spec": {"replicas": replicas}})
        await self._say_scaled(deployment, replica_set, before, replicas)
        return {**replica_set, "spec": {**replica_set["spec"], "replicas": replicas}}

    async def _say_scaled(self, deployment: Json, replica_set: Json, before: int, after: int) -> None:
        word = "up" if after >= before else "down"
        message = f"Scaled {word} replica set {replica_set['metadata']['name']} from {before} to {after}"
        await self._cluster.recorder.normal(deployment, SOURCE, "ScalingReplicaSet", message)

    async def _write_status(self, deployment: Json, current: Json, old: list[Json]) -> None:
        sets = [current, *old]
        before = deployment.get("status", {})
        counts = {
            name: sum(s.get("status", {}).get(name, 0) for s in sets)
            for name in ("replicas", "readyReplicas", "availableReplicas")
        }
        wanted = deployment["spec"]["replicas"]
        counts["updatedReplicas"] = current.get("status", {}).get("replicas", 0)
        counts["unavailableReplicas"] = max(wanted - counts["availableReplicas"], 0)
        done = counts["updatedReplicas"] == counts["replicas"] == wanted and counts["availableReplicas"] >= wanted
        now = stamp(self._cluster.clock.time())
        conditions = _conditions(
            before, now, current["metadata"]["name"], done, counts["availableReplicas"] >= wanted - wanted // 4
        )
        status = {"observedGeneration": deployment["metadata"]["generation"], **counts, "conditions": conditions}
        if {k: before.get(k) for k in status} != status:
            await self._cluster.patch(DEPLOYMENTS, deployment, {"status": status}, status=True)

    async def _forget(self, old: list[Json]) -> None:
        """Delete ReplicaSets beyond the revisions that are kept."""
        idle = [s for s in old if not s["spec"]["replicas"] and not s.get("status", {}).get("replicas")]
        idle.sort(key=lambda s: int(s["metadata"].get("annotations", {}).get(_REVISION, 0)))
        for replica_set in idle[:-KEPT_REVISIONS]:
            await self._cluster.delete(REPLICA_SETS, replica_set)


def _plain_template(deployment: Json) -> Json:
    template: Json = deployment["spec"]["template"]
    return template


def _conditions(before: Json, now: str, name: str, done: bool, available: bool) -> list[Json]:
    """Progressing and Available; their times change only when they do."""
    progress = ("NewReplicaSetAvailable", f'ReplicaSet "{name}" has successfully progressed.')
    if not done:
        progress = ("ReplicaSetUpdated", f'ReplicaSet "{name}" is progressing.')
    state = ("MinimumReplicasAvailable", "Deployment has minimum availability.")
    if not available:
        state = ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    old = {condition["type"]: condition for condition in before.get("conditions", ())}
    found = []
    for kind, holds, (reason, message) in (("Available", available, state), ("Progressing", True, progress)):
        status, previous = "True" if holds else "False", old.get(kind, {})
        since = previous["lastTransitionTime"] if previous.get("status") == status else now
        same = previous.get("reason") == reason and previous.get("message") == message
        updated = previous["lastUpdateTime"] if same else now
        times = {"lastUpdateTime": updated, "lastTransitionTime": since}
        found.append({"type": kind, "status": status, **times, "reason": reason, "message": message})
    return found
