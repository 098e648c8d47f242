"""DaemonSet controller: keeps a pod on each eligible node, rolls out new templates, and writes the status.

Source: kube-controller-manager's daemon/daemon_controller.go, update.go and util/daemonset_util.go. Revisions are
identified by the hash of their template; there are no ControllerRevisions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import DaemonSet, Node, Pod, Toleration
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.controllers.adoption import Adoption
from devcluster.workload.event_recorders import Recorders
from devcluster.workload.object_builders import Json
from devcluster.workload.scheduler.filters import can_run
from informerd.controller.request import Request
from informerd.errors import AlreadyExists

COMPONENT = "daemonset-controller"
REVISION_HASH_LABEL = "controller-revision-hash"
_SILENCE = ("not-ready", "unreachable")
_PRESSURES = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
TOLERATIONS: tuple[Json, ...] = (
    *({"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute"} for why in _SILENCE),
    *({"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoSchedule"} for why in _PRESSURES),
)  # fmt: skip
"""Tolerations of every pod of a DaemonSet."""


class DaemonSetController:
    """Reconciles every DaemonSet."""

    def __init__(self, cluster: Cluster, recorders: Recorders) -> None:
        self._cluster = cluster
        self._recorder = recorders.for_component(COMPONENT)
        self.adoption = Adoption(cluster.daemon_sets, cluster.pods)
        self._used_names: defaultdict[str, int] = defaultdict(int)

    def requests_for_all(self, _: Node) -> Iterable[Request]:
        """A request for every DaemonSet: a node may matter to each."""
        return [Request.of(each) for each in self._cluster.daemon_sets.all()]

    def forget(self, daemon_set: DaemonSet) -> None:
        """Drop the records of a deleted object."""
        self._used_names.pop(daemon_set.metadata.uid, None)
        self.adoption.forget(daemon_set)

    async def reconcile(self, request: Request) -> None:
        """One step towards a pod on each node, and the status."""
        daemon_set = self._cluster.daemon_sets.get(request)
        if daemon_set is None or daemon_set.metadata.deletion_timestamp is not None:
            return
        await self.adoption.adopt_and_release(daemon_set)
        wanted = {node.metadata.name for node in self._cluster.nodes.all() if _runs_on(daemon_set, node)}
        pods = self._by_node(daemon_set)
        surge = surge_limit(daemon_set, len(wanted))
        for node, there in sorted(pods.items()):
            staying = [pod for pod in there if not pod.is_terminating]
            for pod in surplus_pods(daemon_set, staying, may_surge=surge > 0) if node in wanted else staying:
                await self._delete(daemon_set, pod)
        for node in sorted(wanted - pods.keys()):
            await self._create(daemon_set, node)
        if surge:
            for node in nodes_to_surge(daemon_set, self._staying(daemon_set, wanted), surge):
                await self._create(daemon_set, node)
        elif daemon_set.spec.update_strategy.type == "RollingUpdate":
            await self._roll(daemon_set, wanted)
        await self._write(daemon_set, wanted)

    def _by_node(self, daemon_set: DaemonSet) -> dict[str, list[Pod]]:
        """Its pods by the node that each is meant for, the oldest first."""
        pods_by_node: dict[str, list[Pod]] = {}
        for pod in sorted(self._cluster.pods.owned_by(daemon_set.metadata.uid), key=_age):
            pods_by_node.setdefault(pod.intended_node, []).append(pod)
        return pods_by_node

    def _staying(self, daemon_set: DaemonSet, wanted: set[str]) -> dict[str, list[Pod]]:
        pods = self._by_node(daemon_set)
        return {node: [pod for pod in pods.get(node, ()) if not pod.is_terminating] for node in sorted(wanted)}

    async def _create(self, daemon_set: DaemonSet, node: str) -> None:
        meta = daemon_set.metadata
        self._used_names[meta.uid] += 1
        suffix = self._cluster.random_source.name_suffix("pod", meta.namespace, meta.name, self._used_names[meta.uid])
        name = f"{meta.name}-{suffix}"
        try:
            await self._cluster.pods.create(pod_body(daemon_set, name, node))
        except AlreadyExists:
            return
        self._recorder.event(daemon_set, "Normal", "SuccessfulCreate", f"Created pod: {name}")

    async def _delete(self, daemon_set: DaemonSet, pod: Pod) -> None:
        if pod.has_ended:
            message = f"Found failed daemon pod {pod.key} on node {pod.intended_node}, will try to kill it"
            self._recorder.event(daemon_set, "Warning", "FailedDaemonPod", message)
        await self._cluster.pods.delete(pod)
        self._recorder.event(daemon_set, "Normal", "SuccessfulDelete", f"Deleted pod: {pod.metadata.name}")

    async def _roll(self, daemon_set: DaemonSet, wanted: set[str]) -> None:
        """Delete pods of old templates, while at most maxUnavailable are missing."""
        digest = objects.template_hash(daemon_set.spec.template)
        most = _share(daemon_set.spec.update_strategy.rolling_update.max_unavailable, len(wanted))
        pods = [pod for there in self._by_node(daemon_set).values() for pod in there]
        well = {pod.intended_node for pod in pods if pod.is_ready and not pod.is_terminating}
        room = most - len(wanted - well)
        old = [pod for pod in pods if not pod.is_terminating and pod.metadata.labels.get(REVISION_HASH_LABEL) != digest]
        for pod in sorted(old, key=lambda pod: pod.is_ready):
            if pod.is_ready and room <= 0:
                break
            room -= pod.is_ready
            await self._delete(daemon_set, pod)

    async def _write(self, daemon_set: DaemonSet, wanted: set[str]) -> None:
        digest = objects.template_hash(daemon_set.spec.template)
        pods = [pod for there in self._by_node(daemon_set).values() for pod in there if not pod.is_terminating]
        mine = {pod.intended_node: pod for pod in reversed(pods) if pod.intended_node in wanted}
        ready = sum(pod.is_ready for pod in mine.values())
        status: dict[str, int] = {
            "observedGeneration": daemon_set.metadata.generation,
            "currentNumberScheduled": len(mine),
            "numberMisscheduled": len({pod.intended_node for pod in pods} - wanted),
            "desiredNumberScheduled": len(wanted),
            "numberReady": ready,
            "updatedNumberScheduled": sum(
                pod.metadata.labels.get(REVISION_HASH_LABEL) == digest for pod in mine.values()
            ),
            "numberAvailable": ready,
            "numberUnavailable": len(wanted) - ready,
        }
        if status != msgspec.to_builtins(daemon_set.status):
            optional = ("updatedNumberScheduled", "numberAvailable", "numberUnavailable")
            shown: Json = {name: number or None if name in optional else number for name, number in status.items()}
            await self._cluster.daemon_sets.patch(daemon_set, {"status": shown}, status=True)


def pod_body(daemon_set: DaemonSet, name: str, node: str) -> Json:
    """A pod for that node alone: the scheduler puts it there."""
    template = daemon_set.spec.template
    body = objects.pod(daemon_set, objects.controller_reference(daemon_set), template, name)
    count = daemon_set.metadata.annotations.get("deprecated.daemonset.template.generation", "1")
    marks = {REVISION_HASH_LABEL: objects.template_hash(template), "pod-template-generation": count}
    body["metadata"]["labels"] = {**body["metadata"].get("labels", {}), **marks}
    spec = body["spec"]
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}
    spec["affinity"] = {**(spec.get("affinity") or {}), "nodeAffinity": required}
    spec["tolerations"] = [*(spec.get("tolerations") or ()), *TOLERATIONS]
    return body


def surge_limit(daemon_set: DaemonSet, wanted: int) -> int:
    """The number of `wanted` nodes that may have a new pod next to a healthy one: 0 where old ones go first."""
    strategy = daemon_set.spec.update_strategy
    return _share(strategy.rolling_update.max_surge, wanted) if strategy.type == "RollingUpdate" else 0


def surplus_pods(daemon_set: DaemonSet, remaining: Sequence[Pod], *, may_surge: bool) -> list[Pod]:
    """The pods of a node, the oldest first, that are to be deleted: those that have ended, and all but the oldest.

    In a surge the oldest of the new template stays next to the oldest of others. That one is deleted once the new one
    is ready, and immediately where it is not ready itself.
    """
    ended, running = [pod for pod in remaining if pod.has_ended], [pod for pod in remaining if not pod.has_ended]
    if not may_surge:
        return ended + running[1:]
    new, old = _parted(daemon_set, running)
    is_over = bool(new and old) and (new[0].is_ready or not old[0].is_ready)
    return ended + new[1:] + (old if is_over else old[1:])


def nodes_to_surge(daemon_set: DaemonSet, remaining_pods: Mapping[str, Sequence[Pod]], surge: int) -> list[str]:
    """The nodes, of all with their pods, that get a new pod next to the old one.

    Those whose old pod is not ready all do, since it serves nothing already; of the others at most `surge` at a time.
    """
    unwell, well, begun = list[str](), list[str](), 0
    for node, pods in remaining_pods.items():
        new, old = _parted(daemon_set, pods)
        if old and not new:
            (well if old[0].is_ready else unwell).append(node)
        elif old:
            begun += 1
    return unwell + well[: max(0, surge - begun)]


def _parted(daemon_set: DaemonSet, pods: Iterable[Pod]) -> tuple[list[Pod], list[Pod]]:
    """The pods of its template, and those of others."""
    digest = objects.template_hash(daemon_set.spec.template)
    new, old = list[Pod](), list[Pod]()
    for pod in pods:
        (new if pod.metadata.labels.get(REVISION_HASH_LABEL) == digest else old).append(pod)
    return new, old


def _age(pod: Pod) -> tuple[float, str]:
    """Sorts the oldest first."""
    created = pod.metadata.creation_timestamp
    return (created.timestamp() if created is not None else 0.0), pod.key


def _runs_on(daemon_set: DaemonSet, node: Node) -> bool:
    spec = daemon_set.spec.template["spec"]
    given = [*(spec.get("tolerations") or ()), *TOLERATIONS]
    return can_run(spec.get("nodeSelector") or {}, msgspec.convert(given, list[Toleration]), node)


def _share(value: int | str, whole: int) -> int:
    return math.ceil(int(value.removesuffix("%")) * whole / 100) if isinstance(value, str) else value
