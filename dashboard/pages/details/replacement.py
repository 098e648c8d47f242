"""Replacement of a deleted object: a copy under another name, or what its controller created since.

Kubernetes cannot rename an object: a user creates a copy and deletes the original, in either order. So a recently
created object with the same content may be the replacement, and the page of the deleted object links to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import msgspec

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.describers.deletion import deletion_of
from dashboard.objects.fields.unstructured import as_map, as_maps
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.object_presenter import whole_object
from dashboard.runtime.time_slicing import SlicedWork, run_at_once

COPY_LEAD = 600.0
"""Seconds before the deletion within which a copy counts: users check the copy before they delete the original."""
STEP = 500
"""Rows in a step of the search: at most a millisecond of work."""
MAX_COMPARED = 20
"""Most rows that are compared in full; among more candidates none would be distinct."""
_SET = frozenset({"clusterIP", "clusterIPs", "healthCheckNodePort", "nodeName", "volumeName"})
"""Fields of spec that the cluster sets anew on each object."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The object that replaces a deleted one."""

    row: Row
    controller: str = ""
    """The controller of both, ``ReplicaSet web-7d9c``; empty where the content is the same."""
    has_same_uid: bool = False
    """Whether it has the same uid: some API servers can rename objects."""

    @property
    def created_at(self) -> str:
        """RFC 3339; empty where it is unknown."""
        return rfc3339(self.row.created) if self.row.created is not None else ""


class ReplacementSearch:
    """Search for the replacement from the deletion until `forget`; `on_found` is called when a sliced search ends."""

    def __init__(self, replica: ReadableReplica, schedule: Callable[[SlicedWork], None] = run_at_once) -> None:
        self.on_found: Callable[[], None] = lambda: None
        self.replacement: Replacement | None = None
        self._replica = replica
        self._schedule = schedule
        self._deleted_row: Row | None = None
        self._controlled = False
        """Whether its owner is its controller, which creates replacements; other owners create nothing."""
        self._since = 0.0
        self._deletion_times: dict[str, float] = {}
        self._alike: dict[str, Row] = {}
        self._contents: dict[tuple[str, str], bytes] = {}
        """Contents for comparison, by uid and version: of the deleted object and of the candidates, each decoded once.
        """
        self._round = 0

    def forget(self) -> None:
        """Stop: the object exists, or another one with its name."""
        self._deleted_row, self.replacement, self._alike, self._contents = None, None, {}, {}
        self._round += 1

    def start(self, gone: Row, obj: Mapping[str, Any], now: float) -> None:
        """Start: the object was deleted at `now` (Unix seconds). Of `obj` only the metadata is read."""
        self.forget()
        self._deleted_row = gone
        self._controlled = gone.owner is not None and any(
            reference.get("controller") is True
            for reference in as_maps(as_map(obj.get("metadata")).get("ownerReferences"))
        )
        self.note_deletion(gone, obj)
        self._since = min(self._deletion_times.get(gone.uid, now), now)
        self._schedule(self._search(gone))

    def note_deletion(self, row: Row, obj: Mapping[str, Any]) -> None:
        """Record a deletion request: the first time counts, since a repeated request writes a later one."""
        deletion = deletion_of(obj) if row.deleting is not None else None
        if deletion is not None:
            self._deletion_times = {
                row.uid: min(deletion.requested_at, self._deletion_times.get(row.uid, deletion.requested_at))
            }

    def note_renamed(self, row: Row) -> None:
        """Record that the same object has this name now."""
        self.forget()
        self.replacement = Replacement(row, has_same_uid=True)

    def apply(self, rows: Iterable[tuple[Row | None, Row | None]]) -> bool:
        """Apply changes; returns whether the replacement changed."""
        gone = self._deleted_row
        if gone is None:
            return False
        before, moved = self.replacement, False
        for old, new in rows:
            moved = (old is not None and self._leave(old)) or moved
            moved = (new is not None and self._consider(gone, new)) or moved
        if moved and self._controlled and self.replacement is None:
            self._schedule(self._search(gone))  # the first of those that are left
        elif moved:
            self._choose()
        return self.replacement != before

    def _search(self, gone: Row) -> SlicedWork:
        interrupted = False
        for number, uid in enumerate(list(self._replica.rows), 1):
            if (row := self._replica.rows.get(uid)) is not None:
                self._consider(gone, row)
            if number % STEP == 0:
                interrupted = True
                yield None
                if self._deleted_row is not gone:
                    return
        self._choose()
        if interrupted:
            self.on_found()

    def _leave(self, old: Row) -> bool:
        """Drop a candidate; returns whether the replacement changed."""
        mine = self.replacement is not None and self.replacement.row.uid == old.uid
        if mine and self._controlled:
            self.replacement = None
        return self._alike.pop(old.uid, None) is not None or mine

    def _consider(self, gone: Row, row: Row) -> bool:
        """Whether a row is a candidate."""
        if row.namespace != gone.namespace or row.uid == gone.uid or row.created is None or row.deleting is not None:
            return False
        if not self._controlled:
            alike = row.owner in (None, gone.owner) and row.labels == gone.labels
            if alike and row.created >= max(self._since - COPY_LEAD, gone.created or 0.0):
                self._alike[row.uid] = row
                return True
            return False
        one_owner = gone.owner is not None and row.owner is not None and row.owner[2] == gone.owner[2]
        first = self.replacement is None or row.created < (self.replacement.row.created or 0.0)
        if row.owner is not None and one_owner and first and row.created >= int(self._since):
            self.replacement = Replacement(row, controller=f"{row.owner[0]} {row.owner[1]}")
            return True
        return False

    def _choose(self) -> None:
        """Among objects without a controller, the only one with the same content."""
        gone = self._deleted_row
        if gone is None or self._controlled:
            return
        self._round += 1
        known = self._alike.get(self.replacement.row.uid) if self.replacement is not None else None
        self.replacement = (
            replace(self.replacement, row=known) if self.replacement is not None and known is not None else None
        )
        self._schedule(self._compare(gone, self._round))

    def _compare(self, gone: Row, number: int) -> SlicedWork:
        """Compare one candidate in each step: objects may be large."""
        few = list(self._alike.values()) if len(self._alike) <= MAX_COMPARED else []
        versions = {(row.uid, row.version) for row in (gone, *few)}
        self._contents = {each: content for each, content in self._contents.items() if each in versions}
        interrupted = False
        for row in (gone, *few) if few else ():
            if (row.uid, row.version) not in self._contents:
                if interrupted:
                    yield "wait"
                    if number != self._round:
                        return
                self._contents[row.uid, row.version] = _content(row)
                interrupted = True
        wanted = self._contents.get((gone.uid, gone.version), b"")
        same = [row for row in few if wanted and self._contents[row.uid, row.version] == wanted]
        self.replacement = Replacement(same[0]) if len(same) == 1 else None
        if interrupted:
            self.on_found()


def _content(row: Row) -> bytes:
    """User-written content of the whole object for comparison; empty where there is none, or it cannot be decoded."""
    obj = whole_object(row) or {}
    content = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind", "metadata", "status")}
    if spec := as_map(content.get("spec")):
        content["spec"] = {name: value for name, value in spec.items() if name not in _SET}
    there = {name: value for name, value in content.items() if value}
    return blake2b(msgspec.json.encode(there, order="deterministic")).digest() if there else b""
