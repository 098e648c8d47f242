"""Handler of one kind between informer and publisher: objects become rows, deltas become feed entries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from dashboard.live.worker.object_with_row import RowBuilder, reason_of, subject_of
from dashboard.objects.kinds.feed_entry import EventSubject, Operation
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers import ChangeText, Printer, change_text
from informerd.log_throttle import LogThrottle
from informerd.objects import Object

logger = logging.getLogger(__name__)


class EntryPublisher(Protocol):
    """The used part of Publisher."""

    @property
    def rows(self) -> Mapping[str, Row]: ...

    def put(self, row: Row) -> None: ...

    def remove(self, uid: str) -> None: ...

    def add_entry(
        self,
        op: Operation,
        row: Row,
        words: str,
        tone: Tone,
        *,
        fields: tuple[tuple[str, str], ...] = (),
        reason: str = "",
        subject: EventSubject | None = None,
    ) -> None: ...


class RowHandler:
    """A handler for a shared informer. Objects of the first list make rows but no feed entries, because nothing
    changed.
    """

    def __init__(
        self,
        key: str,
        publisher: EntryPublisher,
        printer: Printer | None = None,
        *,
        is_unreadable: Callable[[str], bool] = lambda _: False,
        missed: str = "while the watch was interrupted",
    ) -> None:
        """`is_unreadable`: whether the object of that key, which has left the store, exists and cannot be read.
        `missed`: what is said of a deletion that was not seen.
        """
        self._is_unreadable = is_unreadable
        self._missed = missed
        self._key = key
        self._publisher = publisher
        self._shape = printer
        """Columns of the kind; None: those known for its key."""
        self._rows = RowBuilder(key, printer)
        self._failures = LogThrottle()

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self._added(self._rows.row(obj), obj, quiet=is_in_initial_list)

    def on_update(self, old: Object, new: Object) -> None:
        """An update whose uid differs is reported as a delete and a creation: the informer missed both."""
        before, row = self._publisher.rows.get(old.metadata.uid), self._rows.row(new)
        if before is not None and before.uid != row.uid:
            self._deleted(before, old, "deleted and created again between two reads")
            before = None
        if before is None:
            self._added(row, new, quiet=False)
            return
        self._publisher.put(row)
        self._entry("modified", row, new, self._change_text(before, row))

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        row = self._publisher.rows.get(obj.metadata.uid)
        if row is None:
            return
        if final_state_unknown and self._is_unreadable(obj.key):
            words = "still exists, but cannot be read any more: the worker's log says why"
        elif final_state_unknown:
            words = self._missed
        else:
            words = self._change_text(row, None).words
        self._deleted(row, obj, words)

    def _added(self, row: Row, obj: Object, *, quiet: bool) -> None:
        known = row.uid in self._publisher.rows
        self._publisher.put(row)
        if not quiet and not known:
            self._entry("added", row, obj, self._change_text(None, row))

    def _deleted(self, row: Row, obj: Object, words: str) -> None:
        self._publisher.remove(row.uid)
        self._entry("deleted", row, obj, ChangeText(words, "idle"))

    def _entry(self, op: Operation, row: Row, obj: Object, change: ChangeText) -> None:
        about = subject_of(obj)
        reason = reason_of(obj, about)
        self._publisher.add_entry(
            op, row, change.words, change.tone, fields=change.fields, reason=reason, subject=about
        )

    def _change_text(self, before: Row | None, row: Row | None) -> ChangeText:
        try:
            return change_text(self._key, before, row, self._shape.columns if self._shape else None)
        except Exception:
            known = row or before
            if count := self._failures.count("change"):
                name = known.key if known else ""
                logger.exception("could not describe the change of %s %s (failure %d)", self._key, name, count)
            return ChangeText("changed", known.tone if known else "idle")
