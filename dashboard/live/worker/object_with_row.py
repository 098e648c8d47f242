"""Object with its row, as the worker's informers store it, and the builder of rows."""

from __future__ import annotations

import logging
from sys import intern

from dashboard.live.replication.row_interner import RowInterner
from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import Printer, build_row, event_subject, needs_columns
from informerd.decoding.decoder import Reduce
from informerd.log_throttle import LogThrottle
from informerd.objects import Object, ObjectMeta

FAILURE = "could not build the row of %s %s (failure %d)"
logger = logging.getLogger(__name__)


class ObjectWithRow(Object, frozen=True):
    """An object of a kind whose columns are known beforehand."""

    row: Row | None = None
    subject: EventSubject | None = None
    """Of an Event: what it is about."""
    reason: str = ""
    """Of an Event that has a subject."""


class RowBuilder:
    """Builds the rows of one kind. An object that cannot be read is shown by its name, never left out."""

    def __init__(self, key: str, printer: Printer | None = None) -> None:
        """`printer` has the columns of the kind; None: those known for its key."""
        self._key = key
        self._printer = printer
        self._interner = RowInterner()
        self._failures = LogThrottle()

    def row(self, obj: Object) -> Row:
        """The object's row."""
        if isinstance(obj, ObjectWithRow) and obj.row is not None:
            return obj.row
        try:
            return self._printer.row(obj) if self._printer else build_row(self._key, obj)
        except Exception:
            if count := self._failures.count("row"):
                logger.exception(FAILURE, self._key, obj.key, count)
            return unreadable_row(obj)

    def reduce(self, obj: Object) -> Object:
        """The object with its row, and without the fields of its projection and most of its metadata: of these the
        worker reads no more. It was just decoded: nobody else has it.
        """
        row = self.row(obj)
        try:
            about = subject_of(obj)
            self._interner.intern(row)
        except Exception:
            if count := self._failures.count("row"):
                logger.exception(FAILURE, self._key, obj.key, count)
            row, about = unreadable_row(obj), None
        return ObjectWithRow(
            api_version=intern(obj.api_version),
            kind=intern(obj.kind),
            metadata=ObjectMeta(
                name=row.name,
                namespace=row.namespace,
                uid=row.uid,
                resource_version=row.version,
                label_map=row.labels or None,
            ),
            blob=obj.blob,
            row=row,
            subject=about,
            reason=reason_of(obj, about),
        )


def subject_of(obj: Object) -> EventSubject | None:
    """What an Event is about; None for any other object, and for an Event that names none."""
    return obj.subject if isinstance(obj, ObjectWithRow) else event_subject(obj)


def reason_of(obj: Object, subject: EventSubject | None) -> str:
    """The reason of an Event that has a subject; empty for any other object."""
    return "" if subject is None else str(getattr(obj, "reason", ""))


def reduce_for(key: str) -> Reduce | None:
    """What a worker's informer of a kind makes of its objects; None where they stay whole: rows of kinds whose columns
    come from a definition are built again when it changes.
    """
    return None if needs_columns(key) else RowBuilder(key).reduce


def unreadable_row(obj: Object) -> Row:
    """The row of an object of which only the name can be shown."""
    meta = obj.metadata
    return Row(
        uid=meta.uid,
        namespace=meta.namespace,
        name=meta.name,
        version=meta.resource_version,
        created=meta.creation_timestamp.timestamp() if meta.creation_timestamp else None,
        status="Unreadable",
        tone="warn",
        cells=(),
        labels=dict(meta.labels),
        reason="Deltaboard could not read this object; see its log",
        blob=obj.blob,
    )
