"""What of one kind is how, and what of it is wrong now: counts that are kept, not counted anew each second."""

from __future__ import annotations

import logging
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable

from dashboard.live.change import Change
from dashboard.live.due_times import DueTimes
from dashboard.live.messages import Row, Tone
from dashboard.live.replica import Replica
from dashboard.resources.rows import wrong_span
from informerd.clock import Clock

logger = logging.getLogger(__name__)

Span = tuple[float, float]


class Summary:
    """Rows of a kind by tone, and those that are wrong. Time makes rows wrong and right too: call `pass_time`."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.tones: Counter[Tone] = Counter()
        self.tones_in: dict[str, Counter[Tone]] = {}
        """The same by namespace."""
        self.wrong: dict[str, Row] = {}
        """By uid."""
        self.longest: list[tuple[float, str]] = []
        """Unix seconds since when, and uid, of all that is wrong, in this order."""
        self.sorts: Counter[tuple[str, str, Tone]] = Counter()
        """How many are wrong, by namespace, status and tone."""
        self._since: dict[str, float] = {}
        self._spans: dict[str, tuple[Row, Span]] = {}
        self._due = DueTimes()

    def apply(self, change: Change, now: float) -> None:
        """Take in what changed; `now` in Unix seconds."""
        for old, new in change.rows:
            if old is not None:
                self._remove(old)
            if new is not None:
                self._add(new, now)
            elif old is not None:
                self._due.note(old.uid, None)

    def fill(self, rows: Iterable[Row], now: float) -> None:
        """Start with `rows`."""
        for row in rows:
            self._add(row, now)

    def pass_time(self, now: float) -> bool:
        """Let rows become wrong or right by `now`; whether any did."""
        before = len(self.wrong)
        moved = False
        for uid in self._due.pop(now):
            moved = self._judge(uid, now) or moved
        return moved or len(self.wrong) != before

    def _add(self, row: Row, now: float) -> None:
        self.tones[row.tone] += 1
        self.tones_in.setdefault(row.namespace, Counter())[row.tone] += 1
        span = wrong_span(self.key, row)
        if span is None:
            self._due.note(row.uid, None)
        else:
            self._spans[row.uid] = (row, span)
            self._judge(row.uid, now)

    def _remove(self, row: Row) -> None:
        self.tones[row.tone] -= 1
        here = self.tones_in[row.namespace]
        here[row.tone] -= 1
        if not any(here.values()):
            del self.tones_in[row.namespace]
        self._spans.pop(row.uid, None)
        self._unmark(row.uid)

    def _judge(self, uid: str, now: float) -> bool:
        """Whether the row changed sides; notes when it will be asked again."""
        row, (begin, end) = self._spans[uid]
        was = uid in self.wrong
        self._unmark(uid)
        if begin <= now < end:
            self._mark(uid, row, begin)
        due = begin if now < begin else end if now < end else None
        self._due.note(uid, None if due == float("inf") else due)
        return was != (uid in self.wrong)

    def _mark(self, uid: str, row: Row, begin: float) -> None:
        self.wrong[uid] = row
        since = self._since[uid] = row.since if row.since is not None else begin
        insort(self.longest, (since, uid))
        self.sorts[row.namespace, row.status, row.tone] += 1

    def _unmark(self, uid: str) -> None:
        if (row := self.wrong.pop(uid, None)) is None:
            return
        del self.longest[bisect_left(self.longest, (self._since.pop(uid), uid))]
        sort = (row.namespace, row.status, row.tone)
        self.sorts[sort] -= 1
        if not self.sorts[sort]:
            del self.sorts[sort]


class Summaries:
    """The summaries of several kinds, kept current. What fails in one is logged, and that kind is counted anew."""

    def __init__(self, replicas: Iterable[Replica], clock: Clock) -> None:
        self._replicas = {replica.key: replica for replica in replicas}
        self._clock = clock
        self.by_key = {key: Summary(key) for key in self._replicas}
        self.failing: set[str] = set()
        """Kinds that cannot be counted: what their summary says is not to be believed. Tried again each second."""
        for key in self._replicas:
            self._count(key)

    def add(self, replica: Replica) -> None:
        """Count one more kind."""
        self._replicas[replica.key] = replica
        self._count(replica.key)

    def remove(self, key: str) -> None:
        """Count a kind no more."""
        self.failing.discard(key)
        del self._replicas[key], self.by_key[key]

    def apply(self, key: str, change: Change) -> None:
        """Take in what changed in kind `key`."""
        if key in self.failing:
            return
        try:
            self.by_key[key].apply(change, self._clock.time())
        except Exception:
            logger.exception("a change of %s could not be counted; they are counted anew", key)
            self._count(key)

    def pass_time(self, now: float) -> None:
        """Let rows become wrong or right by `now` (Unix seconds)."""
        for key, summary in list(self.by_key.items()):
            try:
                if key not in self.failing:
                    summary.pass_time(now)
                    continue
            except Exception:
                logger.exception("what is wrong of %s could not be told; they are counted anew", key)
            self._count(key)

    def _count(self, key: str) -> None:
        summary = self.by_key[key] = Summary(key)
        try:
            summary.fill(self._replicas[key].rows.values(), self._clock.time())
            self.failing.discard(key)
        except Exception:
            if key not in self.failing:
                logger.exception("%s cannot be counted", key)
            self.failing.add(key)
