"""View of the feed: every change that passes its filter, newest first, bursts folded.

Templates see it as ``view``. `feed/_feed.html` has ``<ol id="entries-<view.id>">`` filled with `feed/_entry.html` and
`feed/_burst.html` (one `<li>` each, which sees ``line``: FeedLine); `feed/_rate.html`, `feed/_histogram_bars.html` and
`feed/_change_counts.html` have ``#rate-<view.id>``, ``#bars-<view.id>`` and ``#sums-<view.id>`` as their root
elements. Past reading speed lines are sampled on screen and counted exactly.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import math
from collections.abc import Collection
from typing import ClassVar

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.live_view import LiveView
from dashboard.live.hub.namespace_limits import NamespaceLimit, joint_limit
from dashboard.live.hub.unavailable_kinds import UnavailableKinds, unavailable_kinds
from dashboard.live.index.index_store import WAIT_TIMEOUT
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.recorded_feed import RecordedFeed, RecordedGap, open_recorded_feed
from dashboard.live.rendering.charts import RATE_WINDOW, OperationCounts
from dashboard.live.rendering.hx_partials import hx_partial
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.feed.bursts import OPERATIONS
from dashboard.pages.feed.gap_lines import GapLine, with_gaps
from dashboard.pages.feed.line_window import FeedWindow
from dashboard.pages.feed.lines import FeedLine, item_line
from dashboard.pages.feed.memory_search import MAX_LISTED_ENTRIES, MemorySearch
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.recorded_changes import RecordedChanges
from dashboard.pages.feed.refresh_rate import RefreshRate
from dashboard.pages.feed.summary_panel import FeedSummary
from dashboard.pages.feed.tally import RateCounter, Tally
from dashboard.runtime.time_slicing import SlicedWork, TimeSlicer
from informerd.clock import Clock, within

MAX_LINES = 200
"""Most lines in the page."""
RATE_INTERVAL = 1.0
"""Shortest time between two updates of the rate, in seconds."""
BARS_INTERVAL = 2.5
DAY = 86400
READ_WAIT = 1.0
"""Seconds that a page waits for what is read from history, so that most is there without scripts, too."""
FIRST_LINES_WAIT = 4.0
"""Seconds that a page waits then, as long as it has no line at all."""
ANNOUNCE_INTERVAL = 10.0
"""Shortest time between two sums for screen readers, in seconds."""
WINDOW_PARTS = ("rate", "sums", "bars", "known", "unread", "quiet", "progress", "ranges")
"""Parts of the page, other than its lines, that a window brings."""
UNAVAILABLE_PARTS = ("unread", "quiet", "known")
"""Parts that name the kinds that cannot be read, and from when on changes are known."""
TEMPLATES = {
    "rate": "feed/_rate.html",
    "said": "feed/_announcement.html",
    "sums": "feed/_change_counts.html",
    "bars": "feed/_histogram_bars.html",
    "unread": "feed/_unavailable_kinds.html",
    "quiet": "feed/_empty.html",
    "known": "feed/_retention.html",
    "progress": "feed/_search_progress.html",
    "ranges": "feed/_range_links.html",
}
"""The template of each part, by the prefix of its element id."""


class LiveFeed(LiveView):
    """Value of `view` in the templates of feed/.

    id, seq · kinds: tuple[KindInfo, ...] (all that are watched) · query · lines: tuple[FeedLine, ...] newest first, at
    most 200 · is_searching: whether earlier entries are still being searched · hidden_count: int (entries counted and
    left out since the view began) · missed_count: int (entries of its kinds, whether the filter takes them or not, that
    were lost while nothing was heard) · seen_count: int (entries counted since) · page: FeedSummary (summary of the
    page).
    """

    template: ClassVar[str] = "feed"
    interval: ClassVar[float] = 0.25

    def __init__(
        self,
        query: FeedQuery,
        kinds: tuple[KindInfo, ...],
        history: ReadableHistory,
        slices: TimeSlicer,
        clock: Clock,
        *,
        steady: Collection[str] | None = None,
        recorded: RecordedFeed | None = None,
    ) -> None:
        """`steady` are the keys of the kinds that the settings name; None: all of `kinds`. `recorded` has what is older
        than `history`; None where no history is kept.
        """
        steady = {kind.key for kind in kinds} if steady is None else steady
        chosen = tuple(key for key in history.keys if not query.kinds or key in query.kinds)
        shown = chosen if query.kinds else tuple(key for key in chosen if key in steady)
        super().__init__(self.state_key(query), keys=shown, clock=clock)
        self.all_keys = chosen
        """Keys of all kinds whose changes are here. `keys` lacks those on demand, unless the address names them."""
        self.query = query
        self.kinds = kinds
        self.history = history
        self.missed_count = 0
        self.search_done = asyncio.Event()
        """Set when the search of earlier entries is done."""
        self._kinds = {kind.key: kind for kind in kinds}
        self.window = FeedWindow(self._most_lines, fold=query.folds)
        self.rate, self.shown_rate = RateCounter(), RateCounter()
        now = clock.time()
        begin, end = query.span.histogram_bounds(now, history.known_from(shown))
        self.tally = Tally(end - begin)
        self.newest_at = -math.inf
        self.complete_from = -math.inf
        self._arrived: list[tuple[str, Entry]] = []
        self._unannounced_counts = [0, 0, 0]
        self._announcement_counts = [0, 0, 0]
        self.announcement = ""
        self._is_recounted = False
        """Whether `tally` has what history has counted."""
        self._is_joining = False
        """Whether lines are being built of what memory and history have."""
        self._tallied = 0
        """Number of the entries of `reading` that were looked at for `tally`."""
        self._sent: dict[str, tuple[str, float]] = {}
        """State of each part of the page when it was last sent, and when, in seconds of `Clock.now`."""
        self._swaps = RefreshRate()
        self._whole = False
        self.reading: RecordedChanges | None = None
        """What is read from history."""
        self.recorded_done = asyncio.Event()
        """Set when all that is wanted has been read from history."""
        self.first_lines_done = asyncio.Event()
        """Set when there are lines, or all has been read that is wanted."""
        self._recorded = recorded
        self._slices = slices
        self._known: list[tuple[str, Entry]] = []
        """What memory has of the span, while history is read."""
        self._reader: asyncio.Task[None] | None = None
        slices.add(self._find(now))
        self._whole = self.is_searching
        self._note(*UNAVAILABLE_PARTS)

    @staticmethod
    def state_key(query: FeedQuery) -> str:
        """Key that distinguishes this view from others."""
        return query.query_string()

    def with_query(self, query: FeedQuery) -> LiveFeed:
        """A copy of this view for one page whose filter was typed as in `query`; to be rendered immediately."""
        seen = copy.copy(self)
        seen.query = query
        return seen

    # --- what templates see ---

    @property
    def is_searching(self) -> bool:
        return not self.search_done.is_set()

    @property
    def lines(self) -> tuple[FeedLine, ...]:
        first = (self.query.page - 1) * MAX_LINES
        midnight = self.clock.time() // DAY * DAY
        return tuple(item_line(item, self.query, midnight) for item in self.window.lines[first : first + MAX_LINES])

    @property
    def lines_and_gaps(self) -> tuple[FeedLine | GapLine, ...]:
        """The lines, with the gaps between them."""
        first, every = (self.query.page - 1) * MAX_LINES, self.window.lines
        since = self.listed_from if first + MAX_LINES >= len(every) else math.inf
        if self.reading is not None and self.is_reading:
            since = max(since, self.reading.complete_from)
        begin = self.query.span.since(self.clock.time())
        if begin is not None and since <= begin:
            since = -math.inf  # one that began before the span is in it, too
        after = every[first - 1].id if 0 < first <= len(every) else ""
        return tuple(with_gaps(self.lines, self.gaps, self.gap_titles, after, since))

    @property
    def gaps(self) -> list[RecordedGap]:
        """The times within the span of which not every change is known, oldest first: what history did not record, and
        since then what no worker reported.
        """
        now = self.clock.time()
        since, end = self.query.span.since(now), self.query.span.end
        since, end = -math.inf if since is None else since, now if end is None else end
        recorded, recorded_until = list[RecordedGap](), -math.inf
        if self.reading is not None and self.reading.is_used and not self.reading.problem:
            recorded, recorded_until = self.reading.gaps, self.reading.gaps_until
        keys = frozenset(self.all_keys)
        periods = [
            RecordedGap(begin, until, keys, "")
            for begin, until in self.history.unannounced_periods(self.all_keys, since, end)
            if until > recorded_until
        ]
        return [gap for gap in (*recorded, *periods) if gap.since < end]

    def gap_titles(self, gap: RecordedGap) -> str:
        """The kinds of a gap by their titles; empty where it is one of all kinds that are recorded."""
        unrecorded = self.reading.unrecorded if self.reading is not None else frozenset()
        titles = {kind.key: kind.title for kind in self.kinds}
        if gap.keys >= {*self.keys} - unrecorded:
            return ""
        return ", ".join(sorted(titles.get(key, key) for key in gap.keys))

    @property
    def listed_from(self) -> float:
        """Unix seconds after which all changes are listed."""
        return max(self.complete_from, self.window.left_out_until)

    @property
    def is_reading(self) -> bool:
        """Whether lines are being read from history."""
        return self.reading is not None and not self.recorded_done.is_set()

    @property
    def unavailable_kinds(self) -> UnavailableKinds:
        """Kinds of the query that cannot be read."""
        return unavailable_kinds(
            self._kinds, self.history.replicas(self.keys), is_unreachable=bool(self.cluster_problem())
        )

    @property
    def limit(self) -> NamespaceLimit | None:
        """Namespaces in which the kinds of the query are listed; None where these are all."""
        return joint_limit(self._kinds.values(), {replica.key: replica for replica in self.history.replicas(self.keys)})

    @property
    def seen_count(self) -> int:
        return self.window.seen_count

    @property
    def hidden_count(self) -> int:
        return self.window.seen_count - self.window.shown_count - self.window.pending_count

    @property
    def page(self) -> FeedSummary:
        return FeedSummary(self)

    @property
    def listened_keys(self) -> tuple[str, ...]:
        return self.all_keys

    # --- changes ---

    def take_kinds(self, kinds: tuple[KindInfo, ...]) -> None:
        """Take in the changes of other kinds, too; lines of a kind that is no longer followed stay."""
        self.kinds = kinds
        self._kinds |= {kind.key: kind for kind in kinds}
        chosen = tuple(kind.key for kind in kinds if not self.query.kinds or kind.key in self.query.kinds)
        if chosen != self.all_keys:
            if self.query.kinds:
                self.keys = chosen
            self.all_keys, self.dirty = chosen, True

    def open(self) -> None:
        """Open the view; later pages name the kinds that cannot be read, which are unknown at first."""
        self._note(*UNAVAILABLE_PARTS)
        if self.is_reading and self._reader is None:
            self._read_history()

    def close(self) -> None:
        """Stop to read history; a view that is opened again begins anew."""
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None

    def apply(self, key: str, change: Change) -> None:
        if change.missed_entries:
            self.missed_count += change.missed_entries
            self._sent.pop("rate", None)  # this is told at once
            self.dirty = True
        if change.unannounced is not None:
            self._whole = self.dirty = True  # a gap stands between the lines, too
        self.dirty = self.dirty or (change.has_new_health and self._text_of("unread") != self._sent_text("unread"))
        now, matches, span = self.clock.time(), self.query.matches, self.query.span
        usual = span.is_default
        for entry in change.entries:
            if matches(key, entry) and (usual or span.contains(entry.time, now)):
                self.dirty = True
                if self.reading is not None and self.reading.has(key, entry):
                    self.rate.add(entry.time)
                    continue
                self._count(entry)
                if self.is_reading:
                    self._known.append((key, entry))
                    if len(self._known) > 2 * MAX_LISTED_ENTRIES and not self._is_joining:
                        del self._known[:-MAX_LISTED_ENTRIES]  # no page shows more
                if self.is_searching:
                    self._arrived.append((key, entry))
                else:
                    self.window.add(self._kinds[key], entry)

    def next_due(self) -> float | None:
        """Each second after recent changes, when rate and bars change."""
        if self.query.span.is_fixed:
            return None
        begin, _ = self.query.span.histogram_bounds(self.clock.time(), 0)
        return 0.0 if self.newest_at > min(begin - 2 * self.tally.step, self.clock.time() - RATE_WINDOW - 2) else None

    def pass_time(self, now: float) -> None:
        since = self.query.span.since(now)
        dropped = since is not None and self.query.span.last is not None and self.window.drop_before(since)
        self.dirty = self.dirty or dropped or self.window.has_stale_bursts or bool(self._stale_parts())

    def _count(self, entry: Entry) -> None:
        self.tally.add(entry.time, entry.op)
        self.rate.add(entry.time)
        self.newest_at = max(self.newest_at, entry.time)
        index = ("added", "modified", "deleted").index(entry.op)
        self._unannounced_counts[index] += 1
        self._announcement_counts[index] += 1

    def _count_rates(self, now: float) -> float:
        """Count what is known of the last minutes without their entries. Returns from when on, in Unix seconds."""
        counted_from = math.inf
        if self.query.all and not self.query.span.is_fixed:
            counted_from = self.history.rates_from(self.all_keys, now)
            begin, _ = self.query.span.histogram_bounds(now, 0)
            for second, *counts in self.history.rates(self.all_keys, now):
                if second >= max(counted_from, begin - self.tally.step):
                    for op, number in zip(("added", "modified", "deleted"), counts, strict=True):
                        self.tally.add(second, op, number)  # type: ignore[arg-type] # the three operations
                    self.newest_at = max(self.newest_at, second)
        return counted_from

    def _find(self, now: float) -> SlicedWork:
        """Search earlier entries; then show them, with those that came meanwhile."""
        counted_from = self._count_rates(now)
        search = MemorySearch(self.query, self.all_keys, self.history, self.tally, now, counted_from)
        yield from search.run()
        for _, entry in search.entries:
            self.newest_at = max(self.newest_at, entry.time)
            if entry.time > now - 2 * RATE_WINDOW:
                self.rate.add(entry.time)
                self.shown_rate.add(entry.time)
        self.complete_from = search.complete_from
        yield from self.window.begin((self._kinds[key], entry) for key, entry in search.entries)
        for key, entry in self._arrived:
            self.window.add(self._kinds[key], entry)
        self._known = [*search.entries, *self._arrived]
        self._arrived = []
        self.window.flush()
        self.search_done.set()
        self.number += 1
        self._note_lines()
        if self._recorded is None:
            self._end_reading()
        else:
            self._read_history()
        self.on_dirty()

    # --- what history has ---

    def _read_history(self) -> None:
        """Read what is older than memory in a task of its own."""
        if self._recorded is None:
            return
        known_from = {key: self.history.complete_from(key) for key in self.all_keys}
        self.reading = reading = RecordedChanges(
            self._recorded, self.query, self.all_keys, self.keys or self.all_keys, known_from, self.clock, self._on_read
        )
        enough = MAX_LISTED_ENTRIES if self.query.span.is_fixed else 2 * MAX_LINES  # some are folded
        has_enough = self.complete_from > -math.inf

        async def read() -> None:
            await reading.read(self._known, lambda: has_enough or len(self._known) + len(reading.entries) >= enough)

        self._reader = asyncio.get_running_loop().create_task(read(), name="reading the feed from history")

    def _on_read(self) -> None:
        """Show what has been read so far."""
        reading = self.reading
        if reading is None:
            return
        if reading.is_used and not self._is_recounted:
            self._is_recounted = True
            self._recount(reading)
        if reading.counts is None:
            for _, entry in reading.entries[self._tallied :]:
                self.tally.add(entry.time, entry.op)
        self._tallied = len(reading.entries)
        if reading.done.is_set() or not self._is_joining:
            self._slices.add(self._join(reading, is_last=reading.done.is_set()))

    def _recount(self, reading: RecordedChanges) -> None:
        """Count anew: what history has counted, and of what is in memory what came later."""
        begin, end = reading.bounds()
        now, self.tally = self.clock.time(), Tally(end - begin)
        for second, counts in (reading.counts or {}).items():
            for op, number in zip(OPERATIONS, counts, strict=True):
                self.tally.add(second, op, number)
        search = MemorySearch(
            self.query, self.all_keys, self.history, self.tally, now, self._count_rates(now),
            uncounted_until=reading.memory_from if reading.counts is not None else {}, gathers=False,
        )  # fmt: skip
        self._slices.add(search.run())

    def _join(self, reading: RecordedChanges, *, is_last: bool) -> SlicedWork:
        """Build the lines anew, of what memory and history have, and show them; `is_last`: all has been read."""
        while self._is_joining:
            yield "wait"
        if reading.complete_from < math.inf:
            self._is_joining = True
            del self._known[:-MAX_LISTED_ENTRIES]  # no page shows more
            window = FeedWindow(self._most_lines, fold=self.query.folds)
            entries, complete_from, known = [*reading.entries, *self._known], reading.complete_from, len(self._known)
            entries.sort(key=lambda each: (each[1].ordered_at, each[0], each[1].seq))
            yield from window.begin((self._kinds[key], entry) for key, entry in entries if key in self._kinds)
            for key, entry in self._known[known:]:
                window.add(self._kinds[key], entry)
            window.flush()
            window.seen_count, window.shown_count = self.window.seen_count, self.window.shown_count
            self.window, self.complete_from, self._is_joining = window, complete_from, False
        self._note_lines()
        if is_last:
            self._known = []
            self._end_reading()
        self._whole = self.dirty = True
        self.number += 1
        self.on_dirty()

    def _note_lines(self) -> None:
        if self.window.lines:
            self.first_lines_done.set()

    def _end_reading(self) -> None:
        self.recorded_done.set()
        self.first_lines_done.set()

    @property
    def _most_lines(self) -> int:
        return MAX_LISTED_ENTRIES if self.query.span.is_fixed else MAX_LINES

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        items = "".join(_item(render, line) for line in self.lines_and_gaps)
        parts = "".join(self._part(render, name) for name in WINDOW_PARTS)
        return hx_partial(f"#entries-{self.id}", "window", items) + parts

    def _render_update(self, render: Renderer) -> str:
        if self.is_searching:
            return ""  # what came is told with the rest
        now = self.clock.time()
        if self.query.span.is_fixed or self._whole:
            self._whole = False
            self._take_all(now)
            self._unannounced_counts = [0, 0, 0]
            self._note(*WINDOW_PARTS, "said")
            return self.render_window(render)
        room = self._swaps.allowed_lines(self.clock.now(), self.window.pending_line_count)
        html = self._lines_update(render, now, room) if room else ""
        for name in self._stale_parts():
            html += self._part(render, name)
            self._note(name)
        if self.window.pending_line_count:
            self.on_dirty()
        return html

    def _lines_update(self, render: Renderer, now: float, room: int) -> str:
        before = self.window.shown_count
        items, gone = self.window.take_update(room)
        self.shown_rate.add(now, self.window.shown_count - before)
        if not (items or gone or any(self._unannounced_counts)):
            return ""
        left = "".join(f'<li id="{line_id}" data-leave></li>' for line_id in gone)
        shown = "".join(_item(render, item_line(item, self.query)) for item in items)
        return hx_partial(f"#entries-{self.id}", self._swap(), left + shown)

    def _forget_update(self) -> None:
        self._take_all(self.clock.time())
        self._unannounced_counts = [0, 0, 0]
        self._note(*UNAVAILABLE_PARTS)

    def _take_all(self, now: float) -> None:
        before = self.window.shown_count
        self.window.flush()
        self.shown_rate.add(now, self.window.shown_count - before)

    def _swap(self) -> str:
        """The swap attribute: how the browser inserts the lines, and how many entries they announce."""
        added, modified, deleted = self._unannounced_counts
        self._unannounced_counts = [0, 0, 0]
        return f"feed max:{MAX_LINES} added:{added} modified:{modified} deleted:{deleted}"

    def _note(self, *names: str) -> None:
        """Record the current state of these parts as sent."""
        for name in names:
            self._sent[name] = (self._text_of(name), self.clock.now())

    def _stale_parts(self) -> list[str]:
        """The parts of the page, other than its lines, that have changed and are due."""
        every = {
            "rate": RATE_INTERVAL,
            "said": ANNOUNCE_INTERVAL,
            "sums": BARS_INTERVAL,
            "bars": max(BARS_INTERVAL, self.tally.step / 2),
            "known": 0.0,
            "unread": 0.0,
            "quiet": 0.0,
            "progress": 0.0,
        }
        parts, now = [], self.clock.now()
        for name, pause in every.items():
            text, at = self._sent.get(name, ("", -math.inf))
            if now - at >= pause and self._text_of(name) != text:
                parts.append(name)
        return parts

    def _sent_text(self, name: str) -> str:
        return self._sent.get(name, ("", 0.0))[0]

    def _text_of(self, name: str) -> str:
        """Text that distinguishes a part's states."""
        match name:
            case "rate":
                return f"{self.page.rate_text} {self.hidden_count} {self.missed_count}"
            case "said":
                return self.announcement if not any(self._announcement_counts) else f"{self.announcement} "
            case "sums":
                return str(self.page.sums)
            case "known":
                return f"{self.page.known_from} {self.page.later_kinds} {self.page.unknown_extent}"
            case "progress":
                return self.page.search.text
            case "unread" | "quiet":
                limit = self.limit
                return f"{self.unavailable_kinds.missing} {limit.words + limit.warning if limit else ''}"
        return f"{self.page.begin} {self.newest_at}"

    def _part(self, render: Renderer, name: str) -> str:
        if name == "said":
            self.announcement = self.page.announcement_of(self._take_counts())
        return hx_partial(f"#{name}-{self.id}", "outerMorph", render(TEMPLATES[name], self.context()))

    def _take_counts(self) -> OperationCounts:
        added, modified, deleted = self._announcement_counts
        self._announcement_counts = [0, 0, 0]
        return added, modified, deleted


