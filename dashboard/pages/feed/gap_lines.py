"""Gaps of history among the lines of the feed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dashboard.live.moments.recorded_feed import RecordedGap
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.pages.feed.lines import FeedLine
from dashboard.pages.feed.recorded_reading import RecordedReading


@dataclass(frozen=True, slots=True)
class GapLine:
    """A time in which nothing was recorded, for `feed/_gap.html`, which sees it as ``line``."""

    is_gap: ClassVar[bool] = True
    summary: ClassVar[str] = ""
    id: str
    """Id of its element. It sorts as the lines' ids do."""
    since: str
    since_text: str
    until: str
    until_text: str
    reason: str


def with_gaps(
    lines: Sequence[FeedLine], reading: RecordedReading | None, *, is_last: bool
) -> Iterator[FeedLine | GapLine]:
    """The lines, newest first, with the gaps between them; `is_last`: whether no older lines follow."""
    gaps = sorted(reading.gaps if reading is not None else (), key=lambda gap: gap.since, reverse=True)
    place = 0
    for line in lines:
        while place < len(gaps) and gaps[place].since >= line.entry.time:
            yield gap_line(gaps[place])
            place += 1
        yield line
    if is_last and reading is not None and lines:
        yield from (gap_line(gap) for gap in gaps[place:] if gap.since >= reading.complete_from)


def gap_line(gap: RecordedGap) -> GapLine:
    """The line of a gap."""
    return GapLine(
        id=f"e{int(gap.since * 1e6):016d}-gap",
        since=rfc3339(round(gap.since, 3)),
        since_text=utc_text(gap.since),
        until=rfc3339(round(gap.until, 3)),
        until_text=utc_text(gap.until),
        reason=gap.reason,
    )
