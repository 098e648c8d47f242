"""Age of the oldest item in a queue, from one time stamp a batch."""

from __future__ import annotations

from collections import deque

from informerd.clock import Clock


class QueueAge:
    """Tracks the age of a first-in, first-out queue. Each batch costs one time stamp, its items nothing.

    `oldest_age` may be read from another thread.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._marks: deque[tuple[int, float]] = deque()
        """For each batch not wholly taken: how many had been put in with it, and when it came (monotonic seconds)."""
        self._put = 0
        self._taken = 0

    def put(self, count: int) -> None:
        """`count` items came, at least one."""
        self._put += count
        self._marks.append((self._put, self._clock.now()))

    def take(self, count: int) -> None:
        """`count` items have been dealt with."""
        self._taken += count
        marks = self._marks
        while marks and marks[0][0] <= self._taken:
            marks.popleft()

    def clear(self) -> None:
        """Note that the queue is empty."""
        self._taken = self._put
        self._marks.clear()

    @property
    def oldest_age(self) -> float:
        """Seconds since the oldest that waits came; 0 where nothing does."""
        try:
            return self._clock.now() - self._marks[0][1]
        except IndexError:
            return 0.0
