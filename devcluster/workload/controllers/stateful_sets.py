"""StatefulSet controller: creates numbered pods in order, removes them in reverse order, and writes the status.

Source: kube-controller-manager's statefulset/stateful_set_control.go and stateful_set_utils.go. Revisions are
identified by the hash of their template; there are no ControllerRevisions, and no volumes of claim templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Pod, StatefulSet, Template
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.controllers.adoption import Adoption
from devcluster.workload.controllers.daemon_sets import REVISION_HASH_LABEL
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.object_builders import Json
from informerd.controller.request import Request
from informerd.errors import AlreadyExists

COMPONENT = "statefulset-controller"
POD_INDEX_LABEL, POD_NAME_LABEL = "apps.kubernetes.io/pod-index", "statefulset.kubernetes.io/pod-name"


@dataclass(frozen=True)
class Revisions:
    """The names of the template's revision, and of that before, which stays current until all pods are of the new."""

    current: str
    update: str


class StatefulSetController:
    """Reconciles every StatefulSet."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)
        self.adoption = Adoption(cluster.stateful_sets, cluster.pods)
        self._templates: dict[tuple[str, str], Template] = {}
        """By uid and revision."""

    def forget(self, stateful_set: StatefulSet) -> None:
        """Drop the records of a deleted object."""
        uid = stateful_set.metadata.uid
        self._templates = {key: template for key, template in self._templates.items() if key[0] != uid}
        self.adoption.forget(stateful_set)

    async def reconcile(self, request: Request) -> None:
        """Create, delete or replace the next pod, then write the status."""
        stateful_set = self._cluster.stateful_sets.get(request)
        if stateful_set is None or stateful_set.metadata.deletion_timestamp is not None:
            return
        await self.adoption.adopt_and_release(stateful_set)
        update = revision_of(stateful_set)
        self._templates[stateful_set.metadata.uid, update] = stateful_set.spec.template
        revisions = Revisions(stateful_set.status.current_revision or update, update)
        await self._step(stateful_set, revisions)
        await self._write(stateful_set, revisions)

    async def _step(self, stateful_set: StatefulSet, revisions: Revisions) -> None:
        in_order = stateful_set.spec.pod_management_policy != "Parallel"
        pods, wanted = self._pods(stateful_set), stateful_set.spec.replicas
        for number in range(wanted):
            pod = pods.get(number)
            if pod is None:
                await self._create(stateful_set, revisions, number)
            elif pod.has_ended and not pod.is_terminating:
                await self._delete(stateful_set, pod)
            if in_order and not _is_well(pod):
                return
        surplus = [pods[number] for number in sorted(pods, reverse=True) if number >= wanted]
        for pod in surplus:
            if not pod.is_terminating:
                await self._delete(stateful_set, pod)
            if in_order:
                return
        if not surplus and stateful_set.spec.update_strategy.type == "RollingUpdate":
            await self._roll(stateful_set, revisions, pods)

    async def _roll(self, stateful_set: StatefulSet, revisions: Revisions, pods: dict[int, Pod]) -> None:
        """Delete the highest pod of an old template, once all above it are healthy."""
        for number in range(
            stateful_set.spec.replicas - 1, stateful_set.spec.update_strategy.rolling_update.partition - 1, -1
        ):
            pod = pods.get(number)
            if (
                pod is not None
                and not pod.is_terminating
                and pod.metadata.labels.get(REVISION_HASH_LABEL) != revisions.update
            ):
                await self._delete(stateful_set, pod)
                return
            if not _is_well(pod):
                return

    def _pods(self, stateful_set: StatefulSet) -> dict[int, Pod]:
        """The pods by their ordinals."""
        pods: dict[int, Pod] = {}
        for pod in self._cluster.pods.owned_by(stateful_set.metadata.uid):
            name, _, number = pod.metadata.name.rpartition("-")
            if name == stateful_set.metadata.name and number.isdecimal():
                pods[int(number)] = pod
        return pods

    async def _create(self, stateful_set: StatefulSet, revisions: Revisions, number: int) -> None:
        is_kept = number < stateful_set.spec.update_strategy.rolling_update.partition
        revision = revisions.current if is_kept else revisions.update
        template = self._templates.get((stateful_set.metadata.uid, revision), stateful_set.spec.template)
        body = pod_body(stateful_set, template, revision, number)
        name = body["metadata"]["name"]
        pod_text = f"Pod {name} in StatefulSet {stateful_set.metadata.name}"
        try:
            await self._cluster.pods.create(body)
        except AlreadyExists:
            return
        self._recorder.event(stateful_set, "Normal", "SuccessfulCreate", f"create {pod_text} successful")

    async def _delete(self, stateful_set: StatefulSet, pod: Pod) -> None:
        await self._cluster.pods.delete(pod)
        message = f"delete Pod {pod.metadata.name} in StatefulSet {stateful_set.metadata.name} successful"
        self._recorder.event(stateful_set, "Normal", "SuccessfulDelete", message)

    async def _write(self, stateful_set: StatefulSet, revisions: Revisions) -> None:
        pods = list(self._pods(stateful_set).values())
        status = status_of(stateful_set, pods, revisions)
        if status != msgspec.to_builtins(stateful_set.status):
            optional = ("readyReplicas", "currentReplicas", "updatedReplicas")
            shown: Json = {name: value or None if name in optional else value for name, value in status.items()}
            await self._cluster.stateful_sets.patch(
                stateful_set, {"status": shown | {"collisionCount": 0}}, status=True
            )


def revision_of(stateful_set: StatefulSet) -> str:
    """The name of its template's revision."""
    return f"{stateful_set.metadata.name}-{objects.template_hash(stateful_set.spec.template)}"


def status_of(stateful_set: StatefulSet, pods: Sequence[Pod], revisions: Revisions) -> Json:
    """Its status: what was updated is current once all of it is."""
    staying = [pod for pod in pods if not pod.is_terminating]
    ready = sum(pod.is_ready for pod in staying)
    updated = sum(pod.metadata.labels.get(REVISION_HASH_LABEL) == revisions.update for pod in staying)
    is_done = updated == len(pods) == stateful_set.spec.replicas == ready
    current = revisions.update if is_done else revisions.current
    return {
        "observedGeneration": stateful_set.metadata.generation,
        "replicas": len(pods),
        "readyReplicas": ready,
        "currentReplicas": sum(pod.metadata.labels.get(REVISION_HASH_LABEL) == current for pod in staying),
        "updatedReplicas": updated,
        "availableReplicas": ready,
        "currentRevision": current,
        "updateRevision": revisions.update,
    }


def pod_body(stateful_set: StatefulSet, template: Template, revision: str, number: int) -> Json:
    """The pod of that number."""
    name = f"{stateful_set.metadata.name}-{number}"
    body = objects.pod(stateful_set, objects.controller_reference(stateful_set), template, name)
    del body["metadata"]["generateName"]
    marks = {REVISION_HASH_LABEL: revision, POD_INDEX_LABEL: str(number), POD_NAME_LABEL: name}
    body["metadata"]["labels"] = {**body["metadata"].get("labels", {}), **marks}
    body["spec"] |= {"hostname": name}
    if stateful_set.spec.service_name:
        body["spec"]["subdomain"] = stateful_set.spec.service_name
    return body


def _is_well(pod: Pod | None) -> bool:
    return pod is not None and pod.is_ready and not pod.is_terminating
