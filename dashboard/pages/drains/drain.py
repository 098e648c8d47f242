"""A drain as data: which pods it evicts, and how far each is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from dashboard.live.lines import rfc3339

DEAD_AFTER = 15.0
"""Seconds without a beat after which the process that ran it is known to have ended."""

State = Literal["running", "paused", "cancelled", "done", "failed"]
OVER: frozenset[str] = frozenset({"cancelled", "done", "failed"})
PodState = Literal["waiting", "held", "leaving", "gone", "failed", "left"]
"""waiting: its turn has not come · held: to be tried again at `next` · leaving: evicted, shutting down ·
left: not evicted, because the drain was cancelled."""


class DrainedPod(msgspec.Struct, frozen=True):
    """One pod that is evicted."""

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
    """One drain, as the table has it."""

    key: str
    server: str
    node: str
    uid: str
    by: str
    grace: int | None
    pods: tuple[DrainedPod, ...]
    state: State
    wish: str
    wished_by: str
    """Who paused, cancelled or went on with it last; empty where nobody did, or no proxy signs in."""
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
        return self.state in OVER

    @property
    def gone(self) -> int:
        return sum(pod.state == "gone" for pod in self.pods)

    @property
    def held(self) -> tuple[DrainedPod, ...]:
        return tuple(pod for pod in self.pods if pod.state == "held")

    def lost(self, now: float) -> bool:
        """Whether the process that ran it ended before the drain did."""
        return not self.over and now - self.beat > DEAD_AFTER


def read_pods(pods: Iterable[object]) -> tuple[DrainedPod, ...]:
    """As the table keeps them."""
    return msgspec.convert(tuple(pods), tuple[DrainedPod, ...])
