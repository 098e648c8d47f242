"""Change log of one object: what the feed knows of it, and field by field what happens while its page is open."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from dashboard.live.moments.recorded_feed import RecordedGap
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.live.replication.readable_history import ReadableHistory
from dashboard.objects.describers.deletion import Deletion
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_changes import row_changes
from dashboard.runtime.time_slicing import SlicedWork
from informerd.clock import Clock

MAX_CHANGES = 50
"""Most modifications that are stored."""
MAX_GAPS = 10
"""Most gaps of history that are told."""
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
    """One change of the object."""

    time: str
    """RFC 3339."""
    version: str
    words: str
    """What no field shows: ``created again``, ``deleted``; for an earlier change what the feed says of it."""
    fields: tuple[FieldLine, ...]
    number: int = 0
    """Number in this log, from 1."""


class EarlierChanges:
    """Search for an object's changes in the feed's history, from the newest backwards. It sees the state at its
    creation.
    """

    def __init__(self, history: ReadableHistory, key: str, namespace: str, name: str) -> None:
        self.entries: list[Entry] = []
        """Newest first, at most MAX_CHANGES; complete once the search has ended."""
        self._chunks = history.chunks([key], -math.inf, math.inf)
        self._object = (namespace, name)

    def run(self) -> SlicedWork:
        """Search; yields after each slice."""
        for chunk in self._chunks:
            for entry in reversed(chunk.entries()):
                if (entry.namespace, entry.name) == self._object:
                    self.entries.append(entry)
            if len(self.entries) >= MAX_CHANGES:
                return
            yield None


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

    def add_earlier(self, entries: Iterable[Entry]) -> None:
        """Add the changes of the feed's history, newest first, that came before those that are here."""
        known = {line.version for line in self._lines if line.version}
        for entry in entries:
            if len(self._lines) < MAX_CHANGES and not (entry.version in known and entry.op != "deleted"):
                words = entry.words if entry.words not in ("", entry.op) else ""
                operation = {"added": "created", "deleted": "deleted", "modified": ""}[entry.op]
                told = () if words.startswith(operation) else (operation,)  # created, Pending
                text = ": ".join(filter(None, (*told, words))) or "changed"
                self._number += 1
                moment = rfc3339(round(entry.time, 3))
                self._lines.append(ChangeLine(moment, entry.version, text, (), self._number))
        self._sort()

    def add_gaps(self, gaps: Iterable[RecordedGap]) -> None:
        """Add the times in which not every change was recorded, the newest MAX_GAPS."""
        for gap in [*gaps][-MAX_GAPS:]:
            if len(self._lines) < MAX_CHANGES:
                self._number += 1
                words = f"changes may be missing until {utc_text(gap.until)} ({gap.reason})"
                self._lines.append(ChangeLine(rfc3339(round(gap.since, 3)), "", words, (), self._number))
        self._sort()

    def _sort(self) -> None:
        newest_first = sorted(self._lines, key=lambda line: line.time.removesuffix("Z"), reverse=True)
        self._lines = deque(newest_first, maxlen=MAX_CHANGES)

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
