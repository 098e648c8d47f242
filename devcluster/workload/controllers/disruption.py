"""Disruption controller: writes how many pods each PodDisruptionBudget may lose, which evictions then count down.

Source: kube-controller-manager's disruption/disruption.go.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence

from devcluster.workload.api_types import Budget, Pod, find_condition
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.object_builders import Json
from devcluster.workload.times import parse_timestamp, timestamp
from informerd.cache.index import NAMESPACE
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import Conflict
from informerd.selectors.label_selector import LabelSelector

DELETION_SECONDS = 120.0
"""Seconds for which an allowed eviction counts as a disruption, though its pod still exists."""
_ALLOWED = "DisruptionAllowed"


class DisruptionController:
    """Keeps the status of every budget."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def budgets_of_pod(self, pod: Pod) -> Iterable[Request]:
        """Requests for the budgets that select a pod."""
        there = self._cluster.budgets.informer.store.by_index(NAMESPACE, pod.metadata.namespace)
        return [Request.of(budget) for budget in there if _selector(budget).matches(pod.metadata.labels)]

    async def reconcile(self, request: Request) -> Result | None:
        """Count the budget's pods and write its status; requeue for when an eviction that did not happen expires."""
        budget = self._cluster.budgets.get(request)
        if budget is None:
            return None
        selector, now = _selector(budget), self._cluster.clock.time()
        there = self._cluster.pods.informer.store.by_index(NAMESPACE, budget.metadata.namespace)
        pods = [pod for pod in there if selector.matches(pod.metadata.labels)]
        disrupted = _disrupted(budget, pods, now)
        healthy = sum(_is_healthy(pod) and pod.metadata.name not in disrupted for pod in pods)
        expected, wanted = self._wanted(budget, pods)
        allowed = max(0, healthy - wanted) if expected else 0
        counts = {
            "disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": wanted,
            "expectedPods": expected, "observedGeneration": budget.metadata.generation,
        }  # fmt: skip
        if counts != _known(budget) or disrupted != budget.status.disrupted_pods:
            named: Json = dict.fromkeys(budget.status.disrupted_pods) | disrupted
            status: Json = {
                **counts,
                "disruptedPods": named,
                "conditions": [_condition(budget, allowed, timestamp(now))],
            }
            # On top of what was counted: an eviction that came in between is a newer budget, which is counted anew.
            based = {"metadata": {"resourceVersion": budget.metadata.resource_version}, "status": status}
            with contextlib.suppress(Conflict):
                await self._cluster.budgets.patch(budget, based, status=True)
        left = [parse_timestamp(since) + DELETION_SECONDS - now for since in disrupted.values()]
        return Result(requeue_after=min(left) + 1) if left else None

    def _wanted(self, budget: Budget, pods: Sequence[Pod]) -> tuple[int, int]:
        """The expected number of pods, and the number of them that must be healthy."""
        spec = budget.spec
        if spec.max_unavailable is not None:
            expected = self._scale(pods)
            return expected, max(0, expected - _share(spec.max_unavailable, expected))
        if isinstance(spec.min_available, str):
            expected = self._scale(pods)
            return expected, _share(spec.min_available, expected)
        return len(pods), spec.min_available or 0

    def _scale(self, pods: Sequence[Pod]) -> int:
        """The number of replicas of the pods' controllers."""
        owners = {each.uid: each.name for pod in pods for each in pod.metadata.owner_references if each.controller}
        if not pods:
            return 0
        scales: dict[str, int] = {}
        for uid, name in owners.items():
            key = f"{pods[0].metadata.namespace}/{name}"
            scalable = self._cluster.replica_sets.get(key) or self._cluster.stateful_sets.get(key)
            if scalable is None or scalable.metadata.uid != uid:
                continue
            above = next((each for each in scalable.metadata.owner_references if each.controller), None)
            deployment = self._cluster.deployments.get(f"{scalable.metadata.namespace}/{above.name}") if above else None
            scales[above.uid if above else uid] = (deployment or scalable).spec.replicas
        return sum(scales.values())


def _selector(budget: Budget) -> LabelSelector:
    """An absent one selects nothing."""
    return LabelSelector.from_manifest(budget.spec.selector)


def _is_healthy(pod: Pod) -> bool:
    return pod.is_ready and not pod.is_terminating


def _disrupted(budget: Budget, pods: Sequence[Pod], now: float) -> dict[str, str]:
    """The allowed evictions whose pods still exist."""
    staying = {pod.metadata.name for pod in pods if not pod.is_terminating}
    given: Mapping[str, str] = budget.status.disrupted_pods
    return {name: at for name, at in given.items() if name in staying and parse_timestamp(at) + DELETION_SECONDS > now}


def _share(value: int | str, whole: int) -> int:
    """A number, or a percentage of the whole rounded up."""
    return math.ceil(int(value.removesuffix("%")) * whole / 100) if isinstance(value, str) else value


def _known(budget: Budget) -> dict[str, int]:
    status = budget.status
    return {
        "disruptionsAllowed": status.disruptions_allowed, "currentHealthy": status.current_healthy,
        "desiredHealthy": status.desired_healthy, "expectedPods": status.expected_pods,
        "observedGeneration": status.observed_generation,
    }  # fmt: skip


def _condition(budget: Budget, allowed: int, now: str) -> Json:
    state, reason = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
    before = find_condition(budget.status.conditions, _ALLOWED)
    since = before.last_transition_time if before is not None and before.status == state else now
    condition = {"type": _ALLOWED, "status": state, "observedGeneration": budget.metadata.generation}
    return {**condition, "lastTransitionTime": since, "reason": reason, "message": ""}
