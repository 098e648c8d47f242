"""State of a drain as data: the progress of each of its pods, and what was asked of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from dashboard.access.person import Person, stored_person
from dashboard.live.rendering.time_texts import rfc3339

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
    acts_for: Person | None
    """Who started it, or took it over; None for drains of older versions."""
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
    def person(self) -> Person:
        """With whose rights it works."""
        return stored_person(self.acts_for, self.by)

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
    def pods_by_trouble(self) -> tuple[DrainedPod, ...]:
        """Those that could not be evicted first, then those that are held."""
        return tuple(sorted(self.pods, key=lambda pod: (pod.state != "failed", pod.state != "held")))

    @property
    def held_pods(self) -> tuple[DrainedPod, ...]:
        return tuple(pod for pod in self.pods if pod.state == "held")

    def lost(self, now: float) -> bool:
        """Whether the process that ran it ended before the drain did."""
        return not self.is_over and now - self.beat > HEARTBEAT_TIMEOUT


def decode_pods(pods: Iterable[object]) -> tuple[DrainedPod, ...]:
    """Pods in the table's encoding."""
    return msgspec.convert(tuple(pods), tuple[DrainedPod, ...])
