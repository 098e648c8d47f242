"""Entries of the feed made by hand."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.live.change import Change
from dashboard.live.feed_log import FeedLog
from dashboard.live.messages import About, Entry, Operation, Tone
from tests.clock import FakeClock
from tests.live.feeder import EPOCH, Feeder

BEGAN = 1_800_000_000.0
"""When the worker of EPOCH began, which is when a FakeClock begins."""


def entry(
    seq: int, name: str = "web-1", *, at: float = 0.0, op: Operation = "modified", tone: Tone = "ok", words: str = "",
    namespace: str = "shop", owner: str = "", status: str = "", reason: str = "", labels: dict[str, str] | None = None,
    fields: tuple[tuple[str, str], ...] = (), about: About | None = None,
) -> Entry:  # fmt: skip
    """An entry, `at` seconds after the worker began."""
    return Entry(
        seq, BEGAN + at, op, namespace, name, f"uid-{name}", str(seq), words, tone, EPOCH, status, labels or {}, owner,
        reason, fields, about,
    )  # fmt: skip


def log_of(*kinds: str, most: int = 200_000) -> tuple[FeedLog, dict[str, Feeder], FakeClock]:
    """A log of these kinds, of which nothing has been told yet."""
    clock = FakeClock()
    feeders = {key: Feeder(key, clock) for key in kinds}
    log = FeedLog([feeder.replica for feeder in feeders.values()], clock, most=most)
    return log, feeders, clock


def told(log: FeedLog, key: str, entries: Iterable[Entry], missed: int = 0) -> None:
    """These entries come."""
    log.add(key, Change(entries=list(entries), missed=missed))
