"""Recording of a page: its content over time, as page_recorder.js records it in the page itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.support.e2e.cpu_starvation import Waited

_RECORDER = Path(__file__).with_name("page_recorder.js").read_text()


@dataclass(frozen=True, slots=True)
class Shot:
    """State and content of the page from `at` to `end`, both Unix seconds."""

    at: float
    end: float
    state: str
    """body[data-live]."""
    parts: dict[str, Any]
    """See page_recorder.js."""


class PageRecording:
    """Records from the moment it is made. A page that was loaded anew has lost its recorder: `take` fails then."""

    def __init__(self, page: Page, waited: Waited | None = None) -> None:
        self._page = page
        self._waited = waited
        self._shots: list[tuple[float, str, dict[str, Any]]] = []
        self._end = 0.0
        self.stalls: list[tuple[float, float]] = []
        """From when to when the browser had no time for the page: what it would have done then it did later."""
        page.evaluate(_RECORDER)

    def now(self) -> tuple[str, dict[str, Any]]:
        """The state and the parts at this moment."""
        state, parts = self._page.evaluate("window.recording.now()")
        return state, parts

    def take(self) -> None:
        """Fetch what the page has recorded so far. To be called now and then, so that it need not keep everything."""
        self._end, shots, stalls = self._page.evaluate("window.recording.take()")
        self.stalls += [(began, ended) for began, ended in stalls]
        self._shots += [(at, state, parts) for at, state, parts in shots]

    def stalled(self, since: float, until: float) -> float:
        """Seconds between two moments in which the page, or the programs behind it, waited for a processor."""
        behind = self._waited.between(since, until) if self._waited else 0.0
        stalls = sum(max(0.0, min(ended, until) - max(began, since)) for began, ended in self.stalls)
        return min(behind + stalls, until - since)

    def shots(self) -> list[Shot]:
        """All up to the last `take`, without holes."""
        ends = [at for at, _, _ in self._shots[1:]] + [self._end]
        return [Shot(at, end, state, parts) for (at, state, parts), end in zip(self._shots, ends, strict=True)]
