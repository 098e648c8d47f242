"""DaemonSets: a pod on each node that it may run on, new ones a few at a time for a new template, and their status.

Source: kube-controller-manager's daemon/daemon_controller.go, update.go and util/daemonset_util.go. Its revisions are
told apart by the hash of their template; no ControllerRevisions are kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from devcluster.workload import building
from devcluster.workload.building import Json
from devcluster.workload.claims import Claims
from devcluster.workload.cluster import Cluster
from devcluster.workload.fit import may_run
from devcluster.workload.projections import DaemonSet, Node, Pod, Toleration
from devcluster.workload.voices import Voices
from informerd.controller.request import Request
from informerd.errors import AlreadyExists

COMPONENT = "daemonset-controller"
HASH = "controller-revision-hash"
_SILENCE = ("not-ready", "unreachable")
_PRESSURES = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
TOLERATIONS: tuple[Json, ...] = (
    *({"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute"} for why in _SILENCE),
    *({"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoSchedule"} for why in _PRESSURES),
)  # fmt: skip
"""What every pod of one tolerates."""


class DaemonSetController:
    """Reconciles every DaemonSet."""

    def __init__(self, cluster: Cluster, voices: Voices) -> None:
        self._cluster = cluster
        self._recorder = voices.of(COMPONENT)
        self.claims = Claims(cluster.daemon_sets, cluster.pods)
        self._made: defaultdict[str, int] = defaultdict(int)

    def all(self, _: Node) -> Iterable[Request]:
        """Every one: a node may matter to each."""
        return [Request.of(each) for each in self._cluster.daemon_sets.all()]

    def forget(self, daemon_set: DaemonSet) -> None:
        """Drop what is known of one that is gone."""
        self._made.pop(daemon_set.metadata.uid, None)
        self.claims.forget(daemon_set)

    async def reconcile(self, request: Request) -> None:
        """One step towards a pod on each node, and the status."""
        daemon_set = self._cluster.daemon_sets.get(request)
        if daemon_set is None or daemon_set.metadata.deletion_timestamp is not None:
            return
        await self.claims.settle(daemon_set)
        wanted = {node.metadata.name for node in self._cluster.nodes.all() if _runs_on(daemon_set, node)}
        pods = self._by_node(daemon_set)
        surge = most_beside(daemon_set, len(wanted))
        for node, there in sorted(pods.items()):
            staying = [pod for pod in there if not pod.is_leaving]
            for pod in surplus(daemon_set, staying, may_surge=surge > 0) if node in wanted else staying:
                await self._delete(daemon_set, pod)
        for node in sorted(wanted - pods.keys()):
            await self._create(daemon_set, node)
        if surge:
            for node in beside(daemon_set, self._staying(daemon_set, wanted), surge):
                await self._create(daemon_set, node)
        elif daemon_set.spec.update_strategy.type == "RollingUpdate":
            await self._roll(daemon_set, wanted)
        await self._write(daemon_set, wanted)

    def _by_node(self, daemon_set: DaemonSet) -> dict[str, list[Pod]]:
        """Its pods by the node that each is meant for, the oldest first."""
        found: dict[str, list[Pod]] = {}
        for pod in sorted(self._cluster.pods.owned(daemon_set.metadata.uid), key=_age):
            found.setdefault(pod.node_meant, []).append(pod)
        return found

    def _staying(self, daemon_set: DaemonSet, wanted: set[str]) -> dict[str, list[Pod]]:
        pods = self._by_node(daemon_set)
        return {node: [pod for pod in pods.get(node, ()) if not pod.is_leaving] for node in sorted(wanted)}

    async def _create(self, daemon_set: DaemonSet, node: str) -> None:
        meta = daemon_set.metadata
        self._made[meta.uid] += 1
        name = f"{meta.name}-{self._cluster.dice.suffix('pod', meta.namespace, meta.name, self._made[meta.uid])}"
        try:
            await self._cluster.pods.create(pod_body(daemon_set, name, node))
        except AlreadyExists:
            return
        self._recorder.event(daemon_set, "Normal", "SuccessfulCreate", f"Created pod: {name}")

    async def _delete(self, daemon_set: DaemonSet, pod: Pod) -> None:
        if pod.has_ended:
            said = f"Found failed daemon pod {pod.key} on node {pod.node_meant}, will try to kill it"
            self._recorder.event(daemon_set, "Warning", "FailedDaemonPod", said)
        await self._cluster.pods.delete(pod)
        self._recorder.event(daemon_set, "Normal", "SuccessfulDelete", f"Deleted pod: {pod.metadata.name}")

    async def _roll(self, daemon_set: DaemonSet, wanted: set[str]) -> None:
        """Delete pods of old templates, as long as no more than maxUnavailable are not there."""
        digest = building.template_hash(daemon_set.spec.template)
        most = _share(daemon_set.spec.update_strategy.rolling_update.max_unavailable, len(wanted))
        pods = [pod for there in self._by_node(daemon_set).values() for pod in there]
        well = {pod.node_meant for pod in pods if pod.is_ready and not pod.is_leaving}
        room = most - len(wanted - well)
        old = [pod for pod in pods if not pod.is_leaving and pod.metadata.labels.get(HASH) != digest]
        for pod in sorted(old, key=lambda pod: pod.is_ready):
            if pod.is_ready and room <= 0:
                break
            room -= pod.is_ready
            await self._delete(daemon_set, pod)

    async def _write(self, daemon_set: DaemonSet, wanted: set[str]) -> None:
        digest = building.template_hash(daemon_set.spec.template)
        pods = [pod for there in self._by_node(daemon_set).values() for pod in there if not pod.is_leaving]
        mine = {pod.node_meant: pod for pod in reversed(pods) if pod.node_meant in wanted}
        ready = sum(pod.is_ready for pod in mine.values())
        status: dict[str, int] = {
            "observedGeneration": daemon_set.metadata.generation,
            "currentNumberScheduled": len(mine),
            "numberMisscheduled": len({pod.node_meant for pod in pods} - wanted),
            "desiredNumberScheduled": len(wanted),
            "numberReady": ready,
            "updatedNumberScheduled": sum(pod.metadata.labels.get(HASH) == digest for pod in mine.values()),
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
    body = building.pod(daemon_set, building.owner(daemon_set), template, name)
    count = daemon_set.metadata.annotations.get("deprecated.daemonset.template.generation", "1")
    marks = {HASH: building.template_hash(template), "pod-template-generation": count}
    body["metadata"]["labels"] = {**body["metadata"].get("labels", {}), **marks}
    spec = body["spec"]
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}
    spec["affinity"] = {**(spec.get("affinity") or {}), "nodeAffinity": required}
    spec["tolerations"] = [*(spec.get("tolerations") or ()), *TOLERATIONS]
    return body


def most_beside(daemon_set: DaemonSet, wanted: int) -> int:
    """On how many of `wanted` nodes a new pod may be beside one that is well: 0 where old ones go first."""
    strategy = daemon_set.spec.update_strategy
    return _share(strategy.rolling_update.max_surge, wanted) if strategy.type == "RollingUpdate" else 0


def surplus(daemon_set: DaemonSet, staying: Sequence[Pod], *, may_surge: bool) -> list[Pod]:
    """Of the pods of a node, the oldest first, those that are to go: what has ended, and all but the oldest.

    In a surge the oldest of the new template stays beside the oldest of others, which goes once the new one is ready,
    and at once where it is not ready itself.
    """
    ended, running = [pod for pod in staying if pod.has_ended], [pod for pod in staying if not pod.has_ended]
    if not may_surge:
        return ended + running[1:]
    new, old = _parted(daemon_set, running)
    is_over = bool(new and old) and (new[0].is_ready or not old[0].is_ready)
    return ended + new[1:] + (old if is_over else old[1:])


def beside(daemon_set: DaemonSet, staying: Mapping[str, Sequence[Pod]], surge: int) -> list[str]:
    """The nodes, of all with their pods, that get a new pod beside the old one next.

    Those whose old one is not ready all do, since that is missed already; of the others no more than `surge` at a time.
    """
    unwell, well, begun = list[str](), list[str](), 0
    for node, pods in staying.items():
        new, old = _parted(daemon_set, pods)
        if old and not new:
            (well if old[0].is_ready else unwell).append(node)
        elif old:
            begun += 1
    return unwell + well[: max(0, surge - begun)]


def _parted(daemon_set: DaemonSet, pods: Iterable[Pod]) -> tuple[list[Pod], list[Pod]]:
    """Those of its template, and those of others."""
    digest = building.template_hash(daemon_set.spec.template)
    new, old = list[Pod](), list[Pod]()
    for pod in pods:
        (new if pod.metadata.labels.get(HASH) == digest else old).append(pod)
    return new, old


def _age(pod: Pod) -> tuple[float, str]:
    """Sorts the oldest first."""
    created = pod.metadata.creation_timestamp
    return (created.timestamp() if created is not None else 0.0), pod.key


def _runs_on(daemon_set: DaemonSet, node: Node) -> bool:
    spec = daemon_set.spec.template["spec"]
    given = [*(spec.get("tolerations") or ()), *TOLERATIONS]
    return may_run(spec.get("nodeSelector") or {}, msgspec.convert(given, list[Toleration]), node)


def _share(value: int | str, whole: int) -> int:
    return math.ceil(int(value.removesuffix("%")) * whole / 100) if isinstance(value, str) else value
