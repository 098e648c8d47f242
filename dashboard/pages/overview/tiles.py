"""Tiles of the overview: count, state and change rate of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from dashboard.live.hub.kind_summaries import KindSummary
from dashboard.live.hub.unavailable_kinds import informer_state, is_unknown
from dashboard.live.rendering.charts import TONES, BarSegment, bar_segments, per_second, rate_text, sparkline
from dashboard.live.replication.change_rates import Rate
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.pages.overview.change_gaps import SparkGap
from dashboard.runtime.read_only import is_past_shown

_SAID: Mapping[Tone, str] = {
    "ok": "well",
    "busy": "under way",
    "warn": "to be watched",
    "bad": "bad",
    "idle": "at rest",
}
_FACTS: Mapping[str, tuple[str, Tone]] = {
    "absent": ("not in this cluster", "idle"),
    "forbidden": ("may not be listed", "warn"),
    "unreachable": ("cannot be reached", "warn"),
    "stale": ("out of date", "warn"),
    "starting": ("being read", "idle"),
    "syncing": ("being read", "idle"),
}


@dataclass(frozen=True, slots=True)
class Tile:
    """One kind of the overview."""

    kind: KindInfo
    href: str
    count: int | None
    """None while it is unknown."""
    status_bar: tuple[BarSegment, ...]
    """Segments of the stacked bar, x and width from 0 to 100."""
    status_bar_text: str
    """The bar in words: ``102 well, 3 bad``."""
    facts: str
    """``1 wrong``, ``31 changes/s``, ``not in this cluster``; empty where nothing happens."""
    tone: Tone
    """Tone of `facts`: bad where something is red, warn where there is another problem, idle otherwise."""
    spark: str
    """The sparkline's path, viewBox 0 0 100 28; empty where nothing changed."""
    gaps: tuple[SparkGap, ...]
    """Times in the sparkline of which not every change is known."""
    rate: float
    """Changes a second, over the last 10 s."""
    state: str
    """The informer's state: live, stale, starting, absent, forbidden, …"""


def tile_of(
    kind: KindInfo,
    replica: ReadableReplica,
    summary: KindSummary,
    now: float,
    rates: tuple[Rate, ...],
    *,
    namespaces: tuple[str, ...] = (),
    is_unreachable: bool = False,
    is_rights_unknown: bool = False,
    gaps: tuple[SparkGap, ...] = (),
) -> Tile:
    """The tile of a kind, limited to `namespaces` where the kind is namespaced.

    `rates` has the change rates. `is_unreachable`: the dashboard cannot reach the cluster, so kinds that are not read
    yet will not be read. `is_rights_unknown`: it is not known whether who looks may see it.
    """
    limited = bool(namespaces) and kind.namespaced
    tones = _tones(summary, namespaces) if limited else summary.tones
    count, is_bad = _unhealthy(summary, namespaces if limited else ())
    state, rate = informer_state(replica), per_second(rates, now)
    facts, tone = _FACTS.get(state) or _lively(count, "bad" if is_bad else "warn", rate)
    if state == "starting" and is_unreachable:
        facts, tone = "cannot be read", "warn"
    if state == "unreachable" and is_past_shown():
        facts = "not known"
    if replica.is_hidden:
        facts, tone = "not known" if is_rights_unknown else "not yours to see", "idle"
    return Tile(
        kind=kind,
        href=f"{kind.path}?{urlencode({'namespace': ','.join(namespaces)}, safe=',')}" if limited else kind.path,
        count=None if is_unknown(replica) or replica.is_hidden else sum(tones.values()),
        status_bar=bar_segments(tones),
        status_bar_text=", ".join(f"{tones[tone]:,} {_SAID[tone]}" for tone in TONES if tones.get(tone)),
        facts=facts,
        tone=tone,
        spark=sparkline(rates, now),
        gaps=gaps,
        rate=rate,
        state=state,
    )


def _unhealthy(summary: KindSummary, namespaces: tuple[str, ...]) -> tuple[int, bool]:
    """Number of unhealthy rows, and whether one of them is red."""
    tones = summary.count_wrong(namespaces)
    return tones.total(), tones["bad"] > 0


def _tones(summary: KindSummary, namespaces: tuple[str, ...]) -> Counter[Tone]:
    counts: Counter[Tone] = Counter()
    for namespace in namespaces:
        counts.update(summary.tones_in.get(namespace, {}))
    return counts


def _lively(unhealthy_count: int, tone: Tone, rate: float) -> tuple[str, Tone]:
    words = rate_text(rate)
    changes = f"{words} changes/s" if words else ""
    if unhealthy_count:
        return " · ".join(filter(None, (f"{unhealthy_count:,} wrong", changes))), tone
    return changes, "idle"
