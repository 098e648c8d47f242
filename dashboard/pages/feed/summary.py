"""What the feed's page says beside its lines: sums, the histogram, from when on anything is known, where else to go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from dashboard.live.feed_log import KEPT_FOR, FeedLog
from dashboard.live.feed_query import FeedQuery
from dashboard.live.feed_search import MOST
from dashboard.live.feed_shown import Shown
from dashboard.live.feed_ways import ON_PAGE, FeedWays
from dashboard.live.histogram import Bar, Counts, bars, rate_words
from dashboard.live.lines import duration_words, rfc3339, utc_words
from dashboard.live.span import USUAL
from dashboard.live.tally import Pace, Tally
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment for people: `text` is UTC, `datetime` RFC 3339, `field` what a datetime-local input takes."""

    text: str
    datetime: str
    field: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which no worker told what changed, and its place in the picture, 0 to 100 from its left."""

    begin: Moment
    end: Moment
    x: str
    width: str


class Feed(Protocol):
    """What is needed of a FeedView."""

    query: FeedQuery
    keys: tuple[str, ...]
    kinds: tuple[KindInfo, ...]
    log: FeedLog
    clock: Clock
    shown: Shown
    tally: Tally
    pace: Pace
    told_pace: Pace
    missed: int
    complete_from: float

    @property
    def hidden(self) -> int: ...


class FeedPage:
    """Of a view as it is now; to be used at once."""

    def __init__(self, view: Feed) -> None:
        self._view = view
        self._query = view.query
        self._span = view.query.span
        self._now = view.clock.time()
        self._known_from = view.log.known_from(view.keys)
        self.begin_at, self.end_at = self._span.pictured(self._now, self._known_from)

    # --- counts ---

    @property
    def rate_text(self) -> str:
        """``31 a second``; with what is shown of it, where that is less: ``showing 240 of 2,013 a second``."""
        if self._span.is_fixed:
            return f"{self.total:,} change{'' if self.total == 1 else 's'}"
        rate, told = self._view.pace.per_second(self._now), self._view.told_pace.per_second(self._now)
        words = rate_words(rate)
        if not words:
            return "quiet"
        sampled = rate >= 1 and told < 0.9 * rate and self._view.hidden
        return f"showing {rate_words(told) or '0'} of {words} a second" if sampled else f"{words} a second"

    @cached_property
    def _sums(self) -> tuple[list[Counts], int]:
        return self._view.tally.sums(self.begin_at, self.end_at)

    @property
    def sums(self) -> tuple[tuple[str, int], ...]:
        """Operations and how many changes of each the histogram shows."""
        steps, _ = self._sums
        return tuple(
            (op, sum(counts[place] for counts in steps)) for place, op in enumerate(("added", "modified", "deleted"))
        )

    @property
    def total(self) -> int:
        return sum(number for _, number in self.sums)

    def said(self, counts: Counts) -> str:
        """A sum to be read aloud; empty where nothing came."""
        number = sum(counts)
        if not number:
            return ""
        named = ", ".join(
            f"{many:,} {op}" for many, op in zip(counts, ("added", "modified", "deleted"), strict=True) if many
        )
        return f"{number:,} change{'' if number == 1 else 's'} in the last 10 seconds: {named}"

    # --- the histogram ---

    @property
    def bars(self) -> tuple[Bar, ...]:
        steps, begin = self._sums
        return bars(steps, begin, self._view.tally.step)

    @property
    def begin(self) -> Moment:
        """Where the picture begins: with a whole step."""
        return _moment(self._sums[1])

    @property
    def end(self) -> Moment:
        steps, begin = self._sums
        return _moment(begin + len(steps) * self._view.tally.step)

    @property
    def chosen(self) -> tuple[Moment, Moment]:
        """The span, to whole seconds that take all of it in."""
        return _moment(math.floor(self.begin_at)), _moment(math.ceil(self.end_at))

    @property
    def step(self) -> int:
        """Seconds of a bar."""
        return self._view.tally.step

    @property
    def unknown(self) -> str:
        """How much of the picture, 0 to 100 from its left, is from before anything is known; empty: nothing of it."""
        steps, begin = self._sums
        seconds = len(steps) * self._view.tally.step
        share = 100 * (min(self._counted_from, begin + seconds) - begin) / seconds
        return f"{share:.2f}" if share > 1 else ""

    @property
    def untold(self) -> tuple[Gap, ...]:
        """When, within the picture, no worker told what changed; objects as they are now are known all the same."""
        steps, begin = self._sums
        seconds = len(steps) * self._view.tally.step
        gaps = self._view.log.untold(self._view.keys, begin, begin + seconds)
        return tuple(self._gap(since, until, begin, seconds) for since, until in gaps)

    @staticmethod
    def _gap(since: float, until: float, begin: float, seconds: float) -> Gap:
        x, end = (100 * min(max(moment - begin, 0.0), seconds) / seconds for moment in (since, until))
        return Gap(_moment(math.floor(since)), _moment(math.ceil(until)), f"{x:.2f}", f"{max(end - x, 0.5):.2f}")

    @property
    def _counted_from(self) -> float:
        if self._query.all and not self._span.is_fixed:
            return min(self._known_from, self._view.log.rates_from(self._view.keys, self._now))
        return self._known_from

    # --- what is known ---

    @property
    def kept(self) -> int:
        """Changes that are remembered, of the chosen kinds, whether they match or not."""
        return self._view.log.count(self._view.keys)

    @property
    def most(self) -> int:
        return self._view.log.most

    @property
    def kept_for(self) -> str:
        return duration_words(KEPT_FOR - 1e-3) if KEPT_FOR % 3600 else f"{KEPT_FOR / 3600:.0f} h"

    @property
    def known_from(self) -> Moment | None:
        """From when on every change is remembered; None while nothing was heard."""
        return _moment(self._known_from) if math.isfinite(self._known_from) else None

    @property
    def unknown_words(self) -> str:
        """What of the chosen span nobody can tell: ``all`` or ``part``; empty where all of it is known."""
        since = self._span.since(self._now)
        if self._span.end is not None and self._span.end < self._known_from:
            return "all"
        return "part" if since is not None and since < self._known_from else ""

    @property
    def missed(self) -> int:
        """Changes of the chosen kinds within the span that were lost on their way here."""
        if not self._span.is_fixed:
            return self._view.missed
        since = self._span.since(self._now)
        return self._view.log.missed(self._view.keys, -math.inf if since is None else since, self.end_at)

    # --- the span ---

    @property
    def is_live(self) -> bool:
        return not self._span.is_fixed

    @property
    def words(self) -> str:
        """What the histogram shows, where that is not a span with a beginning of its own."""
        return f"last {_long(self._span.last or USUAL)}" if self._span.is_usual or self._span.last else ""

    # --- where else to go, and how much of it is listed ---

    @property
    def ways(self) -> FeedWays:
        return FeedWays(self._query, self._view.kinds, self.begin_at, self.end_at, self._now, self.number)

    @property
    def number(self) -> int:
        """Lines in all."""
        return len(self._view.shown.lines)

    @property
    def listed(self) -> str:
        """``1 to 200 of 840 lines`` of a span that has more than a page."""
        first = (self._query.page - 1) * ON_PAGE
        return (
            f"{first + 1:,} to {min(first + ON_PAGE, self.number):,} of {self.number:,} lines"
            if self.ways.pages
            else ""
        )

    @property
    def cut(self) -> int:
        """How many of the newest changes are listed, where there are more; 0: all are."""
        return MOST if self._span.is_fixed and self._view.complete_from > -math.inf else 0


def _moment(moment: float) -> Moment:
    seconds = rfc3339(round(moment, 3))
    return Moment(utc_words(moment), seconds, seconds.removesuffix("Z"))


def _long(seconds: float) -> str:
    if seconds % 3600 == 0 and seconds > 3600:
        return f"{seconds / 3600:.0f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds % 60 == 0 and seconds > 60 else f"{seconds:.0f} seconds"
