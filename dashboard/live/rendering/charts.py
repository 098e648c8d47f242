"""Charts: changes per second as bars, sparklines and data of the overview's chart; counts by tone as a stacked bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.change_rates import RATES_SECONDS, Rate
from dashboard.objects.kinds.row import Tone

RATE_WINDOW = 10
"""Seconds over which "31 a second" is measured."""
BAR_HEIGHT = 60.0
BAR_SHARE = 0.78
"""Share of its slot that a bar fills; the rest is the space between two bars."""
SPARK_POINTS = 30
SPARK_SECONDS = 10
SPARK_TOP, SPARK_BOTTOM = 3.0, 26.0
CHART_STEP = 5
TONES: tuple[Tone, ...] = ("ok", "busy", "warn", "bad", "idle")
"""The order of pieces in a stacked bar."""
SEGMENT_GAP = 0.25
"""Space between two pieces, of 100."""

OperationCounts = tuple[int, int, int]
"""Objects added, modified, deleted."""


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A piece of a stacked bar, 0 to 100 wide: ``<rect class="f-{tone}" x="{x}" width="{width}">``."""

    tone: Tone
    x: str
    width: str
    count: int


@dataclass(frozen=True, slots=True)
class Bar:
    """Changes in a span of time from `start` (RFC 3339), in a picture 100 wide and 60 high, stacked from below."""

    start: str
    x: str
    width: str
    added: str
    modified: str
    deleted: str
    added_y: str
    modified_y: str
    deleted_y: str
    count: int


def buckets(rates: Iterable[Rate], begin: int, step: int, number: int) -> list[tuple[int, int, int]]:
    """Sums of `rates` in `number` spans of `step` seconds from Unix second `begin`."""
    sums = [[0, 0, 0] for _ in range(number)]
    for second, *counts in rates:
        index = int(second - begin) // step
        if second >= begin and index < number:
            for place, count in enumerate(counts):
                sums[index][place] += count
    return [(added, modified, deleted) for added, modified, deleted in sums]


def begin_of(now: float, step: int, number: int) -> int:
    """Unix second at which the first of `number` spans begins; the last one holds `now`. Each begins at a multiple of
    `step` seconds.
    """
    return (int(now) // step - number + 1) * step


def per_second(rates: Iterable[Rate], now: float) -> float:
    """Changes a second in the last RATE_WINDOW whole seconds."""
    last = int(now)
    return sum(sum(counts) for second, *counts in rates if last - RATE_WINDOW <= second < last) / RATE_WINDOW


def rate_text(rate: float) -> str:
    """``31``, ``0.4``; empty where nothing happens."""
    return "" if not rate else f"{rate:,.0f}" if rate >= 9.5 else f"{rate:.1f}".removesuffix(".0")


def bars(sums: Sequence[OperationCounts], begin: float, step: int) -> tuple[Bar, ...]:
    """Spans of `step` seconds from Unix second `begin` as bars; those in which nothing happened are left out."""
    highest = max((sum(counts) for counts in sums), default=0) or 1
    slot = 100 / max(1, len(sums))
    return tuple(
        _bar(begin + index * step, index * slot, slot, counts, BAR_HEIGHT / highest)
        for index, counts in enumerate(sums)
        if any(counts)
    )


def _bar(start: float, x: float, slot: float, counts: OperationCounts, scale: float) -> Bar:
    added, modified, deleted = (count * scale for count in counts)
    return Bar(
        start=rfc3339(start),
        x=f"{x:.2f}",
        width=f"{slot * BAR_SHARE:.2f}",
        added=f"{added:.1f}",
        modified=f"{modified:.1f}",
        deleted=f"{deleted:.1f}",
        added_y=f"{BAR_HEIGHT - added:.1f}",
        modified_y=f"{BAR_HEIGHT - added - modified:.1f}",
        deleted_y=f"{BAR_HEIGHT - added - modified - deleted:.1f}",
        count=sum(counts),
    )


def sparkline(rates: Iterable[Rate], now: float) -> str:
    """A sparkline's path, 100 wide and 28 high; empty where nothing changed."""
    begin = begin_of(now, SPARK_SECONDS, SPARK_POINTS)
    sums = [sum(counts) for counts in buckets(rates, begin, SPARK_SECONDS, SPARK_POINTS)]
    highest = max(sums)
    if not highest:
        return ""
    scale = (SPARK_BOTTOM - SPARK_TOP) / highest
    points = (
        f"{index * 100 / (SPARK_POINTS - 1):.1f} {SPARK_BOTTOM - count * scale:.1f}" for index, count in enumerate(sums)
    )
    return "M" + " ".join(points)


def chart_begin(now: float) -> int:
    """Unix second at which the overview's chart begins."""
    return begin_of(now, CHART_STEP, RATES_SECONDS // CHART_STEP)


def chart_data(rates: Sequence[Rate], now: float) -> dict[str, object]:
    """The data of the overview's chart: counts in spans of `step` seconds from Unix second `start`."""
    number, begin = RATES_SECONDS // CHART_STEP, chart_begin(now)
    sums = buckets(rates, begin, CHART_STEP, number)
    names = ("added", "modified", "deleted")
    return {"start": begin, "step": CHART_STEP} | {name: [c[i] for c in sums] for i, name in enumerate(names)}


def bar_segments(counts: Mapping[Tone, int]) -> tuple[BarSegment, ...]:
    """The pieces of a stacked bar 100 wide, in the order of TONES, each at least visible."""
    total = sum(counts.values())
    pieces: list[BarSegment] = []
    x = 0.0
    for tone in TONES:
        count = counts.get(tone, 0)
        if count:
            share = 100 * count / total
            pieces.append(BarSegment(tone, f"{min(x, 99.6):.2f}", f"{max(share - SEGMENT_GAP, 0.4):.2f}", count))
            x += share
    return tuple(pieces)


def tone_counts(pairs: Iterable[tuple[Tone, int]]) -> dict[Tone, int]:
    """Sums by tone."""
    counts: dict[Tone, int] = {}
    for tone, count in pairs:
        counts[tone] = counts.get(tone, 0) + count
    return counts


def band_position(since: float, until: float, begin: float, seconds: float) -> tuple[str, str]:
    """Position and width, 0 to 100 from the left, of a time in a picture of `seconds` from Unix second `begin`."""
    x, end = (100 * min(max(moment - begin, 0.0), seconds) / seconds for moment in (since, until))
    return f"{x:.2f}", f"{max(end - x, 0.5):.2f}"


class Band(Protocol):
    """A span of a picture 100 wide."""

    @property
    def x(self) -> str: ...

    @property
    def width(self) -> str: ...


B = TypeVar("B", bound=Band)


def distinct_bands(bands: Iterable[B]) -> Iterator[B]:
    """Those of some bands, from left to right, that can be told apart: 400 at most."""
    end = -1.0
    for band in bands:
        if (right := float(band.x) + float(band.width)) > end + 0.25:
            end = right
            yield band
