"""The sending side of one browser's socket, which never waits and never grows without limit.

The browser acknowledges what it has applied. While more than MAX_UNACKNOWLEDGED units are unacknowledged it gets
nothing. Once it has caught up, the hub sends one window instead of all that was skipped. What the transport has not
taken yet cannot be acknowledged: a browser that reads nothing is behind, whatever it says. Units are UTF-16 code units
of text messages (what JavaScript calls length; our JSON is ASCII, so they are bytes too) and bytes of binary ones.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from informerd.clock import Clock

if TYPE_CHECKING:
    from dashboard.live.hub.live_view import LiveView

MAX_UNACKNOWLEDGED = 256 * 1024
"""Unacknowledged units from which on a socket gets nothing more."""
RESUME_BELOW = 64 * 1024
"""Unacknowledged units at which it counts as having caught up."""
BEHIND_TIMEOUT = 30.0
"""Seconds behind after which the socket is closed; the page then connects again by itself."""
ACKNOWLEDGE_TIMEOUT = 60.0
"""Seconds without an acknowledgement of what was sent, after which the socket is closed: pages acknowledge every 5 s.
Without it, a connection that was cut silently would hold its view for as long as TCP retries. A message for which the
transport has no room for as long closes it, too.
"""
COMPRESS_FROM = 8 * 1024
"""Messages of so many characters or more are sent gzipped: daphne does not compress by itself."""
MAX_MESSAGE_UNITS = MAX_UNACKNOWLEDGED // 2
"""Maximum units of a message. A window above MAX_UNACKNOWLEDGED would itself put the browser behind, and catching up
would bring the next one, for ever. Autobahn under daphne refuses to send more than 1 MiB, its limit for what it
receives.
"""
RECONNECT_CODE = 4012
"""Close code that says: connect again."""

Message = str | bytes


def encode_message(data: Mapping[str, object]) -> Message:
    """`data` as JSON, gzipped into a binary message where that saves bytes."""
    text = json.dumps(data, separators=(",", ":"))
    return gzip.compress(text.encode(), 5, mtime=0) if len(text) >= COMPRESS_FROM else text


def encode_frame(data: Mapping[str, object]) -> Message:
    """A view's frame. One that is too big for a message tells the page to fetch its content over HTTP instead."""
    message = encode_message(data)
    return message if len(message) <= MAX_MESSAGE_UNITS else encode_message({"fetch": True, "view": data["view"]})


class Socket:
    """One browser. `post` takes a message for it and returns at once.

    `send` and `close` are the transport's. `send` returns when the transport has taken the message.
    """

    def __init__(
        self, send: Callable[[Message], Awaitable[None]], close: Callable[[int], Awaitable[None]], clock: Clock
    ) -> None:
        self.view: LiveView | None = None
        self.drawer_view: LiveView | None = None
        """What the page shows beside its view: the opened object of a list."""
        self.path = ""
        """The page's address, as the browser sent it."""
        self.sent_units = 0
        """Units sent since the socket was opened."""
        self.delivered_units = 0
        """Units that the transport has taken."""
        self.acknowledged_units = 0
        self.acknowledged_at = clock.now()
        """Monotonic seconds of the last acknowledgement, or since when there is something to acknowledge."""
        self.behind_since: float | None = None
        """Monotonic seconds since when it gets nothing because it is behind; None: it is not behind."""
        self._sending_since: float | None = None
        """Monotonic seconds since when a message waits for the transport to take it."""
        self._send = send
        self._close = close
        self._clock = clock
        self._outbox: deque[Message] = deque()
        self._wake = asyncio.Event()

    @property
    def is_behind(self) -> bool:
        return self.behind_since is not None

    @property
    def unacknowledged_units(self) -> int:
        return self.sent_units - self.acknowledged_units

    def post(self, message: Message) -> bool:
        """Send `message` soon, in order; False, and not sent, while the browser is behind."""
        if self.behind_since is not None:
            return False
        if self.unacknowledged_units > MAX_UNACKNOWLEDGED:
            self.behind_since = self._clock.now()
            return False
        if not self.unacknowledged_units:
            self.acknowledged_at = self._clock.now()
        self.sent_units += len(message)
        self._outbox.append(message)
        self._wake.set()
        return True

    def drop_unsent(self) -> None:
        """Forget the messages that the transport has not been given yet."""
        self.sent_units -= sum(map(len, self._outbox))
        self._outbox.clear()

    def acknowledge(self, units: int) -> bool:
        """The browser has applied `units` since it connected. Returns True where it has just caught up."""
        self.acknowledged_units = max(self.acknowledged_units, min(units, self.delivered_units))
        self.acknowledged_at = self._clock.now()
        if self.behind_since is None or self.unacknowledged_units > RESUME_BELOW:
            return False
        self.behind_since = None
        return True

    @property
    def has_timed_out(self) -> bool:
        """Whether it has been behind or silent, or has read nothing, for too long."""
        now = self._clock.now()
        behind = self.behind_since is not None and now - self.behind_since > BEHIND_TIMEOUT
        silent = self.unacknowledged_units > 0 and now - self.acknowledged_at > ACKNOWLEDGE_TIMEOUT
        unread = self._sending_since is not None and now - self._sending_since > ACKNOWLEDGE_TIMEOUT
        return behind or silent or unread

    async def close(self, code: int) -> None:
        """Close it; nothing more is sent."""
        self._outbox.clear()
        await self._close(code)

    async def run(self) -> None:
        """Send what is posted, until cancelled. Any error of the transport ends it: the socket is closed then."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._outbox:
                message = self._outbox.popleft()
                self._sending_since = self._clock.now()
                await self._send(message)
                self._sending_since = None
                self.delivered_units += len(message)
