"""Sockets of this process, and the delivery of messages to them."""

from __future__ import annotations

import asyncio

from dashboard.live.hub.browser_socket import RECONNECT_CODE, Message, Socket
from dashboard.live.hub.metrics import HubMetrics
from dashboard.live.hub.view_store import ViewStore
from informerd.clock import Clock

HEARTBEAT_BATCH = 100
"""Sockets that get the heartbeat before everybody else has a turn."""


class ConnectedSockets:
    """Connected sockets. A socket that falls behind gets nothing until it has caught up; one that stays behind is
    closed.
    """

    def __init__(self, store: ViewStore, metrics: HubMetrics, clock: Clock) -> None:
        self.sockets: set[Socket] = set()
        self._store = store
        self._metrics = metrics
        self._clock = clock
        self._beat: Message = ""
        self._unbeaten: list[Socket] = []
        self._closing: set[asyncio.Task[None]] = set()

    def add(self, socket: Socket) -> None:
        """Add a socket that follows no view yet."""
        self._metrics.sockets_opened += socket not in self.sockets
        self._part(socket)
        self.sockets.add(socket)

    def remove(self, socket: Socket) -> None:
        """Remove a closed socket."""
        self._part(socket)
        self.sockets.discard(socket)
        socket.view = socket.drawer_view = None

    def post(self, socket: Socket, message: Message) -> None:
        """Send `message` to one socket, unless it is behind."""
        was_behind = socket.is_behind
        if socket.post(message):
            self._metrics.messages += 1
            self._metrics.sent_bytes += len(message)  # JSON is ASCII
        elif not was_behind:
            self._metrics.socket_stops += 1

    def send_heartbeat(self, message: Message) -> None:
        """Send the heartbeat to the first sockets; `continue_heartbeat` sends it to the others."""
        self._metrics.heartbeats += 1
        self._beat, self._unbeaten = message, list(self.sockets)
        self.continue_heartbeat()

    @property
    def is_heartbeat_pending(self) -> bool:
        """Whether some sockets have not got the heartbeat yet."""
        return bool(self._unbeaten)

    def continue_heartbeat(self) -> None:
        """Send the heartbeat to more sockets, and close those that have been behind for too long.

        Sending to a thousand sockets in one step would block all other work for that long.
        """
        some, self._unbeaten = self._unbeaten[:HEARTBEAT_BATCH], self._unbeaten[HEARTBEAT_BATCH:]
        for socket in some:
            if socket not in self.sockets:
                continue
            self.post(socket, self._beat)
            if socket.has_timed_out:
                self._metrics.sockets_given_up += 1
                self.disconnect(socket)

    def disconnect(self, socket: Socket) -> None:
        """Close a socket and tell its page to connect again."""
        self.remove(socket)
        closing = asyncio.ensure_future(socket.close(RECONNECT_CODE))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _part(self, socket: Socket) -> None:
        for view in (socket.view, socket.drawer_view):
            watched = self._store.by_id.get(view.id) if view is not None else None
            if watched is not None:
                watched.sockets.discard(socket)
                watched.last_used_at = self._clock.now()
