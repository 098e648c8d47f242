"""The view of the whole cluster.

Templates see it as ``view``. Fragments that frames replace whole, each the root element of its template:
``#tiles-<view.id>`` (live/_tiles.html), ``#wrong-<view.id>`` (live/_wrong.html) and ``#latest-<view.id>``
(live/_latest.html).
The chart's data come in ``<script type="application/json" id="rates-data">``, rendered by Django's json_script filter:
``{{ view.rates|json_script:"rates-data" }}``; frames carry the same shape as JSON in `rates`, and live.js passes it on
as a `deltaboard:rates` event on document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge, nsmallest
from itertools import islice
from typing import ClassVar

from dashboard.live.fragments import Fragment, Fragments
from dashboard.live.histogram import RATE_SPAN, chart, per_second, rate_words, spark
from dashboard.live.lines import FeedLine, Share, feed_line, object_href, partial, rfc3339, shares, utc_words
from dashboard.live.messages import Row, Tone
from dashboard.live.rates import Rate
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Change, Replica
from dashboard.live.view import View
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock

WRONG = 20
LATEST = 12
BACKGROUND = frozenset({"namespaces", "nodes", "events"})
"""Kinds that every cluster has objects of, however empty it is."""
WAITING = frozenset({"starting", "syncing"})
"""States in which the first list is on its way."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A kind at a glance."""

    kind: KindInfo
    href: str
    count: int | None
    """None while nobody knows."""
    spread: tuple[Share, ...]
    """Pieces of the stacked bar, x and width of 0 to 100."""
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


