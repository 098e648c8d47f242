"""Updates of views: each change is rendered once, and the same message goes to every socket of the view.

An error in one view affects no other view and leaves no page half updated: the view is dropped, and its pages are told
to connect again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dashboard.live.hub.browser_socket import Message, encode_frame
from dashboard.live.hub.connected_sockets import ConnectedSockets
from dashboard.live.hub.metrics import HubMetrics
from dashboard.live.hub.view_store import OpenView, ViewStore
from dashboard.live.rendering.renderer import Renderer
from dashboard.live.replication.delta_traces import DeltaTraces
from informerd.clock import Clock

TICK = 0.03
"""Minimum seconds between two frames of a view: a browser paints each, and people see no more of them."""
COST_FACTOR = 5.0
"""A view that took t seconds to render and post waits COST_FACTOR * t for its next frame, so that it takes a sixth of
the process.
"""
COST_PER_SOCKET = 50e-6
"""Seconds that a view waits for each of its sockets, whose own tasks write the messages: at most 20,000 messages a
second.
"""
MAX_WAIT = 1.0
"""Maximum seconds that a costly view waits: changes show within a second."""
TURN_SECONDS = 0.005
"""Seconds that all views together have in one turn; then other tasks run. The view that has been due longest goes
first.
"""
RENDER_BUDGET = 0.25
"""Seconds of rendering that views have in store after a quiet time; while there are any, turns follow without a pause.
"""
BUDGET_REFILL = 0.5
"""Seconds of rendering added each second; with none in store views pause after a turn for as long as it took."""

logger = logging.getLogger(__name__)


class Updates:
    """Queue of view updates: `mark_dirty` a view that has changed; `send_due` brings its pages up to date."""

    def __init__(
        self,
        store: ViewStore,
        connected: ConnectedSockets,
        render: Renderer,
        metrics: HubMetrics,
        clock: Clock,
        *,
        timer: Callable[[], float] = time.perf_counter,
        is_page_awaited: Callable[[], bool] = lambda: False,
        traces: DeltaTraces | None = None,
    ) -> None:
        """While `is_page_awaited`, which is while a request waits for a page, views pause twice as long."""
        self.wake = asyncio.Event()
        """Set when there is something to send."""
        self.render = render
        self._store = store
        self._connected = connected
        self._metrics = metrics
        self._clock = clock
        self._timer = timer
        self._dirty: dict[OpenView, float] = {}
        """Views that have something to send, and monotonic seconds since when."""
        self._awaited = is_page_awaited
        self._traces = traces
        self._rests_until = float("-inf")
        self._left = RENDER_BUDGET
        self._filled = float("-inf")

    def mark_dirty(self, watched: OpenView) -> None:
        """Send the changes of this view as soon as its turn comes."""
        self._dirty.setdefault(watched, self._clock.now())
        if self._traces is not None:
            watched.deltas = self._traces.with_applied(watched.deltas)
        self.wake.set()

    def note_dirty(self, view_id: str) -> None:
        """Mark a view that has become dirty by itself."""
        if (watched := self._store.by_id.get(view_id)) is not None:
            self.mark_dirty(watched)

    def send_due(self, now: float) -> float | None:
        """Send what is due at `now` (monotonic seconds). Returns the seconds until more is due; None where nothing
        waits.
        """
        if not self._dirty:
            return None
        if now < self._rests_until:
            return self._rests_until - now
        self._left = min(RENDER_BUDGET, self._left + BUDGET_REFILL * (now - self._filled))
        self._filled = now
        began = self._timer()
        wait = self._send_due(now, began)
        spent = self._timer() - began
        self._left -= spent
        if spent < TURN_SECONDS or wait is None:
            return wait
        self._metrics.full_turns += 1
        rest = 2 * spent if self._awaited() else 0.0 if self._left > 0 else spent
        self._rests_until = now + spent + rest
        return max(wait, rest)

    def _send_due(self, now: float, began: float) -> float | None:
        """Send what is due for one turn. Returns the seconds until the next turn; None where nothing is left."""
        for watched in sorted(self._dirty, key=self._ready_at):
            if (ready := self._ready_at(watched)) > now:
                return ready - now
            if self._timer() - began >= TURN_SECONDS:
                return 0.0
            self.update(watched)
        return None

    def update(self, watched: OpenView) -> None:
        """Bring the view's pages up to date."""
        with self.drop_on_error(watched):
            self.send_update(watched)

    def send_update(self, watched: OpenView) -> None:
        """As `update`, but errors of the view are raised to the caller."""
        view = watched.view
        watched.updated_at = self._clock.now()
        dirty_since = self._dirty.pop(watched, watched.updated_at)
        deltas, watched.deltas = watched.deltas, ()
        if not watched.sockets:
            view.skip_update()
            return
        after = view.seq
        started = self._timer()
        html = view.update(self.render)
        watched.render_seconds = self._timer() - started
        self._metrics.render_seconds += watched.render_seconds
        if not html:
            return
        self._metrics.frames_rendered += 1
        message = encode_frame({"content": html, "view": view.id, "seq": view.seq, "after": after, **view.extras()})
        for socket in watched.sockets:
            self._connected.post(socket, message)
        delay = self._clock.now() - dirty_since
        self._metrics.view_delays.add(delay)
        if self._traces is not None:
            self._traces.record_sent(deltas, type(view).__name__, len(watched.sockets), len(message), delay)
        watched.render_seconds = self._timer() - started  # to many sockets posting costs as well

    def window(self, watched: OpenView) -> Message:
        """The whole content of the view, rendered once for each of its states."""
        view = watched.view
        if watched.window_cache is None or watched.window_cache[0] != view.seq:
            self._metrics.windows_rendered += 1
            content = {"content": view.render_window(self.render), "view": view.id, "seq": view.seq, **view.extras()}
            watched.window_cache = (view.seq, encode_frame(content))
        return watched.window_cache[1]

    def expire(self) -> None:
        """Drop the views that nobody has viewed for VIEW_TTL seconds."""
        for watched in self._store.expire():
            self._dirty.pop(watched, None)

    def drop(self, watched: OpenView) -> None:
        """End a view; its pages connect again."""
        self._store.drop(watched)
        self._dirty.pop(watched, None)
        for socket in list(watched.sockets):
            self._connected.disconnect(socket)

    @contextmanager
    def drop_on_error(self, watched: OpenView) -> Iterator[None]:
        """Drop the view where it raises anything here; other views are not affected."""
        try:
            yield
        except Exception:
            logger.exception("view %s failed and was dropped; its pages connect again", watched.view.id)
            self._metrics.view_errors += 1
            self.drop(watched)

    def _ready_at(self, watched: OpenView) -> float:
        costly = min(MAX_WAIT, max(COST_FACTOR * watched.render_seconds, COST_PER_SOCKET * len(watched.sockets)))
        return watched.updated_at + max(TICK, watched.view.interval, costly)
