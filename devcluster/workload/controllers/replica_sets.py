"""ReplicaSets: as many pods as asked for, new ones for those that went or no longer match, and their status.

Source: kube-controller-manager's replicaset/replica_set.go and replica_set_utils.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from devcluster.workload import building
from devcluster.workload.building import Json
from devcluster.workload.claims import Claims
from devcluster.workload.cluster import Cluster
from devcluster.workload.pod_ranks import first_to_go
from devcluster.workload.projections import Pod, ReplicaSet
from devcluster.workload.statuses import unix
from devcluster.workload.voices import Voices
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import AlreadyExists, ApiError

COMPONENT = "replicaset-controller"
BURST = 500
"""Pods that are made or deleted at most before the status is written."""


class ReplicaSetController:
    """Reconciles every ReplicaSet."""

    def __init__(self, cluster: Cluster, voices: Voices) -> None:
        self._cluster = cluster
        self._recorder = voices.of(COMPONENT)
        self.claims = Claims(cluster.replica_sets, cluster.pods, lambda pod: not pod.has_ended)
        self._made: defaultdict[str, int] = defaultdict(int)
        """By uid, how many names of pods were used: the next name follows from the number."""

    async def reconcile(self, request: Request) -> Result | None:
        """Take and let go what it claims, create or delete what is missing or too much, and write the status."""
        replica_set = self._cluster.replica_sets.get(request)
        if replica_set is None or replica_set.metadata.deletion_timestamp is not None:
            return None
        await self.claims.settle(replica_set)
        pods = self._pods(replica_set)
        missing = replica_set.spec.replicas - len(pods)
        if missing > 0:
            await self._create(replica_set, min(missing, BURST))
        elif missing < 0:
            for pod in first_to_go(pods)[: min(-missing, BURST)]:
                await self._cluster.pods.delete(pod)
                message = f"Deleted pod: {pod.metadata.name}"
                self._recorder.event(replica_set, "Normal", "SuccessfulDelete", message)
        return await self._write_status(replica_set)

    def forget(self, replica_set: ReplicaSet) -> None:
        """Drop what is known of one that is gone."""
        self._made.pop(replica_set.metadata.uid, None)
        self.claims.forget(replica_set)

    def _pods(self, replica_set: ReplicaSet) -> list[Pod]:
        """Those that count: neither ended nor leaving."""
        owned = self._cluster.pods.owned(replica_set.metadata.uid)
        return [pod for pod in owned if not pod.is_leaving and not pod.has_ended]

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
        self._made[meta.uid] += 1
        name = f"{meta.name}-{self._cluster.dice.suffix('pod', meta.namespace, meta.name, self._made[meta.uid])}"
        return building.pod(replica_set, building.owner(replica_set), replica_set.spec.template, name)

    async def _write_status(self, replica_set: ReplicaSet) -> Result | None:
        labels = ((replica_set.spec.template.get("metadata") or {}).get("labels") or {}).items()
        pods = labelled = terminating = 0
        ready: list[Pod] = []
        for pod in self._cluster.pods.owned(replica_set.metadata.uid):
            if pod.is_leaving:
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
        """How many have been ready for minReadySeconds, and the seconds until one more has."""
        least = replica_set.spec.min_ready_seconds
        if not least:
            return len(ready), 0.0
        now = self._cluster.clock.time()
        left = [unix(pod.ready_since) + least - now for pod in ready]
        return sum(each <= 0 for each in left), min((each for each in left if each > 0), default=0.0)
