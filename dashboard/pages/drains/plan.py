"""Plan of a drain: which pods of a node are evicted, which stay, and what has to be confirmed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from dashboard.pages.evictions.plan import Json, Need, PodPlan, plan_pod

_NEEDS: tuple[Need, ...] = ("emptydir", "unmanaged")


@dataclass(frozen=True, slots=True)
class DrainPlan:
    """All pods of a node, those to evict first."""

    pods: tuple[PodPlan, ...]

    @property
    def evicted_pods(self) -> tuple[PodPlan, ...]:
        return tuple(pod for pod in self.pods if not pod.is_staying)

    @property
    def staying_pods(self) -> tuple[PodPlan, ...]:
        return tuple(pod for pod in self.pods if pod.is_staying)

    @property
    def confirmations(self) -> tuple[Need, ...]:
        """Required confirmations, without duplicates."""
        required = {need for pod in self.evicted_pods for need in pod.confirmations}
        return tuple(need for need in _NEEDS if need in required)

    def count(self, need: str) -> int:
        return sum(need in pod.confirmations for pod in self.evicted_pods)

    @property
    def unknown_namespaces(self) -> tuple[str, ...]:
        """Namespaces whose budgets are unknown."""
        return tuple(sorted({pod.namespace for pod in self.evicted_pods if pod.are_budgets_unknown}))

    @property
    def emptydir_count(self) -> int:
        return self.count("emptydir")

    @property
    def unmanaged_count(self) -> int:
        return self.count("unmanaged")


def plan_drain(
    pods: Iterable[Json], budgets: Mapping[str, list[Json] | None], missing: Collection[tuple[str, str]] = ()
) -> DrainPlan:
    """Pods that are evicted come first: of them those that a budget holds, then those that must be confirmed because
    nothing recreates them or their data is lost.

    `budgets` by namespace, None where they are unknown; `missing` DaemonSets, whose pods are evicted.
    """
    plans = [plan_pod(pod, budgets[pod["metadata"]["namespace"]], missing) for pod in pods]
    return DrainPlan(tuple(sorted(plans, key=_order)))


def _order(pod: PodPlan) -> tuple[bool, bool, bool, bool, str]:
    asks = pod.confirmations
    return pod.is_staying, not pod.blocking_budgets, "unmanaged" not in asks, "emptydir" not in asks, pod.key
