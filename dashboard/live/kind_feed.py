"""One kind's way from informer to publisher: objects become rows, deltas become feed entries."""

from __future__ import annotations

import logging

from dashboard.live.messages import Row, Tone
from dashboard.live.publisher import Publisher
from dashboard.resources.rows import Shape, build_row, change_words
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
        self._added(self._row(obj), quiet=is_in_initial_list)

    def on_update(self, old: Object, new: Object) -> None:
        """An update whose uid differs is a delete and a re-creation that nobody saw happen: told as the two."""
        before, row = self._publisher.rows.get(old.metadata.uid), self._row(new)
        if before is not None and before.uid != row.uid:
            self._deleted(before, "deleted and created again, unseen")
            before = None
        if before is None:
            self._added(row, quiet=False)
            return
        self._publisher.put(row)
        self._publisher.entry("modified", row, *self._words(before, row))

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        row = self._publisher.rows.get(obj.metadata.uid)
        if row is None:
            return
        self._deleted(row, "deleted while the watch was interrupted" if final_state_unknown else "deleted")

    def _added(self, row: Row, *, quiet: bool) -> None:
        known = row.uid in self._publisher.rows
        self._publisher.put(row)
        if not quiet and not known:
            self._publisher.entry("added", row, *self._words(None, row))

    def _deleted(self, row: Row, words: str) -> None:
        self._publisher.drop(row.uid)
        self._publisher.entry("deleted", row, words, "idle")

    def _words(self, before: Row | None, row: Row) -> tuple[str, Tone]:
        try:
            return change_words(self._key, before, row, self._shape.columns if self._shape else None)
        except Exception:
            logger.exception("could not say what changed in %s %s", self._key, row.key)
            return "changed", row.tone

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
