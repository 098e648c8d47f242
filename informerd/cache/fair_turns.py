"""Turns: how many calls of a plain handler are made in a row before the event loop gets its turn."""

from __future__ import annotations

import logging
from math import inf

from informerd.clock import Clock

log = logging.getLogger(__name__)

TURN = 0.005
"""Seconds after which the event loop gets its turn."""

STEP = 0.001
"""Seconds that the calls between two looks at the clock are meant to take: a turn ends so much late, or a call late."""

FIRST = 4
"""Calls before the first look, when nothing is known of the handler."""

MOST = 64
"""Calls of a fast handler between two looks, so that one that becomes slow is noticed soon."""

MOST_IN_A_TURN = 2000
"""More than a watch's reader takes in at one go, so that the buffer stays short."""

TOO_LONG = 0.5
"""Seconds for which a handler may hold up the event loop before its author is told, once."""


class Turns:
    """One handler's. The clock is read once a step, not once a call: a fast handler is not to pay for slow ones."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.left = FIRST
        """Calls that may be made before `took` is to be told; none: the event loop must have its turn."""
        self._name = name
        self._clock = clock
        self._step = FIRST
        self._calls = 0
        self._began = self._looked = clock.now()
        self._warned = False

    def had(self) -> None:
        """The event loop has had its turn."""
        self.left, self._calls = self._step, 0
        self._began = self._looked = self._clock.now()

    def awaited(self, calls: int) -> None:
        """So many calls were made, and the last one's answer is awaited: until the next turn nothing is measured."""
        self.left -= calls
        self._looked = inf

    def took(self, calls: int) -> None:
        """So many calls were made in a row."""
        self._calls += calls
        if self._looked == inf:
            self.left -= calls
            return
        now = self._clock.now()
        seconds, self._looked = now - self._looked, now
        if seconds > STEP:
            self._step = max(1, int(calls * STEP / seconds))
            if seconds > TOO_LONG and not self._warned:
                self._warn(seconds, calls)
        elif calls >= self._step and seconds < STEP / 2:
            self._step = min(MOST, self._step * 2)
        over = now - self._began >= TURN or self._calls >= MOST_IN_A_TURN
        self.left = 0 if over else self._step

    def _warn(self, seconds: float, calls: int) -> None:
        self._warned = True
        text = (
            "the handler %s held up the event loop for %.1f s in %d call%s, and with it every informer: "
            "make it async where it waits, or add it with in_thread=True"
        )
        log.warning(text, self._name, seconds, calls, "" if calls == 1 else "s", extra={"handler": self._name})
