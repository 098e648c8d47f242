"""Gaps among the lines of the feed: times of which not every change is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from dashboard.live.moments.recorded_feed import RecordedGap
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.pages.feed.lines import FeedLine


@dataclass(frozen=True, slots=True)
class GapLine:
    """A time in which changes may be missing, for `feed/_gap.html`, which sees it as ``line``."""

    is_gap: ClassVar[bool] = True
    summary: ClassVar[str] = ""
    id: str
    """Id of its element. It sorts as the lines' ids do, above those of the moment at which the gap begins."""
    since: str
    since_text: str
    until: str
    until_text: str
    reason: str
    """Why nothing was recorded, as a clause; empty where no worker reported changes."""
    titles: str
    """The kinds of which that is so, where they are not all."""
    count: int
    """Gaps of the same kinds that it stands for: no line parts them."""


def with_gaps(
    lines: Sequence[FeedLine],
    gaps: Sequence[RecordedGap],
    titles_of: Callable[[RecordedGap], str],
    after: str,
    since: float,
) -> Iterator[FeedLine | GapLine]:
    """The lines of a page, newest first, with the gaps between them. `after` is the id of the last line of the page
    before it, empty where there is none: its gaps have been drawn. Gaps from `since` on, Unix seconds, may come after
    the last line.
    """
    left = sorted(((_id(gap), gap) for gap in gaps), key=lambda each: each[0])
    while left and after and left[-1][0] > after:
        left.pop()
    for line in lines:
        above: list[RecordedGap] = []
        while left and left[-1][0] > line.id:
            above.append(left.pop()[1])
        yield from _gap_lines(above, titles_of)
        yield line
    yield from _gap_lines([gap for _, gap in reversed(left) if gap.since >= since], titles_of)


def _id(gap: RecordedGap) -> str:
    return f"e{int(gap.since * 1e6):016d}-zz-gap-{int(gap.until * 1e6)}"


def _gap_lines(gaps: Sequence[RecordedGap], titles_of: Callable[[RecordedGap], str]) -> Iterator[GapLine]:
    """The lines of gaps that no other line parts, newest first."""
    for _, each in groupby(gaps, key=lambda gap: (gap.keys, not gap.reason)):
        same = list(each)
        newest, since = same[0], same[-1].since
        until = max(gap.until for gap in same)
        yield GapLine(
            id=_id(newest),
            since=rfc3339(round(since, 3)),
            since_text=utc_text(since),
            until=rfc3339(round(until, 3)),
            until_text=utc_text(until),
            reason=newest.reason,
            titles=titles_of(newest),
            count=len(same),
        )
