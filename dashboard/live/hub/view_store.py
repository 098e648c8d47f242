"""Open views of a process, each kept once while it is shown and a while longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.live.hub.browser_socket import Message, Socket
from dashboard.live.hub.live_view import LiveView
from dashboard.runtime.tracing import SpanId
from informerd.clock import Clock

VIEW_TTL = 60.0
"""Seconds that a view is kept without sockets, for a page that was just rendered or is reconnecting."""
MAX_IDLE_VIEWS = 20
"""Maximum number of views kept without sockets: each letter typed into a filter makes one."""


@dataclass(slots=True, eq=False)
class OpenView:
    """A view with its sockets. Times are monotonic seconds."""

    view: LiveView
    last_used_at: float
    sockets: set[Socket] = field(default_factory=set)
    updated_at: float = float("-inf")
    render_seconds: float = 0.0
    """Seconds that its last update took to render."""
    window_cache: tuple[str, Message] | None = None
    """The seq of the last rendered window, and the window."""
    deltas: tuple[SpanId, ...] = ()
    """Traced deltas that the next update shows."""


class ViewStore:
    """Views by id."""

    def __init__(self, clock: Clock) -> None:
        self.by_id: dict[str, OpenView] = {}
        self._clock = clock

    def open(self, view_id: str, make: Callable[[], LiveView]) -> OpenView:
        """The view with this id, made where there is none."""
        watched = self.by_id.get(view_id)
        if watched is None:
            self._make_room()
            return self.ensure_open(make())
        watched.last_used_at = self._clock.now()
        return watched

    def ensure_open(self, view: LiveView) -> OpenView:
        """The open view of `view`; added again where it was dropped meanwhile."""
        watched = self.by_id.get(view.id)
        if watched is None:
            watched = self.by_id[view.id] = OpenView(view, self._clock.now())
            view.open()
        return watched

    def drop(self, watched: OpenView) -> None:
        """Remove this view; the next request makes a new one."""
        if self.by_id.get(watched.view.id) is watched:
            del self.by_id[watched.view.id]
            watched.view.close()

    def expire(self) -> set[OpenView]:
        """Drop and return those that nobody has viewed for VIEW_TTL seconds."""
        limit = self._clock.now() - VIEW_TTL
        expired = {watched for watched in self.by_id.values() if not watched.sockets and watched.last_used_at < limit}
        for watched in expired:
            self.drop(watched)
        return expired

    def drop_idle(self, droppable: Callable[[LiveView], bool]) -> bool:
        """Drop the `droppable` view that has been idle longest; False where there is none."""
        idle = [each for each in self.by_id.values() if not each.sockets and droppable(each.view)]
        if idle:
            self.drop(min(idle, key=lambda watched: watched.last_used_at))
        return bool(idle)

    def _make_room(self) -> None:
        """Drop the view that has been idle longest."""
        idle = [watched for watched in self.by_id.values() if not watched.sockets]
        if len(idle) >= MAX_IDLE_VIEWS:
            self.drop(min(idle, key=lambda watched: watched.last_used_at))
