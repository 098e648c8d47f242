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
    def beat_at(self) -> str:
        """RFC 3339."""
        return rfc3339(self.beat)

    @property
    def over(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def gone(self) -> int:
        return sum(pod.state == "gone" for pod in self.pods)

    @property
    def held(self) -> tuple[DrainedPod, ...]:
        return tuple(pod for pod in self.pods if pod.state == "held")

    def lost(self, now: float) -> bool:
        """Whether the process that ran it ended before the drain did."""
        return not self.over and now - self.beat > HEARTBEAT_TIMEOUT


def decode_pods(pods: Iterable[object]) -> tuple[DrainedPod, ...]:
    """Pods in the table's encoding."""
    return msgspec.convert(tuple(pods), tuple[DrainedPod, ...])


_NEEDS: tuple[Need, ...] = ("emptydir", "unmanaged")


@dataclass(frozen=True, slots=True)
class DrainPlan:
    """All pods of a node, those to evict first."""

    fates: tuple[PodPlan, ...]

    @property
    def evicted(self) -> tuple[PodPlan, ...]:
        return tuple(fate for fate in self.fates if not fate.is_staying)

    @property
    def staying(self) -> tuple[PodPlan, ...]:
        return tuple(fate for fate in self.fates if fate.is_staying)

    @property
    def needs(self) -> tuple[Need, ...]:
        """Required confirmations, without duplicates."""
        found = {need for fate in self.evicted for need in fate.needs}
        return tuple(need for need in _NEEDS if need in found)

    def count(self, need: str) -> int:
        return sum(need in fate.needs for fate in self.evicted)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Namespaces whose budgets are unknown."""
        return tuple(sorted({fate.namespace for fate in self.evicted if fate.unknown}))

    @property
    def emptydirs(self) -> int:
        return self.count("emptydir")

    @property
    def unmanaged(self) -> int:
        return self.count("unmanaged")


def plan_drain(
    pods: Iterable[Json], budgets: Mapping[str, list[Json] | None], missing: Collection[tuple[str, str]] = ()
) -> DrainPlan:
    """`budgets` by namespace, None where they are unknown; `missing` DaemonSets, whose pods are evicted."""
    plans = [plan_pod(pod, budgets[pod["metadata"]["namespace"]], missing) for pod in pods]
    return DrainPlan(tuple(sorted(plans, key=lambda fate: (fate.is_staying, fate.key))))
