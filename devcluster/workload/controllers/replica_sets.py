"""ReplicaSet controller: keeps the requested number of matching pods, and writes the status.

Source: kube-controller-manager's replicaset/replica_set.go and replica_set_utils.go.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Pod, ReplicaSet
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.controllers.adoption import Adoption
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists, ApiError

POD_DELETION_COST_ANNOTATION = "controller.kubernetes.io/pod-deletion-cost"


_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def deletion_order(pods: Sequence[Pod]) -> list[Pod]:
    """Order of deletion: pods without a node, then not running, not ready, with low cost, sharing a node, young."""
    together = Counter(pod.spec.node_name for pod in pods if pod.is_ready)

    def rank(pod: Pod) -> tuple[object, ...]:
        restarts = sum(each.restart_count for each in pod.status.container_statuses)
        created = pod.metadata.creation_timestamp
        return (
            bool(pod.spec.node_name),
            _PHASES.get(pod.status.phase, 2),
            pod.is_ready,
            _cost(pod),
            -together[pod.spec.node_name],
            -restarts,
            -(created.timestamp() if created else 0.0),
            pod.metadata.name,
        )

    return sorted(pods, key=rank)


def _cost(pod: Pod) -> int:
    text = pod.metadata.annotations.get(POD_DELETION_COST_ANNOTATION, "0")
    try:
        return int(text)
    except ValueError:
        return 0


COMPONENT = "replicaset-controller"
BURST = 500
"""Pods that are made or deleted at most before the status is written."""


class ReplicaSetController:
    """Reconciles every ReplicaSet."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)
        self.adoption = Adoption(cluster.replica_sets, cluster.pods, lambda pod: not pod.has_ended)
        self._used_names: defaultdict[str, int] = defaultdict(int)
        """By uid, how many names of pods were used: the next name follows from the number."""

    async def reconcile(self, request: Request) -> Result | None:
        """Adopt and release pods, create missing ones or delete surplus ones, and write the status."""
        replica_set = self._cluster.replica_sets.get(request)
        if replica_set is None or replica_set.metadata.deletion_timestamp is not None:
            return None
        await self.adoption.adopt_and_release(replica_set)
        pods = self._pods(replica_set)
        missing = replica_set.spec.replicas - len(pods)
        if missing > 0:
            await self._create(replica_set, min(missing, BURST))
        elif missing < 0:
            for pod in deletion_order(pods)[: min(-missing, BURST)]:
                await self._cluster.pods.delete(pod)
                message = f"Deleted pod: {pod.metadata.name}"
                self._recorder.event(replica_set, "Normal", "SuccessfulDelete", message)
        return await self._write_status(replica_set)

    def forget(self, replica_set: ReplicaSet) -> None:
        """Drop the records of a deleted object."""
        self._used_names.pop(replica_set.metadata.uid, None)
        self.adoption.forget(replica_set)

    def _pods(self, replica_set: ReplicaSet) -> list[Pod]:
        """The pods that count: neither ended nor being deleted."""
        owned = self._cluster.pods.owned_by(replica_set.metadata.uid)
        return [pod for pod in owned if not pod.is_terminating and not pod.has_ended]

    async def _create(self, replica_set: ReplicaSet, number: int) -> None:
        for _ in range(number):
            try:
                pod = await self._cluster.pods.create(self._body(replica_set))
            except AlreadyExists:
                continue  # another pod has this name: the next try takes the next
            except ApiError as error:
                self._recorder.event(replica_set, "Warning", "FailedCreate", f"Error creating: {error}")
                raise
            if pod is not None:
                self._recorder.event(replica_set, "Normal", "SuccessfulCreate", f"Created pod: {pod.metadata.name}")

    def _body(self, replica_set: ReplicaSet) -> Json:
        meta = replica_set.metadata
        self._used_names[meta.uid] += 1
        suffix = self._cluster.random_source.name_suffix("pod", meta.namespace, meta.name, self._used_names[meta.uid])
        name = f"{meta.name}-{suffix}"
        return objects.pod(replica_set, objects.controller_reference(replica_set), replica_set.spec.template, name)

    async def _write_status(self, replica_set: ReplicaSet) -> Result | None:
        labels = ((replica_set.spec.template.get("metadata") or {}).get("labels") or {}).items()
        pods = labelled = terminating = 0
        ready: list[Pod] = []
        for pod in self._cluster.pods.owned_by(replica_set.metadata.uid):
            if pod.is_terminating:
                terminating += 1
            elif not pod.has_ended:
                pods += 1
                labelled += labels <= pod.metadata.labels.items()
                if pod.is_ready:
                    ready.append(pod)
        available, wait = self._available(replica_set, ready)
        new = (pods, labelled, len(ready), available, terminating)
        before = replica_set.status
        known = (
            before.replicas, before.fully_labeled_replicas, before.ready_replicas, before.available_replicas,
            before.terminating_replicas,
        )  # fmt: skip
        if known != new or before.observed_generation != replica_set.metadata.generation:
            status: Json = {"observedGeneration": replica_set.metadata.generation, "replicas": pods}
            status |= {"fullyLabeledReplicas": labelled or None, "readyReplicas": len(ready) or None}
            status |= {"availableReplicas": available or None, "terminatingReplicas": terminating}
            await self._cluster.replica_sets.patch(replica_set, {"status": status}, status=True)
        return Result(requeue_after=wait) if wait else None

    def _available(self, replica_set: ReplicaSet, ready: Sequence[Pod]) -> tuple[int, float]:
        """The number of pods ready for minReadySeconds, and the seconds until the next one is."""
        least = replica_set.spec.min_ready_seconds
        if not least:
            return len(ready), 0.0
        now = self._cluster.clock.time()
        left = [parse_timestamp(pod.ready_since) + least - now for pod in ready]
        return sum(each <= 0 for each in left), min((each for each in left if each > 0), default=0.0)
