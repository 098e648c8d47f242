"""The view of the whole cluster, or of some namespaces.

Templates see it as ``view``. Fragments that frames replace whole, each the root element of its template:
``#tiles-<view.id>`` (live/_tiles.html), ``#wrong-<view.id>`` (live/_wrong.html) and ``#latest-<view.id>``
(live/_latest.html).
The chart's data come in ``<script type="application/json" id="rates-data">``, rendered by Django's json_script filter:
``{{ view.rates|json_script:"rates-data" }}``; frames carry the same shape as JSON in `rates`, and live.js passes it on
as a `deltaboard:rates` event on document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from itertools import islice
from typing import ClassVar

from dashboard.live.change import Change
from dashboard.live.feed_lines import FeedLine, feed_line
from dashboard.live.fragments import Fragment, Fragments
from dashboard.live.histogram import chart
from dashboard.live.lines import clock_words, partial
from dashboard.live.messages import Entry
from dashboard.live.namespace_rates import NamespaceRates
from dashboard.live.rates import Rate
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Replica
from dashboard.live.tiles import Tile, tile_of
from dashboard.live.unread import Unread, state_of, unread
from dashboard.live.view import View
from dashboard.live.wrong_now import WrongNow, wrong_now
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock

LATEST = 12
LOOKED_THROUGH = 500
"""Entries of each kind among which the latest of some namespaces are looked for."""
BACKGROUND = frozenset({"namespaces", "nodes", "events"})
"""Kinds that every cluster has objects of, however empty it is."""


class OverviewView(View):
    """What `view` is in live/overview.html, _tiles.html, _wrong.html and _latest.html.

    id, seq · namespaces: tuple[str, ...] (empty: all) · tiles: tuple[Tile, ...] · wrong_now: WrongNow ·
    latest: tuple[FeedLine, ...] (newest first, at most 12) · empty: bool (no object of any kind but namespaces, nodes
    and events) · rates: {"start": Unix second, "step": seconds, "added": [...], "modified": [...], "deleted": [...]}
    (the last 15 minutes) · rates_from: str (UTC time of day before which not every change is in them; empty: all are).
    """

    template: ClassVar[str] = "overview"
    interval: ClassVar[float] = 0.5

    def __init__(
        self,
        kinds: tuple[KindInfo, ...],
        replicas: list[Replica],
        summaries: Mapping[str, Summary],
        clock: Clock,
        *,
        namespaces: tuple[str, ...] = (),
        own_rates: Callable[[], NamespaceRates] | None = None,
    ) -> None:
        """`own_rates` counts what changes in `namespaces`; without it there are all changes of the kinds."""
        super().__init__(self.state_of(namespaces), keys=tuple(replica.key for replica in replicas), clock=clock)
        self.namespaces = tuple(sorted(set(namespaces)))
        self._kinds = {kind.key: kind for kind in kinds}
        self._replicas = replicas
        self._summaries = summaries
        self._fragments = Fragments()
        self._count_own = own_rates
        self._own_rates = own_rates() if own_rates is not None else None

    @staticmethod
    def state_of(namespaces: tuple[str, ...]) -> str:
        """The canonical state of an overview of these namespaces."""
        return ",".join(sorted(set(namespaces)))

    # --- what templates see ---

    @property
    def tiles(self) -> tuple[Tile, ...]:
        now, trouble = self.clock.time(), bool(self.trouble())
        return tuple(
            tile_of(
                self._kinds[replica.key],
                replica,
                self._summaries[replica.key],
                now,
                self._rates_of(replica, now) if self._kinds[replica.key].namespaced else replica.rates.list(now),
                namespaces=self.namespaces,
                out_of_reach=trouble,
            )
            for replica in self._replicas
        )

    @property
    def wrong_now(self) -> WrongNow:
        known = [(kind, self._summaries[key]) for key, kind in self._kinds.items() if key in self._summaries]
        return wrong_now(known, self.namespaces)

    @property
    def unknown(self) -> str:
        """Of which kinds nobody knows what is wrong, as sentences; empty where all could be listed."""
        return self._unread().words

    @property
    def unreadable(self) -> bool:
        """Whether that is so because something fails, and not because the first lists are on their way."""
        found = self._unread()
        return bool(found.forbidden or found.failing)

    @property
    def unheard(self) -> bool:
        """Whether something may have happened of which nobody here has heard: what is shown is from before."""
        return any(replica.state == "stale" or state_of(replica) == "stale" for replica in self._replicas)

    def _unread(self) -> Unread:
        return unread(self._kinds, self._replicas, out_of_reach=bool(self.trouble()))

    @property
    def latest(self) -> tuple[FeedLine, ...]:
        newest = merge(*map(self._entries, self._replicas), key=lambda one: one[:3])
        return tuple(feed_line(self._kinds[key], entry) for _, key, _, entry in islice(newest, LATEST))

    def _entries(self, replica: Replica) -> Iterator[tuple[float, str, int, Entry]]:
        """Of one kind, the newest first."""
        newest = ((-entry.time, replica.key, -entry.seq, entry) for entry in reversed(replica.entries))
        if not self.namespaces:
            return newest
        return (one for one in islice(newest, LOOKED_THROUGH) if one[3].namespace in self.namespaces)

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
            for second, *counts in self._rates_of(replica, now):
                sums.setdefault(second, Counter()).update(dict(enumerate(counts)))
        return chart([(second, one[0], one[1], one[2]) for second, one in sums.items()], now)

    @property
    def rates_from(self) -> str:
        since = self._own_rates.known_from(self.clock.time()) if self._own_rates is not None else None
        return "" if since is None else f"{clock_words(since)[:5]} UTC"

    def _rates_of(self, replica: Replica, now: float) -> tuple[Rate, ...]:
        return replica.rates.list(now) if self._own_rates is None else self._own_rates.list(replica.key, now)

    # --- changes ---

    def open(self) -> None:
        if self._count_own is not None:
            self._own_rates = self._count_own()  # what came while nobody wanted it was not heard

    def apply(self, key: str, change: Change) -> None:
        if self._own_rates is not None and change.entries:
            self._own_rates.add(key, change.entries)
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