class OverviewView(View):
    """What `view` is in live/overview.html, _tiles.html, _wrong.html and _latest.html.

    id, seq · tiles: tuple[Tile, ...] · wrong: tuple[Wrong, ...] (longest first, at most 20) · wrong_total: int ·
    latest: tuple[FeedLine, ...] (newest first, at most 12) · empty: bool (no object of any kind but namespaces, nodes
    and events) · rates: {"start": Unix second, "step": seconds, "added": [...], "modified": [...], "deleted": [...]}
    (the last 15 minutes).
    """

    template: ClassVar[str] = "overview"
    interval: ClassVar[float] = 0.5

    def __init__(
        self, kinds: tuple[KindInfo, ...], replicas: list[Replica], summaries: Mapping[str, Summary], clock: Clock
    ) -> None:
        super().__init__("", keys=tuple(replica.key for replica in replicas), clock=clock)
        self._kinds = {kind.key: kind for kind in kinds}
        self._replicas = replicas
        self._summaries = summaries
        self._fragments = Fragments()

    # --- what templates see ---

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return tuple(self._tile(replica) for replica in self._replicas)

    @property
    def wrong(self) -> tuple[Wrong, ...]:
        longest = [
            (since, row.uid, self._kinds[key], row)
            for key, summary in self._own_summaries()
            for since, row in summary.longest_wrong(WRONG)
        ]
        return tuple(
            _wrong(kind, row, since) for since, _, kind, row in nsmallest(WRONG, longest, key=lambda one: one[:2])
        )

    @property
    def wrong_total(self) -> int:
        return sum(len(summary.wrong) for _, summary in self._own_summaries())

    def _own_summaries(self) -> list[tuple[str, Summary]]:
        return [(key, summary) for key, summary in self._summaries.items() if key in self._kinds]

    @property
    def unknown(self) -> str:
        """Of which kinds nobody knows what is wrong, as sentences; empty where all could be listed."""
        failing, waiting = self._unknown_titles()
        if len(failing) == len(self._replicas):
            return "No kind can be read."
        told = [f"{named(failing)} cannot be read."] if failing else []
        return " ".join(told + ([f"{named(waiting)} are being read."] if waiting else []))

    @property
    def unreadable(self) -> bool:
        """Whether that is so because something fails, and not because the first lists are on their way."""
        return bool(self._unknown_titles()[0])

    def _unknown_titles(self) -> tuple[list[str], list[str]]:
        """Titles of kinds that cannot be read, and of those whose first list is on its way."""
        failing: list[str] = []
        waiting: list[str] = []
        for replica in filter(is_unknown, self._replicas):
            hopeful = state_of(replica) in WAITING and not self.trouble()
            (waiting if hopeful else failing).append(self._kinds[replica.key].title)
        return failing, waiting

    @property
    def latest(self) -> tuple[FeedLine, ...]:
        newest = merge(
            *(
                [(-entry.time, replica.key, -entry.seq, entry) for entry in reversed(replica.entries)]
                for replica in self._replicas
            ),
            key=lambda one: one[:3],
        )
        return tuple(feed_line(self._kinds[key], entry) for _, key, _, entry in islice(newest, LATEST))

    @property
    def empty(self) -> bool:
        return not any(
            replica.rows or state_of(replica) not in {"live", "absent"}
            for replica in self._replicas
            if replica.key not in BACKGROUND
        )

    @property
    def rates(self) -> dict[str, object]:
        now = self.clock.time()
        sums: dict[float, Counter[int]] = {}
        for replica in self._replicas:
            for second, *counts in replica.rates.list(now):
                sums.setdefault(second, Counter()).update(dict(enumerate(counts)))
        return chart([(second, one[0], one[1], one[2]) for second, one in sums.items()], now)

    # --- changes ---

    def apply(self, key: str, change: Change) -> None:  # noqa: ARG002 -- whatever changes may show
        self.dirty = True

    def next_due(self) -> float | None:
        """Always: rates, sparklines and what counts as wrong change with time; the heartbeat's pace is enough."""
        return 0.0

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- see next_due
        self.dirty = True

    # --- rendering ---

    def extras(self) -> dict[str, object]:
        return {"rates": self.rates}

    def render_window(self, render: Renderer) -> str:
        return "".join(partial(*fragment) for fragment in self._all(render))

    def _render_update(self, render: Renderer) -> str:
        return self._fragments.changed(self._all(render))

    def _forget_update(self) -> None:
        self._fragments.forget()

    def _all(self, render: Renderer) -> list[Fragment]:
        context = self.context()
        return [
            (f"#{name}-{self.id}", "outerMorph", render(f"live/_{name}.html", context))
            for name in ("tiles", "wrong", "latest")
        ]

    def _tile(self, replica: Replica) -> Tile:
        kind, summary, now = self._kinds[replica.key], self._summaries[replica.key], self.clock.time()
        rates: tuple[Rate, ...] = replica.rates.list(now)
        state = state_of(replica)
        rate = per_second(rates, now)
        facts, tone = _facts(state, len(summary.wrong), rate)
        if state == "starting" and self.trouble():
            facts, tone = "cannot be read", "warn"
        return Tile(
            kind=kind,
            href=kind.path,
            count=None if is_unknown(replica) else len(replica.rows),
            spread=shares(summary.tones),
            facts=facts,
            tone=tone,
            spark=spark(rates, now),
            rate=rate,
            state=state,
        )


def state_of(replica: Replica) -> str:
    """The informer's state; ``starting`` too while the worker has said nothing."""
    return "starting" if replica.state == "starting" else replica.health.state


def is_unknown(replica: Replica) -> bool:
    """Whether nobody here knows what the cluster has of this kind: it was never listed."""
    return not replica.rows and state_of(replica) in {*WAITING, "forbidden", "unreachable"}


def named(titles: Sequence[str]) -> str:
    """``Pods, Nodes and Events``."""
    return " and ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))


def _facts(state: str, wrong: int, rate: float) -> tuple[str, Tone]:
    match state:
        case "absent":
            return "not in this cluster", "idle"
        case "forbidden":
            return "may not be listed", "warn"
        case "unreachable":
            return "cannot be reached", "warn"
        case "stale":
            return "out of date", "warn"
        case "starting" | "syncing":
            return "being read", "idle"
    words = rate_words(rate)
    changes = f"{words} changes/s" if words else ""
    if wrong:
        return " · ".join(filter(None, (f"{wrong:,} wrong", changes))), "bad"
    return changes, "idle"


def _wrong(kind: KindInfo, row: Row, since: float) -> Wrong:
    return Wrong(
        kind=kind,
        row=row,
        href=object_href(kind.key, row.namespace, row.name),
        words=row.reason or row.status,
        since=rfc3339(since) if since else "",
        since_text=utc_words(since) if since else "",
    )


__all__ = ["RATE_SPAN", "OverviewView", "Tile", "Wrong"]
