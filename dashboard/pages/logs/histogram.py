"""Counts of a view's lines by second and severity, and the bars that show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.objects.logs.severity import SEVERITIES
from dashboard.pages.feed.time_range import iso, step_for
from dashboard.runtime.counts_and_times import parse_timestamp
from informerd.logs.log_lines import PREFIX, split_time

MAX_SECONDS = 20_000
"""Most seconds that have counts of their own; the oldest are dropped."""
BARS = 60
HEIGHT = 60.0
UNJUDGED = len(SEVERITIES)
COUNTED = (*SEVERITIES, "unjudged")
"""Names of what is counted, by number."""
WORST_FIRST = (*reversed(range(UNJUDGED)), UNJUDGED)


@dataclass(frozen=True, slots=True)
class BarPart:
    """The lines of one severity in a bar; in units of the picture."""

    severity: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class LogBar:
    x: float
    width: float
    title: str
    parts: tuple[BarPart, ...]


@dataclass(frozen=True, slots=True)
class LogBars:
    """The picture. Times are RFC 3339."""

    begin: str
    end: str
    step: int
    """Seconds of a bar."""
    bars: tuple[LogBar, ...]
    totals: tuple[tuple[str, int], ...]
    """Lines by severity, worst first."""

    def share_before(self, time: bytes) -> float:
        """Percentage of the picture's width that is before the time of a line."""
        begin, end = parse_timestamp(self.begin) or 0.0, parse_timestamp(self.end) or 0.0
        moment = (split_time(time)[0] or 0) / 1e9
        return round(100 * min(1.0, max(0.0, (moment - begin) / (end - begin))), 2)


class LogHistogram:
    """Counts lines. Those whose severity was not judged, because too many came at once, have counts of their own."""

    def __init__(self) -> None:
        self._counts: dict[bytes, list[int]] = {}

    def add(self, lines: Sequence[bytes], severities: Sequence[int] | None) -> None:
        """Count lines, each with its time; without `severities` they are not judged."""
        if severities is None:
            for second, count in Counter([line[:PREFIX] for line in lines]).items():
                self._of(second)[UNJUDGED] += count
        else:
            for line, severity in zip(lines, severities, strict=True):
                self._of(line[:PREFIX])[severity] += 1
        if len(self._counts) > MAX_SECONDS:
            for second in sorted(self._counts)[: MAX_SECONDS // 10]:
                del self._counts[second]

    def clear(self) -> None:
        self._counts.clear()

    @property
    def total(self) -> int:
        return sum(map(sum, self._counts.values()))

    def bars(self) -> LogBars | None:
        """The bars from the first line to the last; None where there is none."""
        moments = sorted((moment, counts) for second, counts in self._counts.items() if (moment := _unix(second)))
        if not moments:
            return None
        begin, last = moments[0][0], moments[-1][0]
        step = step_for(last - begin + 1, BARS)
        begin -= begin % step
        number = (last - begin) // step + 1
        sums = [[0] * len(COUNTED) for _ in range(number)]
        for moment, counts in moments:
            bar = sums[(moment - begin) // step]
            for severity, count in enumerate(counts):
                bar[severity] += count
        highest = max(map(sum, sums))
        width = 100 / number
        time_format = "%H:%M:%S" if _day(begin) == _day(last) else "%m-%d %H:%M:%S"
        bars = tuple(
            LogBar(
                round(place * width, 3),
                round(width * 0.86, 3),
                _title(f"{datetime.fromtimestamp(begin + place * step, UTC):{time_format}} UTC", each),
                _parts(each, highest),
            )
            for place, each in enumerate(sums)
            if any(each)
        )
        totals = [sum(each[place] for each in sums) for place in range(len(COUNTED))]
        named = tuple((COUNTED[place], totals[place]) for place in WORST_FIRST if totals[place])
        return LogBars(iso(begin), iso(begin + number * step), step, bars, named)

    def _of(self, second: bytes) -> list[int]:
        counts = self._counts.get(second)
        if counts is None:
            counts = self._counts[second] = [0] * len(COUNTED)
        return counts


def _parts(counts: Sequence[int], highest: int) -> tuple[BarPart, ...]:
    parts, y = [], HEIGHT
    for severity in WORST_FIRST:  # the worst at the bottom, where bars can be compared
        if counts[severity]:
            height = max(0.8, HEIGHT * counts[severity] / highest)
            y -= height
            parts.append(BarPart(COUNTED[severity], round(max(0.0, y), 2), round(height, 2)))
    return tuple(parts)


def _title(time: str, counts: Sequence[int]) -> str:
    said = ", ".join(
        f"{counts[each]:,} {SEVERITIES[each]}" for each in reversed(range(1, len(SEVERITIES))) if counts[each]
    )
    lines = f"{sum(counts):,} line{'s' if sum(counts) != 1 else ''}"
    return f"{lines} from {time}{f': {said}' if said else ''}"


def _day(moment: int) -> int:
    return moment // 86400


def _unix(second: bytes) -> int:
    try:
        return int(datetime.fromisoformat(f"{second.decode()}+00:00").timestamp())
    except ValueError:
        return 0
