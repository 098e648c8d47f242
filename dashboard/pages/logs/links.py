"""Addresses of a page of logs with other parameters: spans of time, the previous run, containers, downloads."""

from __future__ import annotations

from dashboard.objects.logs.line_filter import ANY_LINE
from dashboard.pages.feed.time_range import ANY_TIME, TimeRange, duration_param
from dashboard.pages.logs.query import LogsQuery

SPANS = (300.0, 900.0, 3600.0, 6 * 3600.0)
"""Seconds of the offered spans."""


class LogLinks:
    """Addresses; `href` is that of the page without the parameters of `query`."""

    def __init__(self, href: str, query: LogsQuery) -> None:
        self._href = href
        self._query = query

    def href(self, query: LogsQuery, path: str = "") -> str:
        """The address of a page in another state, or of what lies below it."""
        base, _, own = self._href.partition("?")
        encoded = "&".join(each for each in (own, query.query_string()) if each)
        return f"{base}{path}?{encoded}" if encoded else f"{base}{path}"

    @property
    def lines(self) -> str:
        return self.href(self._query, "lines/")

    @property
    def text(self) -> str:
        return self.href(self._query, "logs.txt")

    @property
    def ndjson(self) -> str:
        return self.href(self._query, "logs.ndjson")

    @property
    def previous(self) -> str:
        return self.href(self._query.with_(previous=not self._query.previous, span=ANY_TIME))

    @property
    def spans(self) -> tuple[tuple[str, str, bool], ...]:
        """Words, address, and whether it is the present one."""
        span = self._query.span
        live = self._query.with_(span=ANY_TIME, previous=False)
        chips = [("Newest", self.live, span.is_default and not self._query.previous)]
        for seconds in SPANS:
            each = TimeRange(last=seconds)
            chips.append((duration_param(seconds), self.href(live.with_(span=each)), span == each))
        if span.begin is not None or span.end is not None:
            chips.append(("Chosen span", self.href(self._query), True))
        return tuple(chips)

    @property
    def live(self) -> str:
        """The newest lines, followed."""
        return self.href(self._query.with_(span=ANY_TIME, previous=False))

    @property
    def other_marks(self) -> str:
        """With Events and rollouts between the lines, or without."""
        return self.href(self._query.with_(marks=not self._query.marks))

    def only(self, pod: str, container: str) -> str:
        """One container of one pod; of all pods where `pod` is empty."""
        return self.href(self._query.with_(pods=(pod,) if pod else (), containers=(container,)))

    def severity(self, name: str) -> str:
        """Lines of one severity; of all, where only that one is shown."""
        return self.href(self._query.with_(filter=self._query.filter.with_severity(name)))

    @property
    def last_hour(self) -> str:
        return self.href(self._query.with_(span=TimeRange(last=3600.0), previous=False))

    @property
    def unfiltered(self) -> str:
        return self.href(self._query.with_(filter=ANY_LINE))

    @property
    def any_time(self) -> str:
        return self.href(self._query.with_(span=ANY_TIME))

    @property
    def all_containers(self) -> str:
        return self.href(self._query.with_(pods=(), containers=()))
