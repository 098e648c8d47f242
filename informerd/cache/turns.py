"""Turns: how many calls of a plain handler are made in a row before the event loop gets its turn."""

from __future__ import annotations

import logging
from math import inf

from informerd.clock import Clock

log = logging.getLogger(__name__)

FIRST = 100
"""Calls in a row before anything is known of the handler."""

MOST = 2000
"""Calls of a fast handler in a row: more than a watch's reader takes in at one go, so that the buffer stays short."""

LONG = 0.05
"""Seconds; turns that take longer are made shorter, down to one call."""

TOO_LONG = 0.5
"""Seconds for which a handler may hold up the event loop before its author is told, once."""


class Turns:
    """One handler's. Measured once a turn, not once a call: a fast handler is not to pay for slow ones."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.left = FIRST
        """Calls that may be made before the event loop must have its turn."""
        self._name = name
        self._clock = clock
        self._length = FIRST
        self._began = clock.now()
        self._warned = False

    def had(self) -> None:
        """The event loop has had its turn."""
        self.left = self._length
        self._began = self._clock.now()

    def awaited(self, calls: int) -> None:
        """So many calls were made, and the last one's answer is awaited: until the next turn nothing is measured."""
        self.left -= calls
        self._began = inf

    def took(self, calls: int) -> None:
        """So many calls were made in a row."""
        self.left -= calls
        seconds = self._clock.now() - self._began
        if seconds > LONG:
            self._length = max(1, self._length // 4)
            self.left = 0
            if seconds > TOO_LONG and not self._warned:
                self._warn(seconds, calls)
        elif self.left <= 0 and self._length < MOST and 0 <= seconds < LONG / 4:
            self._length = min(MOST, self._length * 2)

    def _warn(self, seconds: float, calls: int) -> None:
        self._warned = True
        text = (
            "the handler %s held up the event loop for %.1f s in %d call%s, and with it every informer: "
            "make it async where it waits, or add it with in_thread=True"
        )
        log.warning(text, self._name, seconds, calls, "" if calls == 1 else "s", extra={"handler": self._name})
