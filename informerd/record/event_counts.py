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
    """Not written, beyond the limit for one object and type; the count of the next one that is written has them."""
    dropped: int = 0
    """Lost: the queue was full, or it was stopped before they were written."""
    refused: int = 0
    """Not written: the API server refused them or answered none of the tries, or the call made no event."""
    problem: str = ""
    """Why the last event that was tried was not written; "" where it was."""

    @property
    def handled(self) -> int:
        """All that need nothing more: written, counted or refused."""
        return self.created + self.repeated + self.filtered + self.refused
