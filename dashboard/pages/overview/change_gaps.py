"""Gaps in the overview's changes: times in which not every change was recorded, for its chart, tiles and list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dashboard.live.moments.recorded_feed import RecordedGap, join_gaps
from dashboard.live.rendering.charts import SPARK_POINTS, SPARK_SECONDS, band_position, begin_of, chart_begin
from dashboard.live.replication.feed_history import join_periods
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.feed.timestamp import Timestamp, moment_of

MAX_NAMED = 4
"""Gaps of the chart that are told in words."""
MIN_SECONDS = 5.0
"""Shortest time before what is known that is drawn: a step of the chart."""


@dataclass(frozen=True, slots=True)
class ChartGap:
    """A gap in the chart, in words."""

    begin: Timestamp | None
    """None where it is the time before changes are counted."""
    end: Timestamp
    titles: str
    """The kinds of which that is so, where they are not all."""
    reason: str
    """Why nothing was recorded, as a clause; empty where no worker reported changes."""


@dataclass(frozen=True, slots=True)
class SparkGap:
    """A gap in a sparkline, 0 to 100 from the left."""

    x: str
    width: str


class ChangeGaps:
    """Gaps of `kinds` at Unix time `now`; to be used immediately."""

    def __init__(
        self,
        history: ReadableHistory,
        kinds: Iterable[KindInfo],
        now: float,
        counted_from: Callable[[str], float],
        recorded: Sequence[RecordedGap] = (),
    ) -> None:
        """`counted_from`: Unix seconds from when on all changes of a kind are counted; `recorded`: gaps of history
        before that.
        """
        self._history = history
        self._titles = {kind.key: kind.title for kind in kinds}
        self._now = now
        self._counted_from = counted_from
        self._recorded = recorded

    def of_lines(self) -> list[RecordedGap]:
        """All that are remembered, oldest first."""
        return self._remembered(-math.inf)

    @property
    def is_now(self) -> bool:
        """Whether the moment itself is in one."""
        return any(gap.until >= self._now for gap in self.of_lines())

    def titles(self, gap: RecordedGap) -> str:
        """The kinds of a gap by their titles; empty where these are all."""
        named = [title for key, title in self._titles.items() if key in gap.keys]
        return "" if len(named) == len(self._titles) else ", ".join(sorted(named))

    def of_chart(self) -> list[tuple[float, float]]:
        """The times within the chart, in Unix seconds, of which some kind's changes are not all known."""
        begin = chart_begin(self._now)
        return join_periods(period for key in self._titles for period in self._periods(key, begin))

    def named(self) -> tuple[ChartGap, ...]:
        """The newest of the chart, MAX_NAMED at most, each with its own beginning, also where that is before the
        chart's.
        """
        begin = chart_begin(self._now)
        gaps = self._remembered(begin)
        known = {key: min(self._counted_from(key), self._now) for key in self._titles}
        for gap in self._recorded:
            is_uncounted = gap.until > begin and any(gap.since < known.get(key, -math.inf) for key in gap.keys)
            if is_uncounted and not any(gap.keys & each.keys and each.since < gap.until for each in gaps):
                gaps.append(gap)
        uncounted = join_gaps(
            RecordedGap(-math.inf, until, frozenset({key}), "")
            for key, until in known.items()
            if until >= begin + MIN_SECONDS
            and not any(
                key in gap.keys and gap.since <= begin + MIN_SECONDS and gap.until >= until - MIN_SECONDS
                for gap in gaps
            )
        )
        newest = sorted([*gaps, *uncounted], key=lambda gap: gap.until)[-MAX_NAMED:]
        return tuple(
            ChartGap(
                moment_of(math.floor(gap.since)) if math.isfinite(gap.since) else None,
                moment_of(math.ceil(gap.until)),
                self.titles(gap),
                gap.reason,
            )
            for gap in newest
        )

    def of_sparkline(self, key: str) -> tuple[SparkGap, ...]:
        """Those of a kind in its sparkline."""
        begin, seconds = begin_of(self._now, SPARK_SECONDS, SPARK_POINTS), SPARK_POINTS * SPARK_SECONDS
        return tuple(
            SparkGap(*band_position(since, until, begin, seconds)) for since, until in self._periods(key, begin)
        )

    def _remembered(self, begin: float) -> list[RecordedGap]:
        """Those after `begin`, Unix seconds, oldest first, each with its own beginning."""
        return join_gaps(
            RecordedGap(since, until, frozenset({key}), self._history.gap_reason(key, since))
            for key in self._titles
            for since, until in self._history.unannounced_periods([key], begin, self._now)
        )

    def _periods(self, key: str, begin: float) -> list[tuple[float, float]]:
        """The times from `begin` on of which not all changes of a kind are known."""
        known = min(self._counted_from(key), self._now)
        before = [(begin, known)] if known >= begin + MIN_SECONDS else []
        periods = self._history.unannounced_periods([key], begin, self._now)
        return join_periods([*before, *((max(since, begin), min(until, self._now)) for since, until in periods)])
