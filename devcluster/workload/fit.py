"""Fit: whether a pod may run on a node, and if not, why, in the scheduler's words.

Source: kube-scheduler's framework/plugins (nodeunschedulable, tainttoleration, nodeaffinity, noderesources) and
framework/types.go (FitError).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from devcluster.workload.projections import Node, Pod, Taint, Toleration
from devcluster.workload.room import Load, allocatable, requests

UNHELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


@dataclass(frozen=True)
class Misfit:
    """Why a pod cannot run on a node."""

    reasons: tuple[str, ...]
    preemption: str = UNHELPFUL


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations is for the taint (v1.Toleration.ToleratesTaint)."""
    return any(_tolerates(each, taint) for each in tolerations)


def _tolerates(each: Toleration, taint: Taint) -> bool:
    if each.effect and each.effect != taint.effect:
        return False
    if each.key and each.key != taint.key:
        return False
    return each.operator == "Exists" or (bool(each.key) and each.value == taint.value)


def misfit(pod: Pod, node: Node, used: Load) -> Misfit | None:
    """Why not; None where it fits."""
    if node.spec.unschedulable:
        return Misfit(("node(s) were unschedulable",))
    hard = [taint for taint in node.spec.taints if taint.effect in ("NoSchedule", "NoExecute")]
    if any(not tolerates(pod.spec.tolerations, taint) for taint in hard):
        return Misfit(("node(s) had untolerated taint(s)",))
    if not (pod.spec.node_selector or {}).items() <= node.metadata.labels.items():
        return Misfit(("node(s) didn't match Pod's node affinity/selector",))
    return _short(requests(pod), allocatable(node), used)


def _short(asked: Load, has: Load, used: Load) -> Misfit | None:
    reasons = []
    if used.pods + 1 > has.pods:
        reasons.append("Too many pods")
    if asked.cpu and asked.cpu > has.cpu - used.cpu + 1e-9:
        reasons.append("Insufficient cpu")
    if asked.memory and asked.memory > has.memory - used.memory:
        reasons.append("Insufficient memory")
    if not reasons:
        return None
    hopeless = asked.cpu > has.cpu or asked.memory > has.memory
    return Misfit(tuple(reasons), UNHELPFUL if hopeless else NO_VICTIMS)


def refusal(misfits: Iterable[Misfit]) -> str:
    """The sentence about a pod that fits on none of all nodes."""
    found = list(misfits)
    if not found:
        return "no nodes available to schedule pods"
    reasons = Counter(reason for each in found for reason in each.reasons)
    helpless = Counter(each.preemption for each in found)
    nodes = f"0/{len(found)} nodes are available:"
    return f"{nodes} {_counted(reasons)}. preemption: {nodes} {_counted(helpless)}."


def _counted(words: Counter[str]) -> str:
    return ", ".join(sorted(f"{number} {word}" for word, number in words.items()))
