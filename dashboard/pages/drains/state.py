"""Drain of a node as data: the pods to evict, and the progress of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from dashboard.live.rendering.cells import rfc3339
from dashboard.pages.evictions.plan import Json, Need, PodPlan, plan_pod

HEARTBEAT_TIMEOUT = 15.0
"""Seconds without a beat after which the process that ran the drain counts as ended."""

DrainState = Literal["running", "paused", "cancelled", "done", "failed"]
FINAL_STATES: frozenset[str] = frozenset({"cancelled", "done", "failed"})
PodState = Literal["waiting", "held", "leaving", "gone", "failed", "left"]
"""waiting: not tried yet · held: to be retried at `next` · leaving: evicted, shutting down · left: not evicted, because
the drain was cancelled.
"""


class DrainedPod(msgspec.Struct, frozen=True):
    """One pod to evict."""

    namespace: str
    name: str
    uid: str
    state: PodState = "waiting"
    words: str = ""
    next: float = 0.0
    """Unix seconds of the next try."""
    tries: int = 0

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def next_at(self) -> str:
        """RFC 3339."""
        return rfc3339(self.next)

    @property
    def is_over(self) -> bool:
        return self.state in ("gone", "failed", "left")


class Drain(msgspec.Struct, frozen=True):
    """One drain, as stored in the table."""

    key: str
    server: str
    node: str
    uid: str
    by: str
    grace: int | None
    pods: tuple[DrainedPod, ...]
    state: DrainState
    wish: str
    wished_by: str
    """User who last paused, cancelled or resumed it; empty where none did, or there is no sign-in."""
    words: str
    runner: str
    begun: float
    beat: float

    @property
    def last_heartbeat(self) -> str:
        """RFC 3339."""
        return rfc3339(self.beat)

    @property
    def is_over(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def gone_count(self) -> int:
        return sum(pod.state == "gone" for pod in self.pods)

    @property
    def held_pods(self) -> tuple[DrainedPod, ...]:
        return tuple(pod for pod in self.pods if pod.state == "held")

    def lost(self, now: float) -> bool:
        """Whether the process that ran it ended before the drain did."""
        return not self.is_over and now - self.beat > HEARTBEAT_TIMEOUT


def decode_pods(pods: Iterable[object]) -> tuple[DrainedPod, ...]:
    """Pods in the table's encoding."""
    return msgspec.convert(tuple(pods), tuple[DrainedPod, ...])


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
    """`budgets` by namespace, None where they are unknown; `missing` DaemonSets, whose pods are evicted."""
    plans = [plan_pod(pod, budgets[pod["metadata"]["namespace"]], missing) for pod in pods]
    return DrainPlan(tuple(sorted(plans, key=lambda pod: (pod.is_staying, pod.key))))
