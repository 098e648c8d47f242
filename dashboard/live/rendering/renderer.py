"""Renders templates, and each row and entry only once however many views show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from dashboard.live.feed_lines import FeedLine
from dashboard.live.lines import Columns, line_of
from dashboard.live.messages import Row
from dashboard.resources.kinds import KindInfo

KEPT_ROWS = 5_000
KEPT_ENTRIES = 5_000


class Render(Protocol):
    """django.template.loader.render_to_string, or something like it."""

    def __call__(self, template_name: str, context: Mapping[str, object]) -> str: ...


class Renderer:
    """What views render with. Everything rendered is for all who look: nothing of one person may be in it."""

    def __init__(self, render: Render | Callable[..., str]) -> None:
        self.rendered = 0
        """Templates rendered so far."""
        self._render = render
        self._entries: dict[tuple[str, str, int], str] = {}
        self._rows: dict[tuple[str, str, Columns], tuple[Row, str]] = {}

    def __call__(self, template_name: str, context: Mapping[str, object]) -> str:
        self.rendered += 1
        return self._render(template_name, dict(context)).strip()

    def entry(self, line: FeedLine) -> str:
        """The `<li>` of one entry of the feed."""
        place = (line.resource, line.entry.epoch, line.entry.seq)
        html = self._entries.get(place)
        if html is None:
            html = self("live/_entry.html", {"line": line})
            if len(self._entries) >= KEPT_ENTRIES:
                self._entries.clear()
            self._entries[place] = html
        return html

    def row(self, kind: KindInfo, row: Row, columns: Columns) -> str:
        """The `<tr>` of a row with these columns."""
        place = (kind.key, row.uid, columns)
        known = self._rows.get(place)
        if known is not None and known[0] is row:
            return known[1]
        html = self("resources/_row.html", {"line": line_of(kind, row, columns)})
        if len(self._rows) >= KEPT_ROWS:
            self._rows.clear()
        self._rows[place] = (row, html)
        return html
