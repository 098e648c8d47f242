"""Log throttle that decides which repetitions of a failure get a line in the log."""

from __future__ import annotations

import msgspec

from informerd.clock import Clock, SystemClock

FIRST_LINES = 3
"""The first so many of a kind are worth a line each; after them only the 10th, the 100th, the 1,000th…"""

RESET_SECONDS = 600.0
"""Seconds without one, after which a kind's count starts over."""

MAX_KINDS = 50
"""Kinds that are counted separately; all further ones are counted together."""


class _Run(msgspec.Struct):
    count: int
    last: float


class LogThrottle:
    """Reduces a storm of failures to a handful of lines, each of which says how many it stands for.

    The caller chooses the kind of a failure, such as an exception's class; it must not be unbounded like a name or a
    message.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._runs: dict[str, _Run] = {}

    def count(self, kind: str) -> int:
        """Count one more. Returns its number where that is worth a line in the log, else 0."""
        now = self._clock.now()
        run = self._run(kind)
        run.count = 1 if now - run.last > RESET_SECONDS else run.count + 1
        run.last = now
        return run.count if run.count <= FIRST_LINES or is_power_of_ten(run.count) else 0

    def reset(self, kind: str) -> int:
        """Start the count over, after a success. Returns what it was."""
        run = self._runs.pop(kind, None)
        return run.count if run else 0

    def _run(self, kind: str) -> _Run:
        run = self._runs.get(kind)
        if run is None:
            kind = kind if len(self._runs) < MAX_KINDS else ""
            run = self._runs.setdefault(kind, _Run(0, self._clock.now()))
        return run


def is_power_of_ten(number: int) -> bool:
    """Whether it is 1, 10, 100…"""
    while number % 10 == 0 and number:
        number //= 10
    return number == 1


def repeat_suffix(number: int) -> str:
    """What to add to a line of which this was the `number`-th time: nothing for the first."""
    return "" if number == 1 else f" (time {number:,} of this kind)"
