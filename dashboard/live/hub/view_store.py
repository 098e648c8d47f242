"""The open views of a process: each once, kept while somebody looks at it and a while longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.live.socket import Message, Socket
from dashboard.live.view import View
from informerd.clock import Clock

KEPT = 60.0
"""Seconds that a view is kept without sockets, for the page that has just been rendered or is connecting again."""
IDLE = 20
"""Views without sockets that are kept at most: each letter typed into a filter makes one."""


@dataclass(slots=True, eq=False)
class Watched:
    """A view with those who look at it. Times are monotonic seconds."""

    view: View
    touched: float
    sockets: set[Socket] = field(default_factory=set)
    updated: float = float("-inf")
    cost: float = 0.0
    """Seconds that its last update took to render."""
    window: tuple[str, Message] | None = None
    """The seq of the last rendered window, and the window."""


class ViewStore:
    """Views by id."""

    def __init__(self, clock: Clock) -> None:
        self.by_id: dict[str, Watched] = {}
        self._clock = clock

    def open(self, view_id: str, make: Callable[[], View]) -> Watched:
        """The view with this id, made where there is none."""
        watched = self.by_id.get(view_id)
        if watched is None:
            self._make_room()
            return self.keep(make())
        watched.touched = self._clock.now()
        return watched

    def keep(self, view: View) -> Watched:
        """What is known of a view; it is taken in where it has been dropped meanwhile."""
        watched = self.by_id.get(view.id)
        if watched is None:
            watched = self.by_id[view.id] = Watched(view, self._clock.now())
            view.open()
        return watched

    def drop(self, watched: Watched) -> None:
        """Forget this one; whoever wants it gets a new one."""
        if self.by_id.get(watched.view.id) is watched:
            del self.by_id[watched.view.id]
            watched.view.close()

    def expire(self) -> set[Watched]:
        """Drop and return those that nobody has looked at for KEPT seconds."""
        limit = self._clock.now() - KEPT
        expired = {watched for watched in self.by_id.values() if not watched.sockets and watched.touched < limit}
        for watched in expired:
            self.drop(watched)
        return expired

    def drop_idle(self, droppable: Callable[[View], bool]) -> bool:
        """Drop the `droppable` one that nobody has looked at for longest; False where there is none."""
        idle = [each for each in self.by_id.values() if not each.sockets and droppable(each.view)]
        if idle:
            self.drop(min(idle, key=lambda watched: watched.touched))
        return bool(idle)

    def _make_room(self) -> None:
        """Of the views that nobody looks at the one that has been so for longest goes."""
        idle = [watched for watched in self.by_id.values() if not watched.sockets]
        if len(idle) >= IDLE:
            self.drop(min(idle, key=lambda watched: watched.touched))
