"""Snapshot of a recorder's counts."""

from __future__ import annotations

import msgspec


class RecorderState(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of events since the recorder began."""

    queued: int = 0
    """Recorded, but not handled yet."""
    created: int = 0
    repeated: int = 0
    """Counted up in an Event that was there."""
    filtered: int = 0
    """One too many about the same object; counted, not written."""
    dropped: int = 0
    """Lost: the queue was full, or it was stopped before they were written."""
    refused: int = 0
    """Not written, as the API server would not have them or did not answer after all tries; or they were none."""
    problem: str = ""
    """Why the last event that was tried was not written; "" where it was."""

    @property
    def handled(self) -> int:
        """All that need nothing more: written, counted or refused."""
        return self.created + self.repeated + self.filtered + self.refused
