"""Due times of rows: when time alone will change each row.

Each of 50,000 pods that match ``age<30d`` has a due time, most of them far away. Only times within HORIZON seconds are
kept row by row; shortly before the first of the others, all rows are checked again.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

HORIZON = 600.0
"""Seconds: later times are not kept."""
RESCAN_LEAD = 60.0
"""Seconds before the first time that is not kept, at which all rows are to be checked again."""
NEVER = float("inf")


class DueTimes:
    """Call `begin`, then `note` for each row; again whenever `needs_rescan`. Times are Unix seconds."""

    def __init__(self) -> None:
        self._until = NEVER
        self._first_left_out = NEVER
        self._heap: list[tuple[float, str]] = []
        self._due_of: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._due_of)

    def begin(self, now: float) -> None:
        """Start a pass at `now`: every row is noted, again where it was noted before."""
        self._until = now + HORIZON
        self._first_left_out = NEVER

    def note(self, uid: str, due: float | None) -> None:
        """Set when the row is due; None: never."""
        if due is None or due > self._until:
            self._due_of.pop(uid, None)
            if due is not None:
                self._first_left_out = min(self._first_left_out, due)
        elif self._due_of.get(uid) != due:
            self._due_of[uid] = due
            heapq.heappush(self._heap, (due, uid))

    def note_new(self, uids: Sequence[str], dues: Sequence[float]) -> None:
        """As `note`, for rows that have not been noted yet; NEVER for rows that are never due."""
        later = [due for due in dues if due > self._until]
        self._first_left_out = min(self._first_left_out, min(later, default=NEVER))
        if len(later) < len(dues):
            for uid, due in zip(uids, dues, strict=True):
                if due <= self._until:
                    self.note(uid, due)

    def next_due(self) -> float | None:
        """When a row is due or all are to be checked again; None: never."""
        self._drop_old()
        soonest = min(self._heap[0][0] if self._heap else NEVER, self._first_left_out - RESCAN_LEAD)
        return soonest if soonest < NEVER else None

    def needs_rescan(self, now: float) -> bool:
        """Whether it is time to check every row again."""
        return self._first_left_out - RESCAN_LEAD <= now

    def pop_due(self, now: float) -> list[str]:
        """The rows whose time has come by `now`, each once."""
        due = []
        self._drop_old()
        while self._heap and self._heap[0][0] <= now:
            uid = heapq.heappop(self._heap)[1]
            del self._due_of[uid]
            due.append(uid)
            self._drop_old()
        return due

    def _drop_old(self) -> None:
        """Drop outdated entries: a row that was noted again is in the heap twice."""
        while self._heap and self._due_of.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
