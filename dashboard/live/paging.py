"""Which page of a list is shown, and the ways to those beside it."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.resources.query import Query

WINDOW = 100
"""Rows in a page."""


@dataclass(frozen=True, slots=True)
class Paging:
    """Of `total` rows that match `query`."""

    query: Query
    total: int

    @property
    def page(self) -> int:
        """The page asked for, or the last one there is."""
        return max(1, min(self.query.page, -(-self.total // WINDOW)))

    @property
    def beyond(self) -> bool:
        """Whether a page was asked for that is not there (any more)."""
        return self.query.page > self.page

    @property
    def first(self) -> int:
        """Number of its first row, from 1; 0 where there is none."""
        return self.start + 1 if self.total else 0

    @property
    def last(self) -> int:
        """Number of its last row; 0 where there is none."""
        return min(self.total, self.page * WINDOW)

    @property
    def start(self) -> int:
        """Where its rows begin, counted from 0."""
        return (self.page - 1) * WINDOW

    @property
    def previous_href(self) -> str:
        """Empty on the first page."""
        return self.query.with_(page=self.page - 1).href() if self.page > 1 else ""

    @property
    def next_href(self) -> str:
        """Empty on the last page."""
        return self.query.with_(page=self.page + 1).href() if self.page * WINDOW < self.total else ""
