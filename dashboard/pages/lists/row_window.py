"""Rows that open pages show, and the changes that bring them up to date."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.live.rendering.hx_partials import dom_id, hx_partial
from dashboard.live.rendering.row_moves import plan_moves

RenderRow = Callable[[str], str]
"""Renders the row of a uid."""
MORPH_FROM = 60
"""From this number of changed rows on, morphing the whole window is cheaper for the browser than single swaps."""


class RowWindow:
    """Rows in the pages of one view. `wanted` has the uids of its window in order; `render_row` renders one of them."""

    def __init__(self, view: str, wanted: list[str]) -> None:
        self._target = f"#rows-{view}"
        self._shown = wanted
        self._changed: set[str] = set()
        self._deleted: set[str] = set()

    def note_changes(self, changed: set[str], gone: set[str]) -> None:
        """Record the changes since pages were last updated; the last change of a row counts."""
        self._changed |= changed
        self._changed -= gone
        self._deleted |= gone
        self._deleted -= changed

    def forget(self, wanted: list[str]) -> None:
        """Mark the pages as up to date."""
        self._shown = wanted
        self._changed, self._deleted = set(), set()

    def render_window(self, wanted: list[str], render_row: RenderRow) -> str:
        """All rows, for pages in any state."""
        return hx_partial(self._target, "window", "".join(map(render_row, wanted)))

    def render_update(self, wanted: list[str], render_row: RenderRow) -> str:
        """The changes for pages that have what was rendered last; marks the pages as up to date."""
        staying = set(wanted)
        leaving = [uid for uid in self._shown if uid not in staying]
        steps = plan_moves(self._shown, wanted, self._changed)
        deleted = self._deleted
        self._shown, self._changed, self._deleted = wanted, set(), set()
        html = "".join(self._row_gone(uid, "gone") for uid in leaving if uid in deleted)
        if len(steps) > MORPH_FROM:
            return html + self.render_window(wanted, render_row)
        html += "".join(self._row_gone(uid, "leave") for uid in leaving if uid not in deleted)
        for step in steps:
            where = f"place before:row-{dom_id(step.before)}" if step.before else "place end"
            html += hx_partial(self._target, where, render_row(step.uid))
        return html

    def _row_gone(self, uid: str, how: str) -> str:
        return hx_partial(f"{self._target}>#row-{dom_id(uid)}", how)
