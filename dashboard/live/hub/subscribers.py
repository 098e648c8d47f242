"""The sockets of this process, and the posting of messages to them."""

from __future__ import annotations

import asyncio

from dashboard.live.metrics import Metrics
from dashboard.live.socket import COME_BACK, Message, Socket
from dashboard.live.view_store import ViewStore
from informerd.clock import Clock

AT_ONCE = 100
"""Sockets that get the heartbeat before everybody else has a turn."""


class Audience:
    """Who looks. A socket that does not keep up gets nothing until it has caught up; one that never does is let go."""

    def __init__(self, store: ViewStore, metrics: Metrics, clock: Clock) -> None:
        self.sockets: set[Socket] = set()
        self._store = store
        self._metrics = metrics
        self._clock = clock
        self._beat: Message = ""
        self._unbeaten: list[Socket] = []
        self._closing: set[asyncio.Task[None]] = set()

    def enter(self, socket: Socket) -> None:
        """The socket is here, and follows no view (any more)."""
        self._metrics.sockets_opened += socket not in self.sockets
        self._part(socket)
        self.sockets.add(socket)

    def leave(self, socket: Socket) -> None:
        """The socket is gone."""
        self._part(socket)
        self.sockets.discard(socket)
        socket.view = socket.beside = None

    def post(self, socket: Socket, message: Message) -> None:
        """Send `message` to one socket, unless it is behind."""
        was_behind = socket.behind
        if socket.post(message):
            self._metrics.messages += 1
            self._metrics.units += len(message)
        elif not was_behind:
            self._metrics.stops += 1

    def beat(self, message: Message) -> None:
        """Send the heartbeat to the first ones; to the others it goes with `beat_some`."""
        self._metrics.beats += 1
        self._beat, self._unbeaten = message, list(self.sockets)
        self.beat_some()

    @property
    def beating(self) -> bool:
        """Whether the heartbeat has not gone to all yet."""
        return bool(self._unbeaten)

    def beat_some(self) -> None:
        """Send the heartbeat to some more, and let go of those that have been behind for too long.

        A thousand at one go would hold up everybody else for as long as it takes to write to them all.
        """
        some, self._unbeaten = self._unbeaten[:AT_ONCE], self._unbeaten[AT_ONCE:]
        for socket in some:
            if socket not in self.sockets:
                continue
            self.post(socket, self._beat)
            if socket.given_up:
                self._metrics.given_up += 1
                self.turn_out(socket)

    def turn_out(self, socket: Socket) -> None:
        """Let go of a socket and tell its page to connect again."""
        self.leave(socket)
        closing = asyncio.ensure_future(socket.close(COME_BACK))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _part(self, socket: Socket) -> None:
        for view in (socket.view, socket.beside):
            watched = self._store.by_id.get(view.id) if view is not None else None
            if watched is not None:
                watched.sockets.discard(socket)
                watched.touched = self._clock.now()
