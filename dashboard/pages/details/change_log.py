"""What changed of one object since its page was opened, field by field."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.live.lines import rfc3339
from dashboard.live.messages import Row
from dashboard.resources.deletion import deletion_of
from dashboard.resources.rows.field_diff import field_changes
from informerd.clock import Clock

CHANGES = 50
"""Modifications that are remembered."""
FIELDS = 20
"""Fields of one modification that are named."""
_DELETION = ("metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds")
UNSERVED = "no longer followed: the API server serves its kind no more"
"""What is noted of an object that went with its kind: whether it was deleted nobody can tell."""
LONGEST = 200
"""Characters of a value that are shown."""


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
    """What happened where no field says it: ``created again``, ``deleted``; empty otherwise."""
    fields: tuple[FieldLine, ...]
    number: int = 0
    """Of this log, from 1."""


class ChangeLog:
    """The last CHANGES modifications."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines: deque[ChangeLine] = deque(maxlen=CHANGES)
        self._number = 0

    @property
    def lines(self) -> tuple[ChangeLine, ...]:
        """Newest first."""
        return tuple(self._lines)

    def note(self, words: str, row: Row | None, fields: tuple[FieldLine, ...] = ()) -> None:
        """Something happened now; `row` is the object's."""
        version = row.version if row is not None else ""
        self._number += 1
        self._lines.appendleft(ChangeLine(rfc3339(round(self._clock.time(), 3)), version, words, fields, self._number))

    def compare(self, before: dict[str, Any], after: dict[str, Any], row: Row) -> None:
        """The object was modified: note which fields differ."""
        asked = deletion_of(after) if deletion_of(before) is None else None
        changes = [one for one in field_changes(before, after) if asked is None or one.path not in _DELETION]
        lines = tuple(FieldLine(one.path, _value(one.old), _value(one.new)) for one in changes[:FIELDS])
        more = len(changes) - FIELDS
        words = [f"deletion asked for{asked.held}"] if asked is not None else []
        words += [f"and {more} more fields"] if more > 0 else []
        self.note(", ".join(words) if words or lines else "no visible change", row, lines)


def _value(value: Any) -> str:
    if value is None:
        return ""
    words = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