def _item(render: Renderer, line: FeedLine | GapLine) -> str:
    if isinstance(line, GapLine):
        return render("feed/_gap.html", {"line": line})
    return render("feed/_burst.html", {"line": line}) if line.summary else render.render_entry(line)


def open_feed(hub: Hub, query: FeedQuery, recorded: HistoryObjects | None = None) -> LiveFeed:
    """The feed's view. Earlier entries come later where they have not been found yet, see `is_searching`; those that
    are older than what is in memory are read from `recorded`.
    """

    def make() -> LiveFeed:
        kinds, steady = hub.hub_kinds.all_kinds, {kind.key for kind in hub.hub_kinds.configured}
        older = open_recorded_feed(hub, recorded)
        return LiveFeed(query, kinds, hub.history, hub.index.slices, hub.clock, steady=steady, recorded=older)

    return hub.open_view(LiveFeed, LiveFeed.state_key(query), make).with_query(query)


async def wait_for_feed(
    hub: Hub, query: FeedQuery, recorded: HistoryObjects | None = None, *, needs_lines: bool = True
) -> None:
    """Wait until earlier entries are found, WAIT_TIMEOUT at most, and read from history, READ_WAIT at most; with
    `needs_lines` up to FIRST_LINES_WAIT longer while there is no line.
    """
    view = open_feed(hub, query, recorded)
    waits = [(view.search_done, WAIT_TIMEOUT), (view.recorded_done, READ_WAIT)]
    for found, seconds in [*waits, *([(view.first_lines_done, FIRST_LINES_WAIT)] if needs_lines else [])]:
        if not found.is_set():
            with contextlib.suppress(TimeoutError):
                async with within(seconds, hub.clock):
                    await found.wait()
