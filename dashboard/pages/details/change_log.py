"""Change log of one object since its page was opened, field by field."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.describers.deletion import deletion_of
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.diff import field_changes
from informerd.clock import Clock

MAX_CHANGES = 50
"""Most modifications that are stored."""
MAX_FIELDS = 20
"""Most fields of one modification that are listed."""
_DELETION = ("metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds")
NOT_SERVED_TEXT = "no longer followed: the API server no longer serves its kind"
"""Entry for an object that vanished with its kind: it is unknown whether it was deleted."""
MAX_VALUE_LENGTH = 200
"""Most characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A field that changed while the view was open: ``spec.port`` 8080 → 9090.

    An empty `was` means added, an empty `now` removed.
    """

    path: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One modification since the view was opened."""

    time: str
    """RFC 3339."""
    version: str
    words: str
    """Event that no field shows: ``created again``, ``deleted``; empty otherwise."""
    fields: tuple[FieldLine, ...]
    number: int = 0
    """Number in this log, from 1."""


class ChangeLog:
    """The last MAX_CHANGES modifications."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines: deque[ChangeLine] = deque(maxlen=MAX_CHANGES)
        self._number = 0

    @property
    def lines(self) -> tuple[ChangeLine, ...]:
        """Newest first."""
        return tuple(self._lines)

    def note(self, words: str, row: Row | None, fields: tuple[FieldLine, ...] = ()) -> None:
        """Add an entry with the current time; `row` is the object's."""
        version = row.version if row is not None else ""
        self._number += 1
        self._lines.appendleft(ChangeLine(rfc3339(round(self._clock.time(), 3)), version, words, fields, self._number))

    def note_modification(self, before: dict[str, Any], after: dict[str, Any], row: Row) -> None:
        """Add an entry for a modification: which fields differ."""
        deletion = deletion_of(after) if deletion_of(before) is None else None
        changes = [
            field_change
            for field_change in field_changes(before, after)
            if deletion is None or field_change.path not in _DELETION
        ]
        lines = tuple(
            FieldLine(field_change.path, _value(field_change.old), _value(field_change.new))
            for field_change in changes[:MAX_FIELDS]
        )
        more = len(changes) - MAX_FIELDS
        words = [f"deletion asked for{deletion.wait_text}"] if deletion is not None else []
        words += [f"and {more} more fields"] if more > 0 else []
        self.note(", ".join(words) if words or lines else "no visible change", row, lines)


def _value(value: Any) -> str:
    if value is None:
        return ""
    words = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return words if len(words) <= MAX_VALUE_LENGTH else f"{words[: MAX_VALUE_LENGTH - 1]}…"
