"""Renderer of templates, and of each row and feed entry, which is rendered once however many views show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from dashboard.live.rendering.cells import row_line
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import IndexedColumns
from dashboard.objects.usage.usage import Usage

MAX_ROWS = 5_000
MAX_ENTRIES = 5_000


class TemplateRenderer(Protocol):
    """django.template.loader.render_to_string, or something like it."""

    def __call__(self, template_name: str, context: Mapping[str, object]) -> str: ...


class EntryLine(Protocol):
    """One entry of the feed as its template shows it."""

    @property
    def resource(self) -> str: ...

    @property
    def entry(self) -> Entry: ...


class Renderer:
    """Renderer of the views. The output is shared by all viewers: it must not contain anything about one person."""

    def __init__(self, render: TemplateRenderer | Callable[..., str]) -> None:
        self.rendered_count = 0
        """Templates rendered so far."""
        self._render = render
        self._entries: dict[tuple[str, str, int], str] = {}
        self._rows: dict[tuple[str, str, IndexedColumns], tuple[Row, Usage | None, str]] = {}

    def __call__(self, template_name: str, context: Mapping[str, object]) -> str:
        self.rendered_count += 1
        return self._render(template_name, dict(context)).strip()

    def render_entry(self, line: EntryLine) -> str:
        """The `<li>` of one entry of the feed."""
        place = (line.resource, line.entry.epoch, line.entry.seq)
        html = self._entries.get(place)
        if html is None:
            html = self("feed/_entry.html", {"line": line})
            if len(self._entries) >= MAX_ENTRIES:
                self._entries.clear()
            self._entries[place] = html
        return html

    def render_row(self, kind: KindInfo, row: Row, columns: IndexedColumns, usage: Usage | None = None) -> str:
        """The `<tr>` of a row with these columns; `usage` is what the object uses, where they show that."""
        place = (kind.key, row.uid, columns)
        known = self._rows.get(place)
        if known is not None and known[0] is row and known[1] is usage:
            return known[2]
        html = self("lists/_row.html", {"line": row_line(kind, row, columns, usage)})
        if len(self._rows) >= MAX_ROWS:
            self._rows.clear()
        self._rows[place] = (row, usage, html)
        return html
