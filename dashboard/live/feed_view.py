"""The view of the live feed: every change of every kind that its filter lets through, newest first.

Templates see it as ``view``. `live/_feed.html` has ``<ol id="entries-<view.id>">`` filled with `live/_entry.html` (one
`<li>`, which sees ``line``: FeedLine); `live/_rate.html` and `live/_bars.html` have ``#rate-<view.id>`` and
``#bars-<view.id>`` as their root elements. Past reading speed entries are sampled on screen and counted exactly.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import ClassVar

from dashboard.live.feed_query import FeedQuery
from dashboard.live.histogram import BAR_SECONDS, RATE_SPAN, Bar, bars, per_second, rate_words
from dashboard.live.lines import FeedLine, feed_line, partial
from dashboard.live.messages import Entry
from dashboard.live.rates import Rates
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Change, Replica
from dashboard.live.view import View
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock

SHOWN = 200
"""Entries in the page."""
AT_ONCE = 60
"""Entries that one frame brings at most."""

Known = tuple[KindInfo, Entry]


class FeedView(View):
    """What `view` is in live/feed.html, _feed.html, _entry.html, _rate.html and _bars.html.

    id, seq · kinds: tuple[KindInfo, ...] (all that are watched) · chosen: tuple of keys (empty: all) ·
    query (text: str, problems) · entries: tuple[FeedLine, ...] newest first, at most 200 ·
    rate: float (changes a second over the last 10 s) · rate_text: "31 a second" · hidden: int (entries counted and not
    shown since the view began) · missed: int (entries of its kinds, whether the filter takes them or not, that came
    while nothing was heard and that nobody can tell any more) · seen: int (entries counted since) ·
    bars: tuple[Bar, ...] (the last five minutes).
    """

    template: ClassVar[str] = "feed"
    interval: ClassVar[float] = 0.25

    def __init__(self, query: FeedQuery, kinds: tuple[KindInfo, ...], replicas: list[Replica], clock: Clock) -> None:
        chosen = [replica for replica in replicas if not query.kinds or replica.key in query.kinds]
        super().__init__(self.state_of(query), keys=tuple(replica.key for replica in chosen), clock=clock)
        self.query = query
        self.kinds = kinds
        self.hidden = 0
        self.missed = 0
        self.seen = 0
        self._kinds = {kind.key: kind for kind in kinds}
        self._replicas = chosen
        known = self._known_entries()
        self._entries: deque[Known] = deque(known[:SHOWN], maxlen=SHOWN)
        self._waiting: list[Known] = []
        self._rates = self._own_rates(known)
        self._newest = known[0][1].time if known else 0.0
        self._sent = ("", -1)
        self._bars_at = float("-inf")

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
    def chosen(self) -> tuple[str, ...]:
        return self.query.kinds

    @property
    def entries(self) -> tuple[FeedLine, ...]:
        return tuple(feed_line(kind, entry) for kind, entry in self._entries)

    @property
    def kept(self) -> int:
        """Changes that are remembered, of the chosen kinds, whether they match or not."""
        return sum(len(replica.entries) for replica in self._replicas)

    @property
    def rate(self) -> float:
        now = self.clock.time()
        return per_second(self._rates.list(now), now)

    @property
    def rate_text(self) -> str:
        words = rate_words(self.rate)
        return f"{words} a second" if words else "quiet"

    @property
    def bars(self) -> tuple[Bar, ...]:
        now = self.clock.time()
        return bars(self._rates.list(now), now)

    # --- changes ---

    def apply(self, key: str, change: Change) -> None:
        kind = self._kinds[key]
        if change.missed:
            self.missed += change.missed
            self.dirty = True
        for entry in change.entries:
            if not self.query.matches(key, entry):
                continue
            self.seen += 1
            self._rates.add(entry.time, (entry.op == "added", entry.op == "modified", entry.op == "deleted"))
            self._newest = entry.time
            self._waiting.append((kind, entry))
            self._entries.appendleft((kind, entry))
            self.dirty = True

    def next_due(self) -> float | None:
        """While something happened of late, rate and bars change with each second."""
        now = self.clock.time()
        return now if self._newest > now - RATE_SPAN - 2 else None

    def pass_time(self, now: float) -> None:  # noqa: ARG002 -- rates know the time themselves
        self.dirty = self.dirty or (self.rate_text, self.hidden + self.missed) != self._sent

    # --- rendering ---

    def render_window(self, render: Renderer) -> str:
        items = "".join(self._entry(render, known) for known in self._entries)
        return (
            partial(f"#entries-{self.id}", "window", items)
            + partial(f"#rate-{self.id}", "outerMorph", render("live/_rate.html", self.context()))
            + partial(f"#bars-{self.id}", "outerMorph", render("live/_bars.html", self.context()))
        )

    def _render_update(self, render: Renderer) -> str:
        waiting, self._waiting = self._waiting, []
        self.hidden += max(0, len(waiting) - AT_ONCE)
        html = ""
        if waiting:
            items = "".join(self._entry(render, known) for known in reversed(waiting[-AT_ONCE:]))
            html = partial(f"#entries-{self.id}", f"latest max:{SHOWN}", items)
        if (self.rate_text, self.hidden + self.missed) != self._sent:
            self._sent = (self.rate_text, self.hidden + self.missed)
            html += partial(f"#rate-{self.id}", "outerMorph", render("live/_rate.html", self.context()))
        if html and self.clock.now() - self._bars_at >= BAR_SECONDS / 2:
            self._bars_at = self.clock.now()
            html += partial(f"#bars-{self.id}", "outerMorph", render("live/_bars.html", self.context()))
        return html

    def _forget_update(self) -> None:
        self._waiting = []

    def _entry(self, render: Renderer, known: Known) -> str:
        return render("live/_entry.html", {"view": self, "line": feed_line(*known)})

    def _known_entries(self) -> list[Known]:
        """What the replicas remember, newest first."""
        found = [
            (self._kinds[replica.key], entry)
            for replica in self._replicas
            for entry in replica.entries
            if self.query.matches(replica.key, entry)
        ]
        return sorted(found, key=lambda known: (known[1].time, known[0].key, known[1].seq), reverse=True)

    def _own_rates(self, known: list[Known]) -> Rates:
        """Counts of the last minutes: exact where the filter takes all, else of the entries that are remembered."""
        rates = Rates()
        now = self.clock.time()
        if self.query.all:
            for replica in self._replicas:
                for second, *counts in replica.rates.list(now):
                    rates.add(second, (counts[0], counts[1], counts[2]))
        else:
            for _, entry in reversed(known):
                rates.add(entry.time, (entry.op == "added", entry.op == "modified", entry.op == "deleted"))
        return rates
