"""The view of the feed: every change of every kind that its filter lets through, newest first, bursts folded.

Templates see it as ``view``. `live/_feed.html` has ``<ol id="entries-<view.id>">`` filled with `live/_entry.html` and
`live/_fold.html` (one `<li>` each, which sees ``line``: FeedLine); `live/_rate.html`, `live/_bars.html` and
`live/_sums.html` have ``#rate-<view.id>``, ``#bars-<view.id>`` and ``#sums-<view.id>`` as their root elements. Past
reading speed lines are sampled on screen and counted exactly.
"""

from __future__ import annotations

import asyncio
import copy
import math
from typing import ClassVar

from dashboard.live.change import Change
from dashboard.live.feed_lines import FeedLine, item_line
from dashboard.live.feed_log import FeedLog
from dashboard.live.feed_page import FeedPage
from dashboard.live.feed_query import FeedQuery
from dashboard.live.feed_search import MOST, FeedSearch
from dashboard.live.feed_shown import Shown
from dashboard.live.histogram import RATE_SPAN, Counts
from dashboard.live.lines import partial
from dashboard.live.messages import Entry
from dashboard.live.renderer import Renderer
from dashboard.live.slices import Slices, Work
from dashboard.live.swaps import Swaps
from dashboard.live.tally import Pace, Tally
from dashboard.live.unread import Unread, unread
from dashboard.live.view import View
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock

SHOWN = 200
"""Lines in the page."""
RATE_EVERY = 1.0
"""Seconds between two tellings of the rate at least."""
BARS_EVERY = 2.5
SAID_EVERY = 10.0
"""Seconds between two sums that are read aloud."""
WHOLE = ("rate", "sums", "bars", "unread", "quiet")
"""Parts of the page, beside its lines, that a window brings."""
MISSING = ("unread", "quiet")
"""Those that say which kinds cannot be read."""


