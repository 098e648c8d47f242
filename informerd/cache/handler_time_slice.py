"""Limit on the calls of a plain handler in a row, after which the event loop gets its turn."""

from __future__ import annotations

import logging
from math import inf

from informerd.clock import Clock

log = logging.getLogger(__name__)

TURN_SECONDS = 0.005
"""Seconds after which the event loop gets its turn."""

STEP_SECONDS = 0.001
"""Seconds that the calls between two looks at the clock should take: a turn ends late by these, or by one call."""

FIRST_STEP_CALLS = 4
"""Calls before the first look, when nothing is known of the handler."""

MAX_STEP_CALLS = 64
"""Calls of a fast handler between two looks, so that one that becomes slow is noticed soon."""

MAX_TURN_CALLS = 2000
"""More than a watch's reader takes in one step, so that the buffer stays short."""

BLOCKING_SECONDS = 0.5
"""Seconds for which a handler may block the event loop before a warning is logged, once."""


class HandlerTimeSlice:
    """Limit of one handler. The clock is read once a step, not once a call, because that would slow a fast handler."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.calls_left = FIRST_STEP_CALLS
        """Calls that may be made before the next measurement; 0: the event loop must have its turn."""
        self._name = name
        self._clock = clock
        self._step = FIRST_STEP_CALLS
        self._calls = 0
        self._began = self._looked = clock.now()
        self._warned = False

    def start_turn(self) -> None:
        """The event loop has had its turn."""
        self.calls_left, self._calls = self._step, 0
        self._began = self._looked = self._clock.now()

    def count_awaited(self, calls: int) -> None:
        """Count calls of which the last one is awaited: nothing is measured until the next turn."""
        self.calls_left -= calls
        self._looked = inf

    def count_calls(self, calls: int) -> None:
        """Count calls that were made in a row."""
        self._calls += calls
        if self._looked == inf:
            self.calls_left -= calls
            return
        now = self._clock.now()
        seconds, self._looked = now - self._looked, now
        if seconds > STEP_SECONDS:
            self._step = max(1, int(calls * STEP_SECONDS / seconds))
            if seconds > BLOCKING_SECONDS and not self._warned:
                self._warn(seconds, calls)
        elif calls >= self._step and seconds < STEP_SECONDS / 2:
            self._step = min(MAX_STEP_CALLS, self._step * 2)
        over = now - self._began >= TURN_SECONDS or self._calls >= MAX_TURN_CALLS
        self.calls_left = 0 if over else self._step

    def _warn(self, seconds: float, calls: int) -> None:
        self._warned = True
        text = (
            "the handler %s held up the event loop for %.1f s in %d call%s, and with it every informer: "
            "make it async where it waits, or add it with in_thread=True"
        )
        log.warning(text, self._name, seconds, calls, "" if calls == 1 else "s", extra={"handler": self._name})
