"""The view of the whole cluster.

Templates see it as ``view``. Fragments that frames replace whole, each the root element of its template:
``#tiles-<view.id>`` (live/_tiles.html), ``#wrong-<view.id>`` (live/_wrong.html), ``#latest-<view.id>`` (live/_latest.html).
The chart's data come in ``<script type="application/json" id="rates-data">``, rendered by Django's json_script filter:
``{{ view.rates|json_script:"rates-data" }}``; frames carry the same shape as JSON in `rates`, and live.js passes it on
as a `deltaboard:rates` event on document.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.live.lines import Share
from dashboard.live.messages import Row
from dashboard.resources.kinds import KindInfo


@dataclass(frozen=True, slots=True)
class Tile:
    """A kind at a glance."""

    kind: KindInfo
    href: str
    count: int
    spread: tuple[Share, ...]
    """Pieces of the stacked bar, x and width of 0 to 100."""
    facts: str
    """``31 changes/s``, ``1 not ready``, ``not in this cluster``."""
    tone: str
    """Tone of `facts`: bad where something is wrong, idle otherwise."""
    spark: str
    """The sparkline's path, viewBox 0 0 100 28; empty where nothing changed."""
    rate: float
    """Changes a second, over the last 10 s."""
    state: str
    """live, stale, starting, absent or forbidden."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is wrong now."""

    kind: KindInfo
    row: Row
    href: str
    words: str
    """The reason in words; the status where there is none."""
    since: str
    """RFC 3339 since when; empty where unknown."""
    since_text: str
    """The same in UTC words."""


class OverviewView:
    """What `view` is in live/overview.html, _tiles.html, _wrong.html and _latest.html.

    id, seq · tiles: tuple[Tile, ...] · wrong: tuple[Wrong, ...] (longest first, at most 20) · wrong_total: int ·
    latest: tuple[FeedLine, ...] (newest first, at most 12) · empty: bool (no object of any kind but namespaces and
    nodes) · rates: {"start": Unix second, "step": seconds, "added": [...], "modified": [...], "deleted": [...]}
    (the last 15 minutes).
    """
