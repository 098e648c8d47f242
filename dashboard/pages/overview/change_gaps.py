"""Gaps in the overview's changes: times in which not every change was recorded, for its chart, tiles and list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dashboard.live.moments.recorded_feed import RecordedGap, join_gaps
from dashboard.live.rendering.charts import SPARK_POINTS, SPARK_SECONDS, band_position, begin_of, chart_begin
from dashboard.live.replication.feed_history import join_periods
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.feed.timestamp import Timestamp, moment_of
from dashboard.runtime.read_only import is_past_shown

MAX_NAMED = 4
"""Gaps of the chart that are told in words."""
MIN_SECONDS = 5.0
"""Shortest time before what is known that is drawn: a step of the chart."""


@dataclass(frozen=True, slots=True)
class ChartGap:
    """A gap in the chart, in words."""

    begin: Timestamp | None
    """None where it began before the chart does."""
    end: Timestamp
    titles: str
    """The kinds of which that is so, where they are not all."""


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
    ) -> None:
        """`counted_from`: Unix seconds from when on all changes of a kind are counted."""
        self._history = history
        self._titles = {kind.key: kind.title for kind in kinds}
        self._now = now
        self._counted_from = counted_from

    def of_lines(self) -> list[RecordedGap]:
        """All that are remembered, oldest first."""
        reason = "nothing was recorded" if is_past_shown() else ""
        return join_gaps(
            RecordedGap(since, until, frozenset({key}), reason)
            for key in self._titles
            for since, until in self._history.unannounced_periods([key], -math.inf, self._now)
        )

    @property
    def is_now(self) -> bool:
        """Whether the moment itself is in one."""
        return any(gap.until >= self._now for gap in self.of_lines())

    def titles(self, gap: RecordedGap) -> str:
        """The kinds of a gap by their titles; empty where these are all."""
        return "" if gap.keys >= self._titles.keys() else ", ".join(sorted(self._titles[key] for key in gap.keys))

    def of_chart(self) -> list[tuple[float, float]]:
        """The times within the chart, in Unix seconds, of which some kind's changes are not all known."""
        return join_periods((gap.since, gap.until) for gap in self._of_chart())

    def named(self) -> tuple[ChartGap, ...]:
        """The newest of the chart, MAX_NAMED at most."""
        begin = chart_begin(self._now)
        return tuple(
            ChartGap(
                None if gap.since <= begin else moment_of(math.floor(gap.since)),
                moment_of(math.ceil(gap.until)),
                self.titles(gap),
            )
            for gap in self._of_chart()[-MAX_NAMED:]
        )

    def of_sparkline(self, key: str) -> tuple[SparkGap, ...]:
        """Those of a kind in its sparkline."""
        begin, seconds = begin_of(self._now, SPARK_SECONDS, SPARK_POINTS), SPARK_POINTS * SPARK_SECONDS
        return tuple(
            SparkGap(*band_position(since, until, begin, seconds)) for since, until in self._periods(key, begin)
        )

    def _of_chart(self) -> list[RecordedGap]:
        begin = chart_begin(self._now)
        return join_gaps(
            RecordedGap(since, until, frozenset({key}), "")
            for key in self._titles
            for since, until in self._periods(key, begin)
        )

    def _periods(self, key: str, begin: float) -> list[tuple[float, float]]:
        """The times from `begin` on of which not all changes of a kind are known."""
        known = min(self._counted_from(key), self._now)
        before = [(begin, known)] if known >= begin + MIN_SECONDS else []
        periods = self._history.unannounced_periods([key], begin, self._now)
        return join_periods([*before, *((max(since, begin), min(until, self._now)) for since, until in periods)])
