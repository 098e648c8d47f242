"""Change log of one object since its page was opened, field by field."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.describers.deletion import Deletion
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.diff import row_changes
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

    def note_modification(self, before: Row, after: Row, deletion: Deletion | None) -> None:
        """Add an entry for a modification: which fields of the whole objects differ.

        `deletion` is the one that `after` has and `before` had not.
        """
        changes, are_all = row_changes(before, after)
        if deletion is not None:
            changes = [each for each in changes if each.path not in _DELETION]
        lines = tuple(FieldLine(each.path, _value(each.old), _value(each.new)) for each in changes[:MAX_FIELDS])
        more = len(changes) - MAX_FIELDS
        words = [f"deletion asked for{deletion.wait_text}"] if deletion is not None else []
        if not are_all:
            rest = "and fields that were not compared" if lines else "too large to compare"
            words.append(f"and at least {more} more fields" if more > 0 else rest)
        elif more > 0:
            words.append(f"and {more} more fields")
        self.note(", ".join(words) if words or lines else "no visible change", after, lines)


def _value(value: Any) -> str:
    if value is None:
        return ""
    words = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return limit_text(words, MAX_VALUE_LENGTH)
