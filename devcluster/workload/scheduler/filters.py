"""Filters that decide on which nodes a pod may run, with the scheduler's messages for those that fail.

Source: kube-scheduler's framework/plugins (nodeunschedulable, tainttoleration, nodeaffinity, noderesources) and
framework/types.go (FitError).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from devcluster.workload.api_types import Node, Pod, Taint, Toleration
from devcluster.workload.scheduler.node_resources import ResourceAmounts, allocatable, pod_requests

PREEMPTION_NOT_HELPFUL = "Preemption is not helpful for scheduling"
_ELSEWHERE = "node(s) didn't match Pod's node affinity/selector"
_UNSCHEDULABLE = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
NO_PREEMPTION_VICTIMS = "No preemption victims found for incoming pod"


@dataclass(frozen=True)
class FilterFailure:
    """Why a pod cannot run on a node."""

    reasons: tuple[str, ...]
    preemption: str = PREEMPTION_NOT_HELPFUL


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations is for the taint (v1.Toleration.ToleratesTaint)."""
    return any(_tolerates(each, taint) for each in tolerations)


def _tolerates(each: Toleration, taint: Taint) -> bool:
    if each.effect and each.effect != taint.effect:
        return False
    if each.key and each.key != taint.key:
        return False
    return each.operator == "Exists" or (bool(each.key) and each.value == taint.value)


def can_run(selector: Mapping[str, str], tolerations: Sequence[Toleration], node: Node) -> bool:
    """Whether a pod with these may be on the node, apart from its resources."""
    return _unwanted(node, selector, tolerations) is None


def filter_node(pod: Pod, node: Node, used: ResourceAmounts) -> FilterFailure | None:
    """Why the pod does not fit on the node; None where it fits."""
    why = _unwanted(node, pod.spec.node_selector or {}, pod.spec.tolerations)
    if why is None and pod.pinned_node not in ("", node.metadata.name):
        why = _ELSEWHERE
    if why is not None:
        return FilterFailure((why,))
    return _short(pod_requests(pod), allocatable(node), used)


def _unwanted(node: Node, selector: Mapping[str, str], tolerations: Sequence[Toleration]) -> str | None:
    if node.spec.unschedulable and not tolerates(tolerations, _UNSCHEDULABLE):
        return "node(s) were unschedulable"
    hard = [taint for taint in node.spec.taints if taint.effect in ("NoSchedule", "NoExecute")]
    if any(not tolerates(tolerations, taint) for taint in hard):
        return "node(s) had untolerated taint(s)"
    return None if selector.items() <= node.metadata.labels.items() else _ELSEWHERE


def _short(requested: ResourceAmounts, has: ResourceAmounts, used: ResourceAmounts) -> FilterFailure | None:
    reasons = []
    if used.pods + 1 > has.pods:
        reasons.append("Too many pods")
    if requested.cpu and requested.cpu > has.cpu - used.cpu + 1e-9:
        reasons.append("Insufficient cpu")
    if requested.memory and requested.memory > has.memory - used.memory:
        reasons.append("Insufficient memory")
    if not reasons:
        return None
    hopeless = requested.cpu > has.cpu or requested.memory > has.memory
    return FilterFailure(tuple(reasons), PREEMPTION_NOT_HELPFUL if hopeless else NO_PREEMPTION_VICTIMS)


def unschedulable_message(failures: Iterable[FilterFailure]) -> str:
    """The sentence about a pod that fits on none of all nodes."""
    all_failures = list(failures)
    if not all_failures:
        return "no nodes available to schedule pods"
    reasons = Counter(reason for each in all_failures for reason in each.reasons)
    helpless = Counter(each.preemption for each in all_failures)
    nodes = f"0/{len(all_failures)} nodes are available:"
    return f"{nodes} {_counted(reasons)}. preemption: {nodes} {_counted(helpless)}."


def _counted(words: Counter[str]) -> str:
    return ", ".join(sorted(f"{number} {word}" for word, number in words.items()))
