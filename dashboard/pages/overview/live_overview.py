"""View of the whole cluster, or of some namespaces.

Tiles and rates are those of the kinds that are followed always. Problems and latest changes are those of all kinds that
are followed now, because somebody views them, too.

Templates see it as ``view``. Fragments that frames replace whole, each the root element of its template:
``#tiles-<view.id>`` (overview/_tiles.html), ``#wrong-<view.id>`` (overview/_causes.html),
``#gaps-<view.id>`` (overview/_chart_gaps.html) and ``#latest-<view.id>`` (overview/_latest.html).
The chart's data come in ``<script type="application/json" id="rates-data">``, rendered by Django's json_script filter:
``{{ view.rates|json_script:"rates-data" }}``; frames carry the same shape as JSON in `rates`, and live/main.js passes
it on as a `deltaboard:rates` event on document.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from heapq import merge
from itertools import islice
from typing import ClassVar

from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.hub.live_view import LiveView
from dashboard.live.hub.namespace_limits import NamespaceLimit, joint_limit
from dashboard.live.hub.unavailable_kinds import (
    UnavailableKinds,
    informer_state,
    is_unknown,
    join_first_titles,
    join_titles,
    unavailable_kinds,
)
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.recorded_feed import RecordedFeed, RecordedGap, join_gaps, open_recorded_feed
from dashboard.live.rendering.charts import chart_begin, chart_data
from dashboard.live.rendering.hx_partials import Fragment, SentFragments, hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.change_rates import Rate
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.causes.live_causes import open_causes
from dashboard.pages.causes.shown_causes import Causes
from dashboard.pages.feed.bursts import line_id
from dashboard.pages.feed.gap_lines import GapLine, with_gaps
from dashboard.pages.feed.lines import FeedLine, feed_line
from dashboard.pages.overview.change_gaps import MIN_SECONDS, ChangeGaps
from dashboard.pages.overview.namespace_rates import NamespaceRates
from dashboard.pages.overview.tiles import Tile, tile_of
from dashboard.runtime.read_only import is_past_shown
from informerd.clock import Clock

logger = logging.getLogger(__name__)

TEMPLATES = {
    "limit": "overview/_namespace_limit.html",
    "tiles": "overview/_tiles.html",
    "wrong": "overview/_causes.html",
    "gaps": "overview/_chart_gaps.html",
    "latest": "overview/_latest.html",
}
"""The template of each part, by the prefix of its element id."""
MAX_LATEST = 12
MAX_COVERED = 10
"""Maximum number of kinds whose problems are shown and that are named."""
LATEST_SCAN_LIMIT = 500
"""Entries of each kind in which the latest of some namespaces are searched."""
GAPS_RECORDED = 10.0
"""Seconds after a worker has begun in which history has the gap before that."""
RETRY_INTERVAL = 5.0
"""Seconds after which the gaps are read again that could not be read."""
BACKGROUND_KINDS = frozenset({"namespaces", "nodes", "events"})
"""Kinds that even an empty cluster has objects of."""


class LiveOverview(LiveView):
    """Value of `view` in overview/overview.html, _tiles.html, _causes.html, _chart_gaps.html and _latest.html.

    id, seq · namespaces: tuple[str, ...] (empty: all) · tiles: tuple[Tile, ...] · causes: Causes ·
    latest: tuple[FeedLine | GapLine, ...] (newest first, at most 12 lines, with the gaps between them) ·
    is_empty: bool (no object of a known kind but namespaces, nodes and events) · rates: {"start": Unix second, "step":
    seconds, "added": [...], "modified": [...], "deleted": [...], "gaps": [[Unix seconds, Unix seconds], ...]} (the last
    15 minutes, and of which of them not every change is known) · gaps: ChangeGaps.
    """

    template: ClassVar[str] = "overview"
    interval: ClassVar[float] = 0.5

    def __init__(
        self,
        kinds: HubKinds,
        history: ReadableHistory,
        clock: Clock,
        find_causes: Callable[[], Causes],
        *,
        namespaces: tuple[str, ...] = (),
        make_own_rates: Callable[[], NamespaceRates] | None = None,
        recorded: RecordedFeed | None = None,
    ) -> None:
        """`find_causes` returns the problems in `namespaces`. `make_own_rates` counts changes there; without it the
        rates cover all namespaces. `recorded` has the gaps before changes are counted; None where no history is kept.
        """
        super().__init__(self.state_key(namespaces), keys=(), clock=clock)
        self.namespaces = tuple(sorted(set(namespaces)))
        self._hub_kinds = kinds
        self._history = history
        self._summaries = kinds.summaries
        self._fragments = SentFragments()
        self._find_causes = find_causes
        self._count_own = make_own_rates
        self._own_rates: NamespaceRates | None = None
        self._recorded = recorded
        self._recorded_gaps: list[RecordedGap] = []
        self._gaps_read_for = -math.inf
        """From when on changes are counted after `_recorded_gaps`."""
        self._reader: asyncio.Task[None] | None = None
        self._take_kinds()

    @staticmethod
    def state_key(namespaces: tuple[str, ...]) -> str:
        """The canonical state of an overview of these namespaces."""
        return ",".join(sorted(set(namespaces)))

    def _take_kinds(self) -> None:
        followed = self._hub_kinds.with_replicas()
        always = self._hub_kinds.always_followed
        self._kinds = {kind.key: kind for kind, _ in followed}
        self._steady = [replica for kind, replica in followed if kind.key in always]
        self._on_demand = [replica for kind, replica in followed if kind.key not in always]
        keys = tuple(replica.key for replica in self._steady)
        if keys != self.keys:
            self.keys = keys
            self._own_rates = self._count_own() if self._count_own is not None else None

    # --- what templates see ---

    @property
    def tiles(self) -> tuple[Tile, ...]:
        now, is_unreachable, gaps = self.clock.time(), bool(self.cluster_problem()), self.gaps
        return tuple(
            tile_of(
                self._kinds[replica.key],
                replica,
                self._summaries[replica.key],
                now,
                self._rates_of(replica, now) if self._kinds[replica.key].namespaced else replica.rates.recent(now),
                namespaces=self.namespaces,
                is_unreachable=is_unreachable,
                is_rights_unknown=bool(self.rights_problem),
                gaps=gaps.of_sparkline(replica.key),
            )
            for replica in self._steady
        )

    @property
    def limit(self) -> NamespaceLimit | None:
        """Namespaces in which the kinds are listed; None where these are all."""
        return joint_limit(self._kinds.values(), {replica.key: replica for replica in self._steady})

    @property
    def causes(self) -> Causes:
        return self._find_causes()

    @property
    def _known_replicas(self) -> list[ReadableReplica]:
        """Those of which anything is known: of kinds on demand not those that cannot be read, or not yet."""
        return self._steady + [
            replica for replica in self._on_demand if replica.rows or informer_state(replica) in {"live", "stale"}
        ]

    @property
    def covered_kinds_text(self) -> str:
        """The kinds whose problems are known, as a sentence; more than MAX_COVERED are counted. Empty where none is."""
        known = [each for each in self._known_replicas if not is_unknown(each) and not each.is_hidden]
        titles = [self._kinds[each.key].title for each in known]
        return f"{join_first_titles(titles, MAX_COVERED)} are covered." if titles else ""

    @property
    def sees_nothing(self) -> bool:
        """Whether the rights of who looks include no object of a kind that is followed."""
        replicas = [*self._steady, *self._on_demand]
        return bool(replicas) and all(replica.is_hidden for replica in replicas)

    @property
    def empty_text(self) -> str:
        """Heading of a cluster without objects of the kinds that are followed always."""
        shown = [each for each in self._steady if each.key not in BACKGROUND_KINDS and not each.is_hidden]
        titles = [self._kinds[each.key].title for each in shown]
        return f"No {' or '.join(filter(None, (', '.join(titles[:-1]), titles[-1])))} yet" if titles else "Nothing yet"

    @property
    def unknown_kinds_text(self) -> str:
        """Kinds whose problems are unknown, as sentences; empty where all could be listed."""
        return self._unavailable_kinds().words

    @property
    def is_unreadable(self) -> bool:
        """Whether a failure is the reason, and not first lists that are still being read."""
        unavailable = self._unavailable_kinds()
        return bool(unavailable.forbidden or unavailable.failing)

    @property
    def may_be_stale(self) -> bool:
        """Whether changes may have been missed, so that the page shows an earlier state."""
        return bool(self._outdated_replicas)

    @property
    def outdated_kinds_text(self) -> str:
        """Kinds that are shown in an earlier state, as a sentence; empty where all are up to date."""
        outdated = self._outdated_replicas
        if not outdated:
            return ""
        is_all = len(outdated) == len(self._known_replicas)
        titles = "All of this" if is_all else join_titles([self._kinds[replica.key].title for replica in outdated])
        return f"{titles} may have changed since."

    @property
    def _outdated_replicas(self) -> list[ReadableReplica]:
        return [
            replica
            for replica in self._known_replicas
            if informer_state(replica) == "stale" or (replica.rows and not replica.is_live)
        ]

    def _unavailable_kinds(self) -> UnavailableKinds:
        return unavailable_kinds(self._kinds, self._steady, is_unreachable=bool(self.cluster_problem()))

    @property
    def latest(self) -> tuple[FeedLine | GapLine, ...]:
        newest = merge(*map(self._entries, self._known_replicas), key=lambda item: item[:3])
        lines = [
            replace(feed_line(self._kinds[key], entry), id=line_id(self._kinds[key], entry))
            for _, key, _, entry in islice(newest, MAX_LATEST)
        ]
        gaps = self.gaps
        return tuple(
            with_gaps(lines, gaps.of_lines(), gaps.titles, "", math.inf if len(lines) == MAX_LATEST else -math.inf)
        )

    @property
    def is_in_gap(self) -> bool:
        """Whether changes of the shown moment of the past are not all known."""
        return is_past_shown() and self.gaps.is_now

    @property
    def gaps(self) -> ChangeGaps:
        """Times of which not every change of the kinds that are followed always is known."""
        seen = {replica.key for replica in self._steady if not replica.is_hidden and not is_unknown(replica)}
        kinds = [kind for key, kind in self._kinds.items() if key in seen]
        return ChangeGaps(self._history, kinds, self.clock.time(), self._counted_from, self._recorded_gaps)

    def _counted_from(self, key: str) -> float:
        now = self.clock.time()
        if self._own_rates is not None:
            return self._own_rates.known_from(now) or -math.inf
        return min(self._history.known_from([key]), self._history.rates_from([key], now))

    def _entries(self, replica: ReadableReplica) -> Iterator[tuple[float, str, int, Entry]]:
        """Entries of one kind, the newest first."""
        newest = ((-entry.ordered_at, replica.key, -entry.seq, entry) for entry in reversed(replica.entries))
        if not self.namespaces:
            return newest
        return (item for item in islice(newest, LATEST_SCAN_LIMIT) if item[3].namespace in self.namespaces)

    @property
    def is_empty(self) -> bool:
        return not any(
            replica.rows or informer_state(replica) not in {"live", "absent"}
            for replica in self._known_replicas
            if replica.key not in BACKGROUND_KINDS
        )

    @property
    def rates(self) -> dict[str, object]:
        now = self.clock.time()
        sums: dict[float, Counter[int]] = {}
        for replica in self._steady:
            for second, *counts in self._rates_of(replica, now):
                sums.setdefault(second, Counter()).update(dict(enumerate(counts)))
        summed = [
            (second, counts_of_second[0], counts_of_second[1], counts_of_second[2])
            for second, counts_of_second in sums.items()
        ]
        return chart_data(summed, now) | {"gaps": self.gaps.of_chart()}

    def _rates_of(self, replica: ReadableReplica, now: float) -> tuple[Rate, ...]:
        return replica.rates.recent(now) if self._own_rates is None else self._own_rates.recent(replica.key, now)

    # --- changes ---

    @property
    def listened_keys(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def take_kinds(self, kinds: tuple[KindInfo, ...]) -> None:  # noqa: ARG002 -- with their replicas
        """Show the problems and changes of the kinds that are followed now."""
        self._take_kinds()
        self.dirty = True

    def open(self) -> None:
        if self._count_own is not None:
            self._own_rates = self._count_own()  # what came while nobody wanted it was not heard
        self._read_gaps()

    def close(self) -> None:
        """Stop to read history."""
        if self._reader is not None:
            self._reader.cancel()
            self._reader, self._gaps_read_for = None, -math.inf

    def apply(self, key: str, change: Change) -> None:
        if self._own_rates is not None and change.entries:
            self._own_rates.add(key, change.entries)
        self.dirty = True

    def next_due(self) -> float | None:
        """Always: rates, sparklines and problems change with time; the heartbeat's pace is enough."""
        return 0.0

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- due because of others
        self.dirty = True
        self._read_gaps()

    def _read_gaps(self) -> None:
        """Read the gaps before changes are counted, where the chart has some of that time."""
        now = self.clock.time()
        begin = chart_begin(now)
        keys = [replica.key for replica in self._steady]
        counted = max((since for key in keys if math.isfinite(since := self._counted_from(key))), default=-math.inf)
        is_due = begin + MIN_SECONDS <= counted <= now - GAPS_RECORDED and counted != self._gaps_read_for
        if self._recorded is None or not is_due:
            return
        self._gaps_read_for = counted
        reading = self._find_gaps(self._recorded, keys, begin, now)
        self._reader = asyncio.get_running_loop().create_task(reading, name="reading the overview's gaps from history")

    async def _find_gaps(self, recorded: RecordedFeed, keys: Iterable[str], begin: float, now: float) -> None:
        try:
            since = await recorded.recorded_since(keys)
            found = [gap for key in since for gap in await recorded.gaps([key], max(begin, since[key]), now)]
        except HistoryUnavailable:  # meanwhile, the chart says from when on it counts
            await self.clock.sleep(RETRY_INTERVAL)
            self._gaps_read_for = -math.inf
            return
        except Exception:
            logger.exception("the overview's gaps could not be read from history")
            return
        self._recorded_gaps, self.dirty = join_gaps(found), True
        self.on_dirty()

    # --- rendering ---

    def extras(self) -> dict[str, object]:
        return {"rates": self.rates}

    def render_window(self, render: Renderer) -> str:
        return "".join(hx_partial(*fragment) for fragment in self._all(render))

    def _render_update(self, render: Renderer) -> str:
        return self._fragments.changed_partials(self._all(render))

    def _forget_update(self) -> None:
        self._fragments.forget()

    def _all(self, render: Renderer) -> list[Fragment]:
        context = self.context()
        return [(f"#{name}-{self.id}", "outerMorph", render(template, context)) for name, template in TEMPLATES.items()]


def open_overview(hub: Hub, namespaces: tuple[str, ...] = (), recorded: HistoryObjects | None = None) -> LiveOverview:
    """The overview's view, of all namespaces or of some. `recorded` is history, None where none is kept."""

    def own_rates() -> NamespaceRates:
        return NamespaceRates(
            namespaces, hub.history, hub.hub_kinds.always_followed, hub.index.slices, hub.clock.time()
        )

    def make() -> LiveOverview:
        return LiveOverview(
            hub.hub_kinds,
            hub.history,
            hub.clock,
            lambda: open_causes(hub, namespaces).found,
            namespaces=namespaces,
            make_own_rates=own_rates if namespaces else None,
            recorded=open_recorded_feed(hub, recorded),
        )

    return hub.open_view(LiveOverview, LiveOverview.state_key(namespaces), make)
