"""Feed entries made by hand."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.feed_entry import Entry, EventSubject, Operation
from dashboard.objects.kinds.row import Tone
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import EPOCH, Feeder

BEGAN = 1_800_000_000.0
"""When the worker of EPOCH began, which is when a FakeClock begins."""


def entry(
    seq: int, name: str = "web-1", *, at: float = 0.0, op: Operation = "modified", tone: Tone = "ok", words: str = "",
    namespace: str = "shop", owner: str = "", status: str = "", reason: str = "", labels: dict[str, str] | None = None,
    fields: tuple[tuple[str, str], ...] = (), about: EventSubject | None = None,
) -> Entry:  # fmt: skip
    """An entry, `at` seconds after the worker began."""
    return Entry(
        seq, BEGAN + at, op, namespace, name, f"uid-{name}", str(seq), words, tone, EPOCH, status, labels or {}, owner,
        reason, fields, about,
    )  # fmt: skip


def log_of(*kinds: str, most: int = 200_000) -> tuple[FeedHistory, dict[str, Feeder], FakeClock]:
    """A log of these kinds, of which nothing has been told yet."""
    clock = FakeClock()
    feeders = {key: Feeder(key, clock) for key in kinds}
    log = FeedHistory([feeder.replica for feeder in feeders.values()], clock, max_entries=most)
    return log, feeders, clock


def told(log: FeedHistory, key: str, entries: Iterable[Entry], missed: int = 0) -> None:
    """These entries come."""
    log.add(key, Change(entries=list(entries), missed_entries=missed))
