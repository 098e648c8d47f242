"""The updates of views: what changed is rendered once, and the same message goes to every socket of the view.

A view that fails, in whatever it does, takes nobody else down and leaves nobody with half a page: it is dropped, and
those who looked at it are told to connect again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dashboard.live.audience import Audience
from dashboard.live.metrics import Metrics
from dashboard.live.renderer import Renderer
from dashboard.live.socket import Message, frame_of
from dashboard.live.view_store import ViewStore, Watched
from informerd.clock import Clock

TICK = 0.03
"""Seconds between two frames of a view, at least: a browser draws each, and eyes see no more of them."""
SHARE = 5.0
"""A view that took t seconds to render and post waits SHARE * t for its next frame, so that it takes a sixth of the
process."""
WRITE = 50e-6
"""Seconds that a view waits for each of its sockets, whose own tasks write what was posted: 20,000 messages a second
at most."""
LONGEST_WAIT = 1.0
"""Seconds that a costly view waits at most: what changed shows within a second."""
TURN = 0.005
"""Seconds that all views together have at a turn; then everybody else has one. The longest due goes first."""
BURST = 0.25
"""Seconds of rendering that views have in store after quiet; while there are any, a turn is followed by the next."""
REFILL = 0.5
"""Seconds of rendering that are added each second; with none in store views rest after a turn as long as it took."""

logger = logging.getLogger(__name__)


class Updates:
    """`touch` a view that has become dirty; `send_due` brings those who look to what it shows now."""

    def __init__(
        self,
        store: ViewStore,
        audience: Audience,
        render: Renderer,
        metrics: Metrics,
        clock: Clock,
        *,
        timer: Callable[[], float] = time.perf_counter,
        awaited: Callable[[], bool] = lambda: False,
    ) -> None:
        """`awaited` says whether somebody waits for a page: then views rest twice as long, whatever is in store."""
        self.wake = asyncio.Event()
        """Set when something is to be sent."""
        self.render = render
        self._store = store
        self._audience = audience
        self._metrics = metrics
        self._clock = clock
        self._timer = timer
        self._dirty: set[Watched] = set()
        self._awaited = awaited
        self._rests_until = float("-inf")
        self._left = BURST
        self._filled = float("-inf")

    def touch(self, watched: Watched) -> None:
        """Send what changed in this view as soon as its turn comes."""
        self._dirty.add(watched)
        self.wake.set()

    def stirred(self, view_id: str) -> None:
        """A view has become dirty by itself."""
        if (watched := self._store.by_id.get(view_id)) is not None:
            self.touch(watched)

    def send_due(self, now: float) -> float | None:
        """Send what is due at `now` (monotonic seconds); the seconds until more will be, None where nothing waits."""
        if not self._dirty:
            return None
        if now < self._rests_until:
            return self._rests_until - now
        self._left = min(BURST, self._left + REFILL * (now - self._filled))
        self._filled = now
        began = self._timer()
        wait = self._turn(now, began)
        spent = self._timer() - began
        self._left -= spent
        if spent < TURN or wait is None:
            return wait
        self._metrics.full_turns += 1
        rest = 2 * spent if self._awaited() else 0.0 if self._left > 0 else spent
        self._rests_until = now + spent + rest
        return max(wait, rest)

    def _turn(self, now: float, began: float) -> float | None:
        """Send what is due for as long as a turn is; the seconds until more is, None where nothing is left."""
        for watched in sorted(self._dirty, key=self._ready_at):
            if (ready := self._ready_at(watched)) > now:
                return ready - now
            if self._timer() - began >= TURN:
                return 0.0
            self.update(watched)
        return None

    def update(self, watched: Watched) -> None:
        """Bring those who look to the view's present state."""
        with self.alone(watched):
            self.bring(watched)

    def bring(self, watched: Watched) -> None:
        """As `update`, but what the view raises is the caller's."""
        view = watched.view
        self._dirty.discard(watched)
        watched.updated = self._clock.now()
        if not watched.sockets:
            view.skip_update()
            return
        after = view.seq
        started = self._timer()
        html = view.update(self.render)
        watched.cost = self._timer() - started
        self._metrics.render_seconds += watched.cost
        if not html:
            return
        self._metrics.frames += 1
        message = frame_of({"content": html, "view": view.id, "seq": view.seq, "after": after, **view.extras()})
        for socket in watched.sockets:
            self._audience.post(socket, message)
        watched.cost = self._timer() - started  # to many sockets posting costs as well

    def window(self, watched: Watched) -> Message:
        """All that the view shows, rendered once for each of its states."""
        view = watched.view
        if watched.window is None or watched.window[0] != view.seq:
            self._metrics.windows += 1
            content = {"content": view.render_window(self.render), "view": view.id, "seq": view.seq, **view.extras()}
            watched.window = (view.seq, frame_of(content))
        return watched.window[1]

    def expire(self) -> None:
        """Drop the views that nobody has looked at for a while."""
        self._dirty -= self._store.expire()

    def drop(self, watched: Watched) -> None:
        """End a view; its pages connect again."""
        self._store.drop(watched)
        self._dirty.discard(watched)
        for socket in list(watched.sockets):
            self._audience.turn_out(socket)

    @contextmanager
    def alone(self, watched: Watched) -> Iterator[None]:
        """Whatever this view raises here ends the view and nothing else."""
        try:
            yield
        except Exception:
            logger.exception("view %s failed and is dropped; its pages connect again", watched.view.id)
            self._metrics.view_errors += 1
            self.drop(watched)

    def _ready_at(self, watched: Watched) -> float:
        costly = min(LONGEST_WAIT, max(SHARE * watched.cost, WRITE * len(watched.sockets)))
        return watched.updated + max(TICK, watched.view.interval, costly)
