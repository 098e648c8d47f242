"""Health counts of one kind, and its unhealthy objects, kept up to date instead of recounted each second."""

from __future__ import annotations

import logging
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from dashboard.live.replication.joined_rows import RowsOf
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers import unhealthy_span
from dashboard.runtime.due_times import DueTimes
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.clock import Clock

logger = logging.getLogger(__name__)

COUNTED_IN_STEP = 128
"""Rows that are counted in one step."""
UnhealthyPeriod = tuple[float, float]
UNKNOWN_SINCE = float("inf")
"""Moment since when a row is unhealthy whose object does not say it: such rows come last among those of their tone."""
_RANKS: Mapping[Tone, int] = {"bad": 0, "warn": 1, "busy": 2}


class KindSummary:
    """Rows of a kind by tone, and the unhealthy ones. Time alone makes rows unhealthy and healthy too: call
    `pass_time`.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.tones: Counter[Tone] = Counter()
        self.tones_in: dict[str, Counter[Tone]] = {}
        """The same by namespace."""
        self.unhealthy_rows: dict[str, Row] = {}
        """By uid, with those that are well now and were in a crash loop a few minutes ago."""
        self.worst_first: list[tuple[int, float, str]] = []
        """Rank of the tone (0: bad, or in a crash loop until now), since when (Unix seconds), and uid, of every
        unhealthy row, in this order.
        """
        self.group_counts: Counter[tuple[str, str, Tone]] = Counter()
        """Number of unhealthy rows by namespace, status and tone; ok: it is well now."""
        self._unhealthy_tones: Counter[Tone] = Counter()
        self.version = 0
        """Another number after each change of what is unhealthy."""
        self._places: dict[str, tuple[int, float, str]] = {}
        self._spans: dict[str, tuple[Row, UnhealthyPeriod]] = {}
        self._due = DueTimes()
        self._uncounted: set[str] = set()
        """Uids that `fill_in_steps` has not come to, and that have not changed since it began."""

    def apply(self, change: Change, now: float) -> None:
        """Apply a change; `now` in Unix seconds."""
        for old, new in change.rows:
            if old is not None and not self._is_uncounted(old.uid):
                self._remove(old)
            if new is not None:
                self._add(new, now)
            elif old is not None:
                self._due.note(old.uid, None)

    def fill(self, rows: Iterable[Row], now: float) -> None:
        """Start with `rows`."""
        for row in rows:
            self._add(row, now)

    def fill_in_steps(self, rows: Mapping[str, Row], uids: Iterable[str], clock: Clock) -> SlicedWork:
        """Start with the rows of these uids that there are: the first step notes the uids. Changes may come from then
        on, each by `apply`, too.
        """
        self._uncounted.update(uids)
        yield None
        while self._uncounted:
            now = clock.time()
            for _ in range(min(COUNTED_IN_STEP, len(self._uncounted))):
                if (row := rows.get(self._uncounted.pop())) is not None:
                    self._add(row, now)
            yield None

    def _is_uncounted(self, uid: str) -> bool:
        """Whether a row that has changed is not counted yet. From now on it is."""
        if uid not in self._uncounted:
            return False
        self._uncounted.remove(uid)
        return True

    def count_wrong(self, namespaces: Collection[str] = ()) -> Counter[Tone]:
        """Number of rows in these namespaces (empty: everywhere) by tone that are wrong now."""
        if namespaces:
            counts: Counter[Tone] = Counter()
            for (namespace, _, tone), count in self.group_counts.items():
                counts[tone] += count if namespace in namespaces else 0
        else:  # each heartbeat asks, however many groups there are
            counts = self._unhealthy_tones.copy()
        del counts["ok"]
        return +counts

    def pass_time(self, now: float) -> bool:
        """Let rows become unhealthy or healthy by `now`. Returns whether any did."""
        before = len(self.unhealthy_rows)
        moved = False
        for uid in self._due.pop_due(now):
            moved = self._judge(uid, now) or moved
        return moved or len(self.unhealthy_rows) != before

    def _add(self, row: Row, now: float) -> None:
        self.tones[row.tone] += 1
        self.tones_in.setdefault(row.namespace, Counter())[row.tone] += 1
        span = unhealthy_span(self.key, row)
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
        """Check one row. Returns whether it changed sides; notes when to check it again."""
        row, (begin, end) = self._spans[uid]
        was = uid in self.unhealthy_rows
        self._unmark(uid)
        if begin <= now < end:
            self._mark(uid, row, begin)
        due = begin if now < begin else end if now < end else None
        self._due.note(uid, None if due == float("inf") else due)
        return was != (uid in self.unhealthy_rows)

    def _mark(self, uid: str, row: Row, begin: float) -> None:
        self.version += 1
        self.unhealthy_rows[uid] = row
        since = row.since if row.since is not None else begin or UNKNOWN_SINCE
        rank = _RANKS.get(row.tone, len(_RANKS)) if row.until is None else 0  # it keeps its place while it runs
        self._places[uid] = (rank, since, uid)
        insort(self.worst_first, self._places[uid])
        self.group_counts[row.namespace, row.status, row.tone] += 1
        self._unhealthy_tones[row.tone] += 1

    def _unmark(self, uid: str) -> None:
        if (row := self.unhealthy_rows.pop(uid, None)) is None:
            return
        self.version += 1
        del self.worst_first[bisect_left(self.worst_first, self._places.pop(uid))]
        sort = (row.namespace, row.status, row.tone)
        self._unhealthy_tones[row.tone] -= 1
        self.group_counts[sort] -= 1
        if not self.group_counts[sort]:
            del self.group_counts[sort]


class KindSummaries:
    """Summaries of several kinds. An error in one is logged, and that kind is counted again.

    The counts are complete once `schedule` has done the work that it gets.
    """

    def __init__(
        self,
        replicas: Iterable[ReadableReplica],
        clock: Clock,
        schedule: Callable[[SlicedWork], None] = run_at_once,
    ) -> None:
        self._schedule = schedule
        self._replicas = {replica.key: replica for replica in replicas}
        self._clock = clock
        self.by_key = {key: KindSummary(key) for key in self._replicas}
        self.failing_keys: set[str] = set()
        """Kinds whose count failed: their summary is not reliable. Counted again each second."""
        for key in self._replicas:
            self._schedule(self._count_in_steps(key))

    def add(self, replica: ReadableReplica) -> None:
        """Count one more kind."""
        self._replicas[replica.key] = replica
        self._schedule(self._count_in_steps(replica.key))

    def remove(self, key: str) -> None:
        """Stop counting a kind."""
        self.failing_keys.discard(key)
        del self._replicas[key], self.by_key[key]

    def apply(self, key: str, change: Change) -> None:
        """Apply a change of kind `key`."""
        if key in self.failing_keys:
            return
        try:
            self.by_key[key].apply(change, self._clock.time())
        except Exception:
            logger.exception("a change of %s could not be counted; counting all of them again", key)
            self._count(key)

    def pass_time(self, now: float) -> None:
        """Let rows become unhealthy or healthy by `now` (Unix seconds)."""
        for key, summary in list(self.by_key.items()):
            try:
                if key not in self.failing_keys:
                    summary.pass_time(now)
                    continue
            except Exception:
                logger.exception("unhealthy %s could not be determined; counting all of them again", key)
            self._count(key)

    def _count(self, key: str) -> None:
        run_at_once(self._count_in_steps(key))

    def _count_in_steps(self, key: str) -> SlicedWork:
        """Count a kind. The work ends early where that begins anew meanwhile."""
        self.by_key[key] = summary = KindSummary(key)
        work = self._fill(summary, self._replicas[key])
        next(work, None)  # it knows from now on what it has to count
        return work

    def _fill(self, summary: KindSummary, replica: ReadableReplica) -> SlicedWork:
        key = summary.key
        try:
            uids, rows = replica.possible_uids(), RowsOf(replica)
            for step in summary.fill_in_steps(rows, uids, self._clock):
                yield step
                if self.by_key.get(key) is not summary:
                    return
            self.failing_keys.discard(key)
        except Exception:
            if key not in self.failing_keys:
                logger.exception("%s cannot be counted", key)
            self.failing_keys.add(key)
