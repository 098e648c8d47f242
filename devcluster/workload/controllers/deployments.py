"""Deployment controller: creates, rolls out, scales, pauses and rolls back ReplicaSets, and writes the status.

A rollback returns to an earlier template: its ReplicaSet gets the newest revision, as with `kubectl rollout undo`.
Source: kube-controller-manager's deployment/deployment_controller.go, rolling.go, recreate.go and sync.go.
"""

from __future__ import annotations

from collections.abc import Sequence

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Deployment, ReplicaSet, find_condition
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.controllers import deployment_rollout, deployment_status
from devcluster.workload.controllers.adoption import Adoption
from devcluster.workload.controllers.deployment_rollout import (
    DESIRED_REPLICAS_ANNOTATION,
    MAX_REPLICAS_ANNOTATION,
    REVISION_ANNOTATION,
    Plan,
    revision,
)
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.object_builders import Json
from devcluster.workload.times import timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists

COMPONENT = "deployment-controller"
REVISION_HISTORY_ANNOTATION = "deployment.kubernetes.io/revision-history"
_HASH = "pod-template-hash"


class DeploymentController:
    """Reconciles every Deployment, the demo's own and those that people create."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)
        self.adoption = Adoption(cluster.deployments, cluster.replica_sets)

    async def reconcile(self, request: Request) -> Result | None:
        """One step towards what the Deployment asks for."""
        deployment = self._cluster.deployments.get(request)
        if deployment is None or deployment.metadata.deletion_timestamp is not None:
            return None
        await self.adoption.adopt_and_release(deployment)
        current, old = self._sets(deployment)
        fresh = False
        if deployment.spec.paused or deployment_rollout.is_scaling_event(deployment, [*filter(None, (current,)), *old]):
            await self._apply(
                deployment, [*filter(None, (current,)), *old], deployment_rollout.plan_rescale(deployment, current, old)
            )
        elif deployment.spec.strategy.type == "Recreate":
            fresh = await self._recreate(deployment, current, old)
        elif current is None:
            fresh = await self._make(deployment, old)
        else:
            current = await self._renumber(deployment, current, old)
            await self._apply(
                deployment, [current, *old], deployment_rollout.plan_rolling_update(deployment, current, old)
            )
        return await self._finish(deployment, fresh=fresh)

    def _sets(self, deployment: Deployment) -> tuple[ReplicaSet | None, list[ReplicaSet]]:
        """The ReplicaSet of its template, and the others, the oldest first."""
        digest = objects.template_hash(deployment.spec.template)
        sets = self._cluster.replica_sets.owned_by(deployment.metadata.uid)
        current = next((each for each in sets if each.metadata.labels.get(_HASH) == digest), None)
        return current, sorted((each for each in sets if each is not current), key=revision)

    async def _make(self, deployment: Deployment, old: Sequence[ReplicaSet]) -> bool:
        """The ReplicaSet for a template that has none."""
        number = 1 + max(map(revision, old), default=0)
        first = deployment_rollout.new_replica_count(deployment, 0, old)
        body = objects.replica_set(deployment, deployment.spec.template, first, number)
        body["metadata"]["annotations"] |= self._wanted(deployment)
        try:
            made = await self._cluster.replica_sets.create(body)
        except AlreadyExists:  # it is somebody else's, or not seen yet: the next try tells
            return False
        await self._mark(deployment, number)
        if made is not None:
            self._say_scaled(deployment, made, 0, first)
        return True

    async def _renumber(self, deployment: Deployment, current: ReplicaSet, old: Sequence[ReplicaSet]) -> ReplicaSet:
        """Give a template that comes back the newest revision, and record its earlier ones."""
        newest = 1 + max(map(revision, old), default=0)
        if revision(current) >= newest:
            await self._mark(deployment, revision(current))
            return current
        annotations = current.metadata.annotations
        history = ",".join(
            filter(None, (annotations.get(REVISION_HISTORY_ANNOTATION, ""), annotations.get(REVISION_ANNOTATION, "")))
        )
        marks = {REVISION_ANNOTATION: str(newest), REVISION_HISTORY_ANNOTATION: history, **self._wanted(deployment)}
        await self._cluster.replica_sets.patch(current, {"metadata": {"annotations": marks}})
        await self._mark(deployment, newest)
        return self._cluster.replica_sets.get(current.key) or current

    async def _mark(self, deployment: Deployment, number: int) -> None:
        if deployment.metadata.annotations.get(REVISION_ANNOTATION) != str(number):
            marks = {"metadata": {"annotations": {REVISION_ANNOTATION: str(number)}}}
            # With the status, as the real one does it: an annotation that comes otherwise is a new generation.
            await self._cluster.deployments.patch(deployment, marks, status=True)

    async def _recreate(self, deployment: Deployment, current: ReplicaSet | None, old: Sequence[ReplicaSet]) -> bool:
        """All old pods go before the first new one comes."""
        active = {each.metadata.uid: 0 for each in old if each.spec.replicas}
        if active:
            await self._apply(deployment, old, active)
            return False
        pods = [pod for each in old for pod in self._cluster.pods.owned_by(each.metadata.uid)]
        if any(not pod.has_ended for pod in pods):
            return False
        if current is None:
            return await self._make(deployment, old)
        current = await self._renumber(deployment, current, old)
        if current.spec.replicas != deployment.spec.replicas:
            await self._apply(deployment, [current], {current.metadata.uid: deployment.spec.replicas})
        return False

    async def _apply(self, deployment: Deployment, sets: Sequence[ReplicaSet], plan: Plan) -> None:
        for each in sets:
            marks = {} if each.metadata.uid in plan else self._outdated(deployment, each)
            if each.metadata.uid in plan:
                patch = {"metadata": {"annotations": self._wanted(deployment)}}
                patch["spec"] = {"replicas": plan[each.metadata.uid]}  # type: ignore[dict-item]
                await self._cluster.replica_sets.patch(each, patch)
                self._say_scaled(deployment, each, each.spec.replicas, plan[each.metadata.uid])
            elif marks:
                await self._cluster.replica_sets.patch(each, {"metadata": {"annotations": marks}})

    def _outdated(self, deployment: Deployment, replica_set: ReplicaSet) -> Json:
        """The annotations of an active ReplicaSet that no longer say what is wanted."""
        if not replica_set.spec.replicas:
            return {}
        there = replica_set.metadata.annotations
        return {name: value for name, value in self._wanted(deployment).items() if there.get(name) != value}

    @staticmethod
    def _wanted(deployment: Deployment) -> dict[str, str]:
        wanted = deployment.spec.replicas
        return {
            DESIRED_REPLICAS_ANNOTATION: str(wanted),
            MAX_REPLICAS_ANNOTATION: str(wanted + deployment_rollout.resolve_fenceposts(deployment)[0]),
        }

    def _say_scaled(self, deployment: Deployment, replica_set: ReplicaSet, before: int, after: int) -> None:
        if before != after or before == 0:
            word = "up" if after >= before else "down"
            message = f"Scaled {word} replica set {replica_set.metadata.name} from {before} to {after}"
            self._recorder.event(deployment, "Normal", "ScalingReplicaSet", message)

    async def _finish(self, deployment: Deployment, *, fresh: bool) -> Result | None:
        """Write the status and forget old ReplicaSets; come back when time alone changes something."""
        current, old = self._sets(deployment)
        now = self._cluster.clock.time()
        new = deployment_status.replica_counts(current, old)
        progress = deployment_status.progress(deployment, current, new, now, is_new=fresh)
        written = deployment_status.conditions(deployment, new, progress, timestamp(now))
        patch = deployment_status.status_patch(deployment, new, written)
        if patch is not None:
            await self._cluster.deployments.patch(deployment, patch, status=True)
        if deployment.is_settled:
            await self._forget(deployment, old)
        left = deployment_status.seconds_left(
            deployment, find_condition(deployment.status.conditions, "Progressing"), now
        )
        return Result(requeue_after=left + 1) if 0 < left < float("inf") else None

    async def _forget(self, deployment: Deployment, old: Sequence[ReplicaSet]) -> None:
        """Delete ReplicaSets beyond the revision history limit."""
        idle = [each for each in old if not each.spec.replicas and not each.status.replicas]
        for replica_set in idle[: max(0, len(idle) - deployment.spec.revision_history_limit)]:
            await self._cluster.replica_sets.delete(replica_set)
