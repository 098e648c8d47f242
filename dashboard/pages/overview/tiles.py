"""Kinds at a glance, for the overview: how many, how they are, and how much changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from dashboard.live.histogram import per_second, rate_words, spark
from dashboard.live.lines import TONES, Share, shares
from dashboard.live.messages import Tone
from dashboard.live.rates import Rate
from dashboard.live.replica import Replica
from dashboard.live.unread import is_unknown, state_of
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import KindInfo

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
    """A kind at a glance."""

    kind: KindInfo
    href: str
    count: int | None
    """None while nobody knows."""
    spread: tuple[Share, ...]
    """Pieces of the stacked bar, x and width of 0 to 100."""
    spread_words: str
    """The bar in words: ``102 well, 3 bad``."""
    facts: str
    """``1 wrong``, ``31 changes/s``, ``not in this cluster``; empty where all is quiet."""
    tone: Tone
    """Tone of `facts`: bad where something is wrong, idle otherwise."""
    spark: str
    """The sparkline's path, viewBox 0 0 100 28; empty where nothing changed."""
    rate: float
    """Changes a second, over the last 10 s."""
    state: str
    """live, stale, starting, absent, forbidden, …: the informer's."""


def tile_of(
    kind: KindInfo,
    replica: Replica,
    summary: Summary,
    now: float,
    rates: tuple[Rate, ...],
    *,
    namespaces: tuple[str, ...] = (),
    out_of_reach: bool = False,
) -> Tile:
    """The tile of a kind, limited to `namespaces` where it is one that has them.

    `rates` says how much changes there. `out_of_reach`: something keeps the dashboard from the whole cluster, so what
    has not been heard of will not be.
    """
    limited = bool(namespaces) and kind.namespaced
    tones = _tones(summary, namespaces) if limited else summary.tones
    wrong = sum(row.namespace in namespaces for row in summary.wrong.values()) if limited else len(summary.wrong)
    state, rate = state_of(replica), per_second(rates, now)
    facts, tone = _FACTS.get(state) or _lively(wrong, rate)
    if state == "starting" and out_of_reach:
        facts, tone = "cannot be read", "warn"
    return Tile(
        kind=kind,
        href=f"{kind.path}?{urlencode({'namespace': ','.join(namespaces)}, safe=',')}" if limited else kind.path,
        count=None if is_unknown(replica) else sum(tones.values()),
        spread=shares(tones),
        spread_words=", ".join(f"{tones[tone]:,} {_SAID[tone]}" for tone in TONES if tones.get(tone)),
        facts=facts,
        tone=tone,
        spark=spark(rates, now),
        rate=rate,
        state=state,
    )


def _tones(summary: Summary, namespaces: tuple[str, ...]) -> Counter[Tone]:
    found: Counter[Tone] = Counter()
    for namespace in namespaces:
        found.update(summary.tones_in.get(namespace, {}))
    return found


def _lively(wrong: int, rate: float) -> tuple[str, Tone]:
    words = rate_words(rate)
    changes = f"{words} changes/s" if words else ""
    if wrong:
        return " · ".join(filter(None, (f"{wrong:,} wrong", changes))), "bad"
    return changes, "idle"
