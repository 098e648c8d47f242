"""One kind's way from informer to publisher: objects become rows, deltas become feed entries."""

from __future__ import annotations

import logging

from dashboard.live.messages import Operation, Row
from dashboard.live.publisher import Publisher
from dashboard.resources.rows import Shape, Told, about_of, build_row, change_words
from informerd.objects import Object

logger = logging.getLogger(__name__)


class KindFeed:
    """A handler for a shared informer. Objects of the first list make rows but no feed entries: nothing changed."""

    def __init__(self, key: str, publisher: Publisher, shape: Shape | None = None) -> None:
        self._key = key
        self._publisher = publisher
        self._shape = shape
        """None: the one that is known for the key."""

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self._added(self._row(obj), obj, quiet=is_in_initial_list)

    def on_update(self, old: Object, new: Object) -> None:
        """An update whose uid differs is a delete and a re-creation that nobody saw happen: told as the two."""
        before, row = self._publisher.rows.get(old.metadata.uid), self._row(new)
        if before is not None and before.uid != row.uid:
            self._deleted(before, old, "deleted and created again, unseen")
            before = None
        if before is None:
            self._added(row, new, quiet=False)
            return
        self._publisher.put(row)
        self._entry("modified", row, new, self._told(before, row))

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        row = self._publisher.rows.get(obj.metadata.uid)
        if row is None:
            return
        words = "deleted while the watch was interrupted" if final_state_unknown else self._told(row, None).words
        self._deleted(row, obj, words)

    def _added(self, row: Row, obj: Object, *, quiet: bool) -> None:
        known = row.uid in self._publisher.rows
        self._publisher.put(row)
        if not quiet and not known:
            self._entry("added", row, obj, self._told(None, row))

    def _deleted(self, row: Row, obj: Object, words: str) -> None:
        self._publisher.drop(row.uid)
        self._entry("deleted", row, obj, Told(words, "idle"))

    def _entry(self, op: Operation, row: Row, obj: Object, told: Told) -> None:
        about = about_of(obj)
        reason = str(getattr(obj, "reason", "")) if about is not None else ""
        self._publisher.entry(op, row, told.words, told.tone, fields=told.fields, reason=reason, about=about)

    def _told(self, before: Row | None, row: Row | None) -> Told:
        try:
            return change_words(self._key, before, row, self._shape.columns if self._shape else None)
        except Exception:
            known = row or before
            logger.exception("could not say what changed in %s %s", self._key, known.key if known else "")
            return Told("changed", known.tone if known else "idle")

    def _row(self, obj: Object) -> Row:
        """The object's row; one that cannot be read is shown by its name all the same, never left out."""
        try:
            return self._shape.row(obj) if self._shape else build_row(self._key, obj)
        except Exception:
            logger.exception("could not make a row of %s %s", self._key, obj.key)
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
                reason="Deltaboard could not read this object, see its log",
                blob=obj.blob,
            )
