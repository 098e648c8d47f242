"""Links from a feed to other time spans, kinds, folds and pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.time_range import TimeRange, duration_param
from dashboard.runtime.text_with_links import Link

PAGE_SIZE = 200
"""Lines of a page."""
RECENT_RANGES = (60.0, 300.0, 900.0, 3600.0)
"""Offered spans until now, in seconds."""
LONG_RANGES = (6 * 3600.0, 86400.0, 7 * 86400.0, 30 * 86400.0)
"""Those that are offered where history reaches farther back than the next shorter one."""


@dataclass(frozen=True, slots=True)
class FeedLinks:
    """Links from `query`, which shows the span from `begin` to `end` (Unix seconds) with `lines` lines in all."""

    query: FeedQuery
    kinds: Sequence[KindInfo]
    begin: float
    end: float
    now: float
    lines: int
    history_begin: float | None = None
    """Unix seconds of the beginning of history; None where none is kept."""

    @property
    def live_href(self) -> str:
        """Address of the same feed, live."""
        return self.query.with_(span=TimeRange()).href()

    @property
    def recent_ranges(self) -> tuple[Link, ...]:
        reach = self.now - self.history_begin if self.history_begin is not None else 0.0
        longer = tuple(last for before, last in pairwise((RECENT_RANGES[-1], *LONG_RANGES)) if before < reach)
        links = [
            Link(duration_param(last), self.query.with_(span=TimeRange(last=last)).href(), self.query.span.last == last)
            for last in (*RECENT_RANGES, *longer)
        ]
        if longer and self.history_begin is not None:
            everything = TimeRange(float(math.floor(self.history_begin)))
            links.append(Link("All", self.query.with_(span=everything).href(), self.query.span == everything))
        return tuple(links)

    @property
    def neighbours(self) -> tuple[Link, ...]:
        """Spans before and after this one, which has ended."""
        width = max(self.end - self.begin, 1.0)
        links = [
            ("Earlier", TimeRange(self.begin - width, self.begin)),
            ("Wider", TimeRange(self.begin - width / 2, min(self.now, self.end + width / 2))),
        ]
        if self.end < self.now:
            links.append(("Later", TimeRange(self.end, min(self.now, self.end + width))))
        return tuple(Link(words, self.query.with_(span=_rounded(span)).href()) for words, span in links)

    @property
    def kind_links(self) -> tuple[Link, ...]:
        chosen = self.query.kinds
        return (
            Link("All", self.query.with_(kinds=()).href(), not chosen),
            *(Link(kind.title, self.query.with_(kinds=(kind.key,)).href(), kind.key in chosen) for kind in self.kinds),
        )

    @property
    def toggle_folds_href(self) -> str:
        """Address of the same feed with bursts unfolded, or folded where they are unfolded."""
        return self.query.with_(folds=not self.query.folds).href()

    @property
    def pages(self) -> tuple[Link, ...]:
        """Links to newer and older lines of a span that has ended."""
        if not self.query.span.is_fixed:
            return ()
        page, last = self.query.page, -(-self.lines // PAGE_SIZE)
        links = [("Newer", page - 1)] if page > 1 else []
        links += [("Older", page + 1)] if page < last else []
        return tuple(Link(words, self.query.with_(page=number).href()) for words, number in links)


def _rounded(time_range: TimeRange) -> TimeRange:
    """A span in whole seconds, for readable addresses."""
    begin, end = math.floor(time_range.begin or 0.0), math.ceil(time_range.end or 0.0)
    return TimeRange(float(begin), float(max(end, begin + 1)))
