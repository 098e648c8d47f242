"""Progress of a feed's search in history, and where it goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.recorded_changes import RecordedChanges
from dashboard.pages.feed.time_range import TimeRange
from dashboard.pages.feed.timestamp import Timestamp, moment_of


class SearchedView(Protocol):
    """The part of a LiveFeed that this needs."""

    @property
    def listed_from(self) -> float: ...

    @property
    def is_reading(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Value of `view.page.search` in templates. `now` is Unix seconds."""

    reading: RecordedChanges | None
    query: FeedQuery
    now: float
    view: SearchedView

    @property
    def back_to(self) -> Timestamp | None:
        """How far lines were searched, where that is not all of the span."""
        reading = self.reading
        if reading is None or not (self.view.is_reading or reading.is_limited) or math.isinf(reading.complete_from):
            return None
        return moment_of(math.ceil(reading.complete_from))

    @property
    def count(self) -> int:
        """Number of changes that were looked at and may be seen."""
        return self.reading.searched if self.reading is not None else 0

    @property
    def is_running(self) -> bool:
        return self.reading is not None and self.reading.is_searching

    @property
    def problem(self) -> str:
        """Why history cannot be read, as a clause; empty where it can."""
        return self.reading.problem if self.reading is not None else ""

    @property
    def text(self) -> str:
        """Text that distinguishes the states of the search."""
        return f"{self.back_to} {self.count} {self.is_running} {self.problem} {self.earlier_href}"

    @property
    def stop_href(self) -> str:
        """Address of the part of the span that has been searched; empty where that is not known."""
        if self.reading is None or math.isinf(self.reading.complete_from):
            return ""
        return self.query.with_(span=self.query.span.starting(math.ceil(self.reading.complete_from))).href()

    @property
    def earlier_href(self) -> str:
        """Address of what is older than all lines; empty where there is nothing, or it is not known yet."""
        if self.reading is None or self.reading.begin is None or self.view.is_reading:
            return ""
        until = self.view.listed_from
        if until <= self.reading.begin:
            return ""
        end = TimeRange.around(until, until).end
        return self.query.with_(span=TimeRange(self.query.span.since(self.now), end)).href()
