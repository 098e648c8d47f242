"""What of one kind is how, and what of it is wrong now: counts that are kept, not counted anew each second."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable

from dashboard.live.messages import Row, Tone
from dashboard.live.replica import Change
from dashboard.resources.rows import wrong_span

Span = tuple[float, float]


class Summary:
    """Rows of a kind by tone, and those that are wrong. Time makes rows wrong and right too: call `pass_time`."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.tones: Counter[Tone] = Counter()
        self.wrong: dict[str, Row] = {}
        """By uid."""
        self._spans: dict[str, tuple[Row, Span]] = {}
        self._due: list[tuple[float, str]] = []

    def apply(self, change: Change, now: float) -> None:
        """Take in what changed; `now` in Unix seconds."""
        for old, new in change.rows:
            if old is not None:
                self._remove(old)
            if new is not None:
                self._add(new, now)

    def fill(self, rows: Iterable[Row], now: float) -> None:
        """Start with `rows`."""
        for row in rows:
            self._add(row, now)

    def pass_time(self, now: float) -> bool:
        """Let rows become wrong or right by `now`; whether any did."""
        before = len(self.wrong)
        moved = False
        while self._due and self._due[0][0] <= now:
            uid = heapq.heappop(self._due)[1]
            if uid in self._spans:
                moved = self._judge(uid, now) or moved
        return moved or len(self.wrong) != before

    def longest_wrong(self, number: int) -> list[tuple[float, Row]]:
        """Since when (Unix seconds) and what, the longest first."""
        spans = ((since_of(row, self._spans[uid][1]), row) for uid, row in self.wrong.items())
        return heapq.nsmallest(number, spans, key=lambda pair: (pair[0], pair[1].uid))

    def _add(self, row: Row, now: float) -> None:
        self.tones[row.tone] += 1
        span = wrong_span(self.key, row)
        if span is not None:
            self._spans[row.uid] = (row, span)
            self._judge(row.uid, now)

    def _remove(self, row: Row) -> None:
        self.tones[row.tone] -= 1
        self._spans.pop(row.uid, None)
        self.wrong.pop(row.uid, None)

    def _judge(self, uid: str, now: float) -> bool:
        """Whether the row changed sides; notes when it will be asked again."""
        row, (begin, end) = self._spans[uid]
        was = uid in self.wrong
        if begin <= now < end:
            self.wrong[uid] = row
        else:
            self.wrong.pop(uid, None)
        due = begin if now < begin else end if now < end else None
        if due is not None and due != float("inf"):
            heapq.heappush(self._due, (due, uid))
        return was != (uid in self.wrong)


def since_of(row: Row, span: Span) -> float:
    """Unix seconds since when it is wrong: what the row says, else the beginning of its span."""
    return row.since if row.since is not None else span[0]
