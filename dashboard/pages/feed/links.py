"""Where else to go from a feed: other spans of time, kinds, folds and pages. All of it is in addresses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.live.feed_query import FeedQuery
from dashboard.live.span import Span, duration
from dashboard.resources.kinds import KindInfo
from dashboard.resources.link import Link

ON_PAGE = 200
"""Lines of a page."""
LASTS = (60.0, 300.0, 900.0, 3600.0)
"""Spans until now that are offered, seconds."""


@dataclass(frozen=True, slots=True)
class FeedWays:
    """From `query`, which shows the span from `begin` to `end` (Unix seconds), so many `lines` of it in all."""

    query: FeedQuery
    kinds: Sequence[KindInfo]
    begin: float
    end: float
    now: float
    lines: int

    @property
    def live(self) -> str:
        """Address of the same feed as it goes on now."""
        return self.query.with_(span=Span()).href()

    @property
    def lasts(self) -> tuple[Link, ...]:
        return tuple(
            Link(duration(last), self.query.with_(span=Span(last=last)).href(), self.query.span.last == last)
            for last in LASTS
        )

    @property
    def moves(self) -> tuple[Link, ...]:
        """Spans beside this one, which has ended."""
        width = max(self.end - self.begin, 1.0)
        found = [
            ("Earlier", Span(self.begin - width, self.begin)),
            ("Wider", Span(self.begin - width / 2, min(self.now, self.end + width / 2))),
        ]
        if self.end < self.now:
            found.append(("Later", Span(self.end, min(self.now, self.end + width))))
        return tuple(Link(words, self.query.with_(span=_rounded(span)).href()) for words, span in found)

    @property
    def chips(self) -> tuple[Link, ...]:
        chosen = self.query.kinds
        return (
            Link("All", self.query.with_(kinds=()).href(), not chosen),
            *(Link(kind.title, self.query.with_(kinds=(kind.key,)).href(), kind.key in chosen) for kind in self.kinds),
        )

    @property
    def folding(self) -> str:
        """Address of the same feed with bursts unfolded, or folded where they are not."""
        return self.query.with_(folds=not self.query.folds).href()

    @property
    def pages(self) -> tuple[Link, ...]:
        """The newer and the older lines of a span that has ended."""
        if not self.query.span.is_fixed:
            return ()
        page, last = self.query.page, -(-self.lines // ON_PAGE)
        found = [("Newer", page - 1)] if page > 1 else []
        found += [("Older", page + 1)] if page < last else []
        return tuple(Link(words, self.query.with_(page=number).href()) for words, number in found)


def _rounded(span: Span) -> Span:
    """To whole seconds, so that addresses can be read."""
    begin, end = math.floor(span.begin or 0.0), math.ceil(span.end or 0.0)
    return Span(float(begin), float(max(end, begin + 1)))
