"""The rows of a list that its pages have, and what turns them into those that they should have."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.live.lines import dom_id, partial
from dashboard.live.moves import places
from dashboard.live.renderer import Renderer

WINDOW_FROM = 60
"""From so many changed rows on, morphing the whole window costs the browser less than placing each."""


class ShownRows:
    """Pages of one view. `wanted` names the rows of its window in order; `row` renders one of them."""

    def __init__(self, view: str, wanted: Callable[[], list[str]], row: Callable[[Renderer, str], str]) -> None:
        self._aim = f"#rows-{view}"
        self._wanted = wanted
        self._row = row
        self._shown = wanted()
        self._changed: set[str] = set()
        self._deleted: set[str] = set()

    def touched(self, changed: set[str], gone: set[str]) -> None:
        """What came since pages were last told; the last word on a row counts."""
        self._changed |= changed
        self._changed -= gone
        self._deleted |= gone
        self._deleted -= changed

    def forget(self) -> None:
        """Pages have the window as it is now."""
        self._shown = self._wanted()
        self._changed, self._deleted = set(), set()

    def render_window(self, render: Renderer) -> str:
        """All rows, for pages that may have anything."""
        return partial(self._aim, "window", "".join(self._row(render, uid) for uid in self._wanted()))

    def render_update(self, render: Renderer) -> str:
        """What is new for pages that have what was rendered last; forgets it."""
        wanted = self._wanted()
        staying = set(wanted)
        leaving = [uid for uid in self._shown if uid not in staying]
        steps = places(self._shown, wanted, self._changed)
        deleted = self._deleted
        self._shown, self._changed, self._deleted = wanted, set(), set()
        html = "".join(self._row_gone(uid, "gone") for uid in leaving if uid in deleted)
        if len(steps) > WINDOW_FROM:
            return html + self.render_window(render)
        html += "".join(self._row_gone(uid, "leave") for uid in leaving if uid not in deleted)
        for step in steps:
            where = f"place before:row-{dom_id(step.before)}" if step.before else "place end"
            html += partial(self._aim, where, self._row(render, step.uid))
        return html

    def _row_gone(self, uid: str, how: str) -> str:
        return partial(f"{self._aim}>#row-{dom_id(uid)}", how)
