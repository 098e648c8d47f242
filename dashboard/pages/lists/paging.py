"""Paging of a list: the shown page, its first and last row, and the addresses of its neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.objects.query.list_query import Query

PAGE_SIZE = 100
"""Rows of a page."""


@dataclass(frozen=True, slots=True)
class Paging:
    """Pages of the `total` rows that match `query`."""

    query: Query
    total: int

    @property
    def page(self) -> int:
        """The requested page, or the last existing one."""
        return max(1, min(self.query.page, -(-self.total // PAGE_SIZE)))

    @property
    def is_beyond_last(self) -> bool:
        """Whether the requested page does not exist."""
        return self.query.page > self.page

    @property
    def first(self) -> int:
        """Number of its first row, from 1; 0 where it has none."""
        return self.start + 1 if self.total else 0

    @property
    def last(self) -> int:
        """Number of its last row; 0 where it has none."""
        return min(self.total, self.page * PAGE_SIZE)

    @property
    def start(self) -> int:
        """Index of its first row, from 0."""
        return (self.page - 1) * PAGE_SIZE

    @property
    def previous_href(self) -> str:
        """Empty on the first page."""
        return self.query.with_(page=self.page - 1).href() if self.page > 1 else ""

    @property
    def next_href(self) -> str:
        """Empty on the last page."""
        return self.query.with_(page=self.page + 1).href() if self.page * PAGE_SIZE < self.total else ""
