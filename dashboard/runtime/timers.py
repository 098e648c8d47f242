"""Rows that wait for their time: what time alone will change, and when.

Of 50,000 pods that ``age<30d`` lets through each has its day, and most are far away. Only what is due within AHEAD
seconds is kept row by row; when the first of the others comes near, all are looked at again.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

AHEAD = 600.0
"""Seconds: what is due later is not kept."""
EARLY = 60.0
"""Seconds before the first of what is not kept that all are to be looked at again."""
NEVER = float("inf")


class DueTimes:
    """`begin`, then `note` each row; again whenever `stale`. Moments are Unix seconds."""

    def __init__(self) -> None:
        self._until = NEVER
        self._first_left_out = NEVER
        self._heap: list[tuple[float, str]] = []
        self._due_of: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._due_of)

    def begin(self, now: float) -> None:
        """From `now` on every row is noted, anew where it was before."""
        self._until = now + AHEAD
        self._first_left_out = NEVER

    def note(self, uid: str, due: float | None) -> None:
        """The row is due then; None: never."""
        if due is None or due > self._until:
            self._due_of.pop(uid, None)
            if due is not None:
                self._first_left_out = min(self._first_left_out, due)
        elif self._due_of.get(uid) != due:
            self._due_of[uid] = due
            heapq.heappush(self._heap, (due, uid))

    def note_new(self, uids: Sequence[str], dues: Sequence[float]) -> None:
        """As `note` for rows that have not been noted yet; NEVER for those that are never due."""
        later = [due for due in dues if due > self._until]
        self._first_left_out = min(self._first_left_out, min(later, default=NEVER))
        if len(later) < len(dues):
            for uid, due in zip(uids, dues, strict=True):
                if due <= self._until:
                    self.note(uid, due)

    def next(self) -> float | None:
        """When a row is due or all are to be looked at again; None: never."""
        self._drop_old()
        soonest = min(self._heap[0][0] if self._heap else NEVER, self._first_left_out - EARLY)
        return soonest if soonest < NEVER else None

    def stale(self, now: float) -> bool:
        """Whether it is time to look at every row again."""
        return self._first_left_out - EARLY <= now

    def pop(self, now: float) -> list[str]:
        """The rows whose time has come by `now`, each once."""
        found = []
        self._drop_old()
        while self._heap and self._heap[0][0] <= now:
            uid = heapq.heappop(self._heap)[1]
            del self._due_of[uid]
            found.append(uid)
            self._drop_old()
        return found

    def _drop_old(self) -> None:
        """A row that was noted anew stands in the heap twice."""
        while self._heap and self._due_of.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
