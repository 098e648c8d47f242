"""Summary of the feed beside its lines: sums, histogram, start of the history, and links."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from dashboard.live.moments.recorded_feed import RecordedGap
from dashboard.live.rendering.charts import Bar, OperationCounts, band_position, bars, distinct_bands, rate_text
from dashboard.live.rendering.time_texts import duration_text
from dashboard.live.replication.feed_history import MAX_KEPT_BYTES, RETENTION
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.feed.line_window import FeedWindow
from dashboard.pages.feed.links import PAGE_SIZE, FeedLinks
from dashboard.pages.feed.memory_search import MAX_LISTED_ENTRIES
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.recorded_changes import RecordedChanges
from dashboard.pages.feed.search_progress import SearchProgress
from dashboard.pages.feed.tally import RateCounter, Tally
from dashboard.pages.feed.time_range import DEFAULT_SECONDS
from dashboard.pages.feed.timestamp import Timestamp, moment_of
from informerd.clock import Clock

MAX_NAMED_GAPS = 4
"""Gaps that are told in words."""
MAX_LATER_KINDS = 4
"""Kinds that are named with the moment from when on their changes are known."""


@dataclass(frozen=True, slots=True)
class LaterKind:
    """A kind whose changes are known only since it has been followed."""

    title: str
    since: Timestamp | None
    """None while it has not been read yet, or where it is not followed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A time of which not every change is known, with its position in the histogram, 0 to 100 from the left."""

    begin: Timestamp
    end: Timestamp
    x: str
    width: str
    reason: str = ""
    """Why nothing was recorded, as a clause; empty where no worker reported changes."""
    titles: str = ""
    """The kinds of which that is so, where they are not all."""


class FeedState(Protocol):
    """The part of a LiveFeed that the summary needs."""

    query: FeedQuery
    keys: tuple[str, ...]
    all_keys: tuple[str, ...]
    kinds: tuple[KindInfo, ...]
    history: ReadableHistory
    clock: Clock
    window: FeedWindow
    tally: Tally
    rate: RateCounter
    shown_rate: RateCounter
    missed_count: int
    reading: RecordedChanges | None

    @property
    def listed_from(self) -> float: ...

    @property
    def gaps(self) -> Sequence[RecordedGap]: ...

    def gap_titles(self, gap: RecordedGap) -> str: ...

    @property
    def is_reading(self) -> bool: ...

    @property
    def hidden_count(self) -> int: ...


class FeedSummary:
    """Summary of a view's current state; to be used immediately."""

    def __init__(self, view: FeedState) -> None:
        self._view = view
        self._query = view.query
        self._span = view.query.span
        self._now = view.clock.time()
        self._memory_from = view.history.known_from(view.keys or view.all_keys)
        self._known_from = min(self._memory_from, view.reading.known_from if view.reading is not None else math.inf)
        self.begin_at, self.end_at = self._span.histogram_bounds(self._now, self._known_from)

    # --- counts ---

    @property
    def rate_text(self) -> str:
        """``31 a second``; with the shown rate, where that is lower: ``showing 240 of 2,013 a second``."""
        if self._span.is_fixed:
            return f"{self.total:,} change{'' if self.total == 1 else 's'}"
        rate, shown_rate = self._view.rate.per_second(self._now), self._view.shown_rate.per_second(self._now)
        words = rate_text(rate)
        if not words:
            return "quiet"
        sampled = rate >= 1 and shown_rate < 0.9 * rate and self._view.hidden_count
        return f"showing {rate_text(shown_rate) or '0'} of {words} a second" if sampled else f"{words} a second"

    @cached_property
    def _sums(self) -> tuple[list[OperationCounts], int]:
        return self._view.tally.sums(self.begin_at, self.end_at)

    @property
    def sums(self) -> tuple[tuple[str, int], ...]:
        """Operations, each with its number of changes in the histogram."""
        steps, _ = self._sums
        return tuple(
            (op, sum(counts[place] for counts in steps)) for place, op in enumerate(("added", "modified", "deleted"))
        )

    @property
    def total(self) -> int:
        return sum(number for _, number in self.sums)

    def announcement_of(self, counts: OperationCounts) -> str:
        """A sum for screen readers; empty where there is no change."""
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
    def begin(self) -> Timestamp:
        """Start of the histogram: the start of a whole step."""
        return moment_of(self._sums[1])

    @property
    def end(self) -> Timestamp:
        steps, begin = self._sums
        return moment_of(begin + len(steps) * self._view.tally.step)

    @property
    def selected_range(self) -> tuple[Timestamp, Timestamp]:
        """The span in whole seconds that include all of it."""
        return moment_of(math.floor(self.begin_at)), moment_of(math.ceil(self.end_at))

    @property
    def step(self) -> int:
        """Seconds of a bar."""
        return self._view.tally.step

    @property
    def unknown_share(self) -> str:
        """Share of the histogram before the start of the history, 0 to 100 from the left; empty where there is none."""
        steps, begin = self._sums
        seconds = len(steps) * self._view.tally.step
        share = 100 * (min(self._counted_from, begin + seconds) - begin) / seconds
        return f"{share:.2f}" if share > 1 else ""

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Times within the histogram of which not every change is known: without reports from any worker, or what
        history did not record. The objects' current state is known anyway.
        """
        steps, begin = self._sums
        seconds = len(steps) * self._view.tally.step
        return tuple(
            self._gap(gap, begin, seconds)
            for gap in self._view.gaps
            if gap.until >= begin and gap.since <= begin + seconds
        )

    @property
    def drawn_gaps(self) -> Iterator[Gap]:
        """Those of `gaps` that can be told apart in the histogram."""
        return distinct_bands(self.gaps)

    @property
    def named_gaps(self) -> tuple[Gap, ...]:
        """The newest of `gaps`, MAX_NAMED_GAPS at most."""
        return self.gaps[-MAX_NAMED_GAPS:]

    @property
    def more_gaps(self) -> int:
        """Number of `gaps` that are not named."""
        return len(self.gaps) - len(self.named_gaps)

    def _gap(self, gap: RecordedGap, begin: float, seconds: float) -> Gap:
        x, width = band_position(gap.since, gap.until, begin, seconds)
        return Gap(
            begin=moment_of(math.floor(gap.since)),
            end=moment_of(math.ceil(gap.until)),
            x=x,
            width=width,
            reason=gap.reason,
            titles=self._view.gap_titles(gap),
        )

    @property
    def counting_note(self) -> str:
        """What the histogram does not count of what history has, as sentences; empty where it counts all."""
        reading = self._view.reading
        if reading is None or not reading.is_used or self.begin_at >= self._memory_from:
            return ""
        if reading.counts is None:
            return (
                ""
                if self._query.is_countable
                else "Counts are kept by kind, namespace and operation: with this filter, "
                "the histogram has the lines that were read from history."
            )
        titles = {kind.key: kind.title for kind in self._view.kinds}
        names = ", ".join(sorted(titles.get(key, key) for key in reading.uncounted))
        return f"The histogram lacks earlier changes of {names}, of which you may see a part." if names else ""

    @property
    def _counted_from(self) -> float:
        if self._known_from < self._memory_from:
            return self._known_from
        if self._query.all and not self._span.is_fixed:
            return min(self._known_from, self._view.history.rates_from(self._view.all_keys, self._now))
        return self._known_from

    # --- what is known ---

    @property
    def entry_count(self) -> int | None:
        """Number of stored changes of the chosen kinds, whether they match or not; None where that is not known, or
        history has more.
        """
        return None if self.reaches_history else self._view.history.entry_count(self._view.all_keys)

    @property
    def max_entries(self) -> int:
        return self._view.history.most

    @property
    def max_megabytes(self) -> int:
        """Maximum size of the stored changes of all kinds before they are compressed."""
        return MAX_KEPT_BYTES // 10**6

    @property
    def retention_text(self) -> str:
        return duration_text(RETENTION - 1e-3) if RETENTION % 3600 else f"{RETENTION / 3600:.0f} h"

    @property
    def known_from(self) -> Timestamp | None:
        """Start of the complete history; None while nothing was received."""
        return moment_of(self._known_from) if math.isfinite(self._known_from) else None

    @property
    def reaches_history(self) -> bool:
        """Whether history has earlier changes than this process keeps."""
        return self._known_from < self._memory_from

    @property
    def search(self) -> SearchProgress:
        return SearchProgress(self._view.reading, self._query, self._now, self._view)

    @property
    def later_kinds(self) -> tuple[LaterKind, ...]:
        """The kinds on demand, and those that are not recorded, whose changes are known from a later second on, or not
        at all.
        """
        titles = {kind.key: kind.title for kind in self._view.kinds}
        unrecorded = self._view.reading.unrecorded if self._view.reading is not None else frozenset()
        later = []
        for key in self._view.all_keys:
            known = self._view.history.complete_from(key)
            if (key in self._view.keys and key not in unrecorded) or known <= self._known_from:
                continue
            since = moment_of(known) if math.isfinite(known) else None
            if since is None or since.text != moment_of(self._known_from).text:
                later.append(LaterKind(titles.get(key, key), since))
        return tuple(later)

    @property
    def named_later_kinds(self) -> tuple[LaterKind, ...]:
        """The first of `later_kinds`, all of them where they are few."""
        return self.later_kinds if len(self.later_kinds) <= MAX_LATER_KINDS + 1 else self.later_kinds[:MAX_LATER_KINDS]

    @property
    def more_later_kinds(self) -> int:
        """Number of `later_kinds` that are not named."""
        return len(self.later_kinds) - len(self.named_later_kinds)

    @property
    def unknown_extent(self) -> str:
        """``all`` or ``part``: how much of the chosen span is unknown; empty where all of it is known."""
        since = self._span.since(self._now)
        if self._view.is_reading and not self.reaches_history:
            return ""
        if self._span.end is not None and self._span.end < self._known_from:
            return "all"
        return "part" if since is not None and since < self._known_from - 1 else ""

    @property
    def is_incomplete(self) -> bool:
        """Whether there may be changes in the span that are not known."""
        return bool(self._view.gaps or self.unknown_extent or self.search.problem)

    @property
    def missed_count(self) -> int:
        """Number of changes of the chosen kinds within the span that were lost in transit."""
        if not self._span.is_fixed:
            return self._view.missed_count
        since = self._span.since(self._now)
        return self._view.history.missed(self._view.all_keys, -math.inf if since is None else since, self.end_at)

    # --- the span ---

    @property
    def is_live(self) -> bool:
        return not self._span.is_fixed

    @property
    def words(self) -> str:
        """Description of the histogram, where that is not a span with a start of its own."""
        return f"last {_long(self._span.last or DEFAULT_SECONDS)}" if self._span.is_default or self._span.last else ""

    # --- where else to go, and how much of it is listed ---

    @property
    def links(self) -> FeedLinks:
        reading = self._view.reading
        begin = reading.begin if reading is not None else None
        return FeedLinks(self._query, self._view.kinds, self.begin_at, self.end_at, self._now, self.number, begin)

    @property
    def number(self) -> int:
        """Number of all lines."""
        return len(self._view.window.lines)

    @property
    def listed_text(self) -> str:
        """``1 to 200 of 840 lines`` for a span with more than one page."""
        first = (self._query.page - 1) * PAGE_SIZE
        return (
            f"{first + 1:,} to {min(first + PAGE_SIZE, self.number):,} of {self.number:,} lines"
            if self.links.pages
            else ""
        )

    @property
    def listed_limit(self) -> int:
        """Number of the newest changes that are listed, where there are more; 0 where all are."""
        return MAX_LISTED_ENTRIES if self._span.is_fixed and self._view.listed_from > -math.inf else 0


def _long(seconds: float) -> str:
    if seconds % 86400 == 0 and seconds > 86400:
        return f"{seconds / 86400:.0f} days"
    if seconds % 3600 == 0 and seconds > 3600:
        return f"{seconds / 3600:.0f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds % 60 == 0 and seconds > 60 else f"{seconds:.0f} seconds"
