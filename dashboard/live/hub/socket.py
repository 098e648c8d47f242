"""The sending side of one browser's socket: never waits, never grows without limit.

The browser acknowledges what it has applied. While more than LIMIT units are unacknowledged it gets nothing, and once
it has caught up the hub sends it one window instead of all it missed. Units are UTF-16 code units of text messages
(what JavaScript calls length; our JSON is ASCII, so they are bytes too) and bytes of binary ones.
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
    from dashboard.live.view import View

LIMIT = 256 * 1024
"""Unacknowledged units from which on a socket gets nothing more."""
RESUME = 64 * 1024
"""Unacknowledged units at which it counts as having caught up."""
GIVE_UP = 30.0
"""Seconds behind after which the socket is closed; the page then connects again by itself."""
UNHEARD = 60.0
"""Seconds without an acknowledgement of what was sent, after which it is closed: pages acknowledge every 5 s. A line
that was cut in silence would else hold its view for as long as TCP goes on trying."""
COMPRESS_FROM = 8 * 1024
"""Messages of so many characters or more are sent gzipped: daphne does not compress by itself."""
BIGGEST = LIMIT // 2
"""Units of a message at most. A window above LIMIT would itself put the browser behind, and catching up would bring the
next one, for ever. Autobahn under daphne refuses to send more than 1 MiB, its limit for what it receives."""
COME_BACK = 4012
"""Close code that says: connect again."""

Message = str | bytes


def message_of(data: Mapping[str, object]) -> Message:
    """`data` as JSON, gzipped into a binary message where that is worth it."""
    text = json.dumps(data, separators=(",", ":"))
    return gzip.compress(text.encode(), 5, mtime=0) if len(text) >= COMPRESS_FROM else text


def frame_of(data: Mapping[str, object]) -> Message:
    """A view's frame. One that is too big for a message tells the page to fetch itself over HTTP instead."""
    message = message_of(data)
    return message if len(message) <= BIGGEST else message_of({"fetch": True, "view": data["view"]})


class Socket:
    """One browser. `send` and `close` are the transport's; `post` takes a message for it and returns at once."""

    def __init__(
        self, send: Callable[[Message], Awaitable[None]], close: Callable[[int], Awaitable[None]], clock: Clock
    ) -> None:
        self.view: View | None = None
        self.beside: View | None = None
        """What the page shows beside its view: the opened object of a list."""
        self.path = ""
        """The page's address, as the browser said it."""
        self.sent = 0
        """Units sent since the socket was opened."""
        self.acknowledged = 0
        self.acknowledged_at = clock.now()
        """Monotonic seconds of the last acknowledgement, or since when there is something to acknowledge."""
        self.behind_since: float | None = None
        """Monotonic seconds since when it gets nothing because it does not keep up; None: it does."""
        self._send = send
        self._close = close
        self._clock = clock
        self._outbox: deque[Message] = deque()
        self._wake = asyncio.Event()

    @property
    def behind(self) -> bool:
        return self.behind_since is not None

    @property
    def unacknowledged(self) -> int:
        return self.sent - self.acknowledged

    def post(self, message: Message) -> bool:
        """Send `message` soon, in order; False, and not sent, while the browser is behind."""
        if self.behind_since is not None:
            return False
        if self.unacknowledged > LIMIT:
            self.behind_since = self._clock.now()
            return False
        if not self.unacknowledged:
            self.acknowledged_at = self._clock.now()
        self.sent += len(message)
        self._outbox.append(message)
        self._wake.set()
        return True

    def acknowledge(self, units: int) -> bool:
        """The browser has applied `units` since it connected. True where it has caught up just now."""
        self.acknowledged = max(self.acknowledged, min(units, self.sent))
        self.acknowledged_at = self._clock.now()
        if self.behind_since is None or self.unacknowledged > RESUME:
            return False
        self.behind_since = None
        return True

    @property
    def given_up(self) -> bool:
        """Whether it has been behind, or not been heard, for too long."""
        now = self._clock.now()
        behind = self.behind_since is not None and now - self.behind_since > GIVE_UP
        return behind or (self.unacknowledged > 0 and now - self.acknowledged_at > UNHEARD)

    async def close(self, code: int) -> None:
        """Close it; nothing more is sent."""
        self._outbox.clear()
        await self._close(code)

    async def run(self) -> None:
        """Send what is posted, until cancelled. Whatever the transport raises ends it: the socket is gone then."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._outbox:
                await self._send(self._outbox.popleft())