class FeedView(View):
    """What `view` is in live/feed.html, _feed.html, _entry.html, _fold.html, _rate.html, _sums.html and _bars.html.

    id, seq · kinds: tuple[KindInfo, ...] (all that are watched) · query · lines: tuple[FeedLine, ...] newest first, at
    most 200 · looking: whether what there was before is still being searched · hidden: int (entries counted and left
    out since the view began) · missed: int (entries of its kinds, whether the filter takes them or not, that came
    while nothing was heard and that nobody can tell any more) · seen: int (entries counted since) · page: FeedPage
    (what the page says about the whole of it).
    """

    template: ClassVar[str] = "feed"
    interval: ClassVar[float] = 0.25

    def __init__(
        self, query: FeedQuery, kinds: tuple[KindInfo, ...], log: FeedLog, slices: Slices, clock: Clock
    ) -> None:
        chosen = tuple(key for key in log.keys if not query.kinds or key in query.kinds)
        super().__init__(self.state_of(query), keys=chosen, clock=clock)
        self.query = query
        self.kinds = kinds
        self.log = log
        self.missed = 0
        self.found = asyncio.Event()
        """Set when what there was before is there."""
        self._kinds = {kind.key: kind for kind in kinds}
        self.shown = Shown(MOST if query.span.is_fixed else SHOWN, fold=query.folds)
        self.pace, self.told_pace = Pace(), Pace()
        now = clock.time()
        begin, end = query.span.pictured(now, log.known_from(chosen))
        self.tally = Tally(end - begin)
        self.newest = -math.inf
        self.complete_from = -math.inf
        self._arrived: list[tuple[str, Entry]] = []
        self._since_told = [0, 0, 0]
        self._to_say = [0, 0, 0]
        self.said = ""
        self._sent: dict[str, tuple[str, float]] = {}
        """What each part of the page said when it was told last, and when, seconds of `Clock.now`."""
        self._swaps = Swaps()
        self._whole = False
        slices.add(self._find(now))
        self._whole = self.looking
        self._note(*MISSING)

    @staticmethod
    def state_of(query: FeedQuery) -> str:
        """What tells this view from others."""
        return query.query_string()

    def seen_by(self, query: FeedQuery) -> FeedView:
        """This view for one page whose filter was typed as in `query`; for rendering at once only."""
        seen = copy.copy(self)
        seen.query = query
        return seen

    # --- what templates see ---

    @property
    def looking(self) -> bool:
        return not self.found.is_set()

    @property
    def lines(self) -> tuple[FeedLine, ...]:
        first = (self.query.page - 1) * SHOWN
        return tuple(item_line(item, self.query) for item in self.shown.lines[first : first + SHOWN])

    @property
    def unread(self) -> Unread:
        """Kinds that it is to show and of which nothing can be heard."""
        return unread(self._kinds, self.log.replicas(self.keys), out_of_reach=bool(self.trouble()))

    @property
    def seen(self) -> int:
        return self.shown.seen

    @property
    def hidden(self) -> int:
        return self.shown.seen - self.shown.told - self.shown.coming

    @property
    def page(self) -> FeedPage:
        return FeedPage(self)

    # --- changes ---

    def open(self) -> None:
        """The pages that follow say what keeps the dashboard from the cluster, which nobody knew at the beginning."""
        self._note(*MISSING)

    def apply(self, key: str, change: Change) -> None:
        if change.missed:
            self.missed += change.missed
            self._sent.pop("rate", None)  # this is told at once
            self.dirty = True
        if change.untold is not None:
            self._sent.pop("bars", None)
            self.dirty = True
        self.dirty = self.dirty or (change.state and self._text_of("unread") != self._sent_text("unread"))
        now, matches, span = self.clock.time(), self.query.matches, self.query.span
        usual = span.is_usual
        for entry in change.entries:
            if matches(key, entry) and (usual or span.holds(entry.time, now)):
                self._count(entry)
                self.dirty = True
                if self.looking:
                    self._arrived.append((key, entry))
                else:
                    self.shown.add(self._kinds[key], entry)

    def next_due(self) -> float | None:
        """While something happened of late, rate and bars change with each second."""
        if self.query.span.is_fixed:
            return None
        begin, _ = self.query.span.pictured(self.clock.time(), 0)
        return 0.0 if self.newest > min(begin - 2 * self.tally.step, self.clock.time() - RATE_SPAN - 2) else None

    def pass_time(self, now: float) -> None:
        since = self.query.span.since(now)
        dropped = since is not None and self.query.span.last is not None and self.shown.drop_before(since)
        self.dirty = self.dirty or dropped or self.shown.behind or bool(self._stale_parts())

    def _count(self, entry: Entry) -> None:
        self.tally.add(entry.time, entry.op)
        self.pace.add(entry.time)
        self.newest = max(self.newest, entry.time)
        place = ("added", "modified", "deleted").index(entry.op)
        self._since_told[place] += 1
        self._to_say[place] += 1

    def _find(self, now: float) -> Work:
        """Search what there was; then show it, with what came meanwhile."""
        counted_from = math.inf
        if self.query.all and not self.query.span.is_fixed:
            counted_from = self.log.rates_from(self.keys, now)
            begin, _ = self.query.span.pictured(now, 0)
            for second, *counts in self.log.rates(self.keys, now):
                if second >= max(counted_from, begin - self.tally.step):
                    for op, number in zip(("added", "modified", "deleted"), counts, strict=True):
                        self.tally.add(second, op, number)  # type: ignore[arg-type] # the three operations
                    self.newest = max(self.newest, second)
        search = FeedSearch(self.query, self.keys, self.log, self.tally, now, counted_from)
        yield from search.run()
        for _, entry in search.entries:
            self.newest = max(self.newest, entry.time)
            if entry.time > now - 2 * RATE_SPAN:
                self.pace.add(entry.time)
                self.told_pace.add(entry.time)
        self.complete_from = search.complete_from
        self.shown.begin((self._kinds[key], entry) for key, entry in search.entries)
        for key, entry in self._arrived:
            self.shown.add(self._kinds[key], entry)
        self._arrived = []
        self.shown.take_all()
        self.found.set()
        self.number += 1
        self.on_dirty()

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        items = "".join(_item(render, line) for line in self.lines)
        parts = "".join(self._part(render, name) for name in WHOLE)
        return partial(f"#entries-{self.id}", "window", items) + parts

    def _render_update(self, render: Renderer) -> str:
        if self.looking:
            return ""  # what came is told with the rest
        now = self.clock.time()
        if self.query.span.is_fixed or self._whole:
            self._whole = False
            self._take_all(now)
            self._since_told = [0, 0, 0]
            self._note(*WHOLE, "said")
            return self.render_window(render)
        room = self._swaps.room(self.clock.now(), self.shown.waiting)
        html = self._lines_update(render, now, room) if room else ""
        for name in self._stale_parts():
            html += self._part(render, name)
            self._note(name)
        if self.shown.waiting:
            self.on_dirty()
        return html

    def _lines_update(self, render: Renderer, now: float, room: int) -> str:
        before = self.shown.told
        items, gone = self.shown.take(room)
        self.told_pace.add(now, self.shown.told - before)
        if not (items or gone or any(self._since_told)):
            return ""
        left = "".join(f'<li id="{line_id}" data-leave></li>' for line_id in gone)
        shown = "".join(_item(render, item_line(item, self.query)) for item in items)
        return partial(f"#entries-{self.id}", self._swap(), left + shown)

    def _forget_update(self) -> None:
        self._take_all(self.clock.time())
        self._since_told = [0, 0, 0]
        self._note(*MISSING)

    def _take_all(self, now: float) -> None:
        before = self.shown.told
        self.shown.take_all()
        self.told_pace.add(now, self.shown.told - before)

    def _swap(self) -> str:
        """How the browser takes the lines in, and of how many entries it hears with them."""
        added, modified, deleted = self._since_told
        self._since_told = [0, 0, 0]
        return f"feed max:{SHOWN} added:{added} modified:{modified} deleted:{deleted}"

    def _note(self, *names: str) -> None:
        """These parts have been told as they are now."""
        for name in names:
            self._sent[name] = (self._text_of(name), self.clock.now())

    def _stale_parts(self) -> list[str]:
        """The parts of the page, beside its lines, that say something else by now, and whose turn has come."""
        every = {
            "rate": RATE_EVERY,
            "said": SAID_EVERY,
            "sums": BARS_EVERY,
            "bars": max(BARS_EVERY, self.tally.step / 2),
            "unread": 0.0,
            "quiet": 0.0,
        }
        found, now = [], self.clock.now()
        for name, pause in every.items():
            text, at = self._sent.get(name, ("", -math.inf))
            if now - at >= pause and self._text_of(name) != text:
                found.append(name)
        return found

    def _sent_text(self, name: str) -> str:
        return self._sent.get(name, ("", 0.0))[0]

    def _text_of(self, name: str) -> str:
        """What tells a part's state from another."""
        match name:
            case "rate":
                return f"{self.page.rate_text} {self.hidden} {self.missed}"
            case "said":
                return self.said if not any(self._to_say) else f"{self.said} "
            case "sums":
                return str(self.page.sums)
            case "unread" | "quiet":
                return self.unread.missing
        return f"{self.page.begin} {self.newest}"

    def _part(self, render: Renderer, name: str) -> str:
        if name == "said":
            self.said = self.page.said(self._taken())
        return partial(f"#{name}-{self.id}", "outerMorph", render(f"live/_{name}.html", self.context()))

    def _taken(self) -> Counts:
        added, modified, deleted = self._to_say
        self._to_say = [0, 0, 0]
        return added, modified, deleted


def _item(render: Renderer, line: FeedLine) -> str:
    return render("live/_fold.html", {"line": line}) if line.summary else render.entry(line)
