"""What stands in a deleted object's place: it under another name, or what its controller made since.

Kubernetes renames nothing: who wants another name creates a copy and deletes the original, in either order. So one that
was created of late and has the same content may be it. Who looks at an object that is gone wants to go there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import msgspec

from dashboard.live.lines import rfc3339
from dashboard.live.messages import Row
from dashboard.live.replica import Replica
from dashboard.live.slices import Work, at_once
from dashboard.resources.deletion import deletion_of
from dashboard.resources.loose import mapping, mappings

BEFORE = 600.0
"""Seconds before the deletion, from when on a copy counts: people look at the new one before they delete the old."""
STEP = 500
"""Rows in a step of the search: a millisecond's work at most."""
MOST = 20
"""Rows that are compared in full; where more are possible, none could be told from the others."""
_SET = frozenset({"clusterIP", "clusterIPs", "healthCheckNodePort", "nodeName", "volumeName"})
"""Fields of spec that the cluster sets anew on each."""


@dataclass(frozen=True, slots=True)
class Found:
    """The object in its place."""

    row: Row
    by: str = ""
    """The controller of both, ``ReplicaSet web-7d9c``; empty where it has the same content."""
    same: bool = False
    """Whether it is the same object by its uid, which some API server has renamed."""

    @property
    def created(self) -> str:
        """RFC 3339; empty where nobody says."""
        return rfc3339(self.row.created) if self.row.created is not None else ""


class Successor:
    """Looks for it from the deletion on, until `forget`; `found` is called when a search that took its time is done."""

    def __init__(self, replica: Replica, later: Callable[[Work], None] = at_once) -> None:
        self.found: Callable[[], None] = lambda: None
        self.one: Found | None = None
        self._replica = replica
        self._later = later
        self._gone: Row | None = None
        self._whole: Mapping[str, Any] = {}
        """The one that is gone, as it was last."""
        self._controlled = False
        """Whether its owner is its controller, which makes others in its place; any other owner makes nothing."""
        self._since = 0.0
        self._asked: dict[str, float] = {}
        self._alike: dict[str, Row] = {}
        self._contents: dict[tuple[str, str], bytes] = {}
        """What tells contents apart, by uid and version: of the one that is gone and of those alike, read once."""
        self._round = 0

    def forget(self) -> None:
        """The object is there, or another of its name."""
        self._gone, self.one, self._alike, self._whole, self._contents = None, None, {}, {}, {}
        self._round += 1

    def look(self, gone: Row, whole: Mapping[str, Any], now: float) -> None:
        """It was deleted at `now` (Unix seconds), when it was `whole`."""
        self.forget()
        self._gone, self._whole = gone, whole
        self._controlled = gone.owner is not None and any(
            reference.get("controller") is True
            for reference in mappings(mapping(whole.get("metadata")).get("ownerReferences"))
        )
        self.ends(gone, whole)
        self._since = min(self._asked.get(gone.uid, now), now)
        self._later(self._search(gone))

    def ends(self, row: Row, whole: Mapping[str, Any]) -> None:
        """Its deletion may have been asked for: the first time counts, for who asks again writes a later moment."""
        asked = deletion_of(whole) if row.deleting is not None else None
        if asked is not None:
            self._asked = {row.uid: min(asked.asked, self._asked.get(row.uid, asked.asked))}

    def renamed(self, row: Row) -> None:
        """The same object has this name now."""
        self.forget()
        self.one = Found(row, same=True)

    def apply(self, rows: Iterable[tuple[Row | None, Row | None]]) -> bool:
        """Take in what changed; whether another one stands in its place now, or none."""
        gone = self._gone
        if gone is None:
            return False
        before, moved = self.one, False
        for old, new in rows:
            moved = (old is not None and self._leave(old)) or moved
            moved = (new is not None and self._consider(gone, new)) or moved
        if moved and self._controlled and self.one is None:
            self._later(self._search(gone))  # the first of those that are left
        elif moved:
            self._choose()
        return self.one != before

    def _search(self, gone: Row) -> Work:
        interrupted = False
        for number, uid in enumerate(list(self._replica.rows), 1):
            if (row := self._replica.rows.get(uid)) is not None:
                self._consider(gone, row)
            if number % STEP == 0:
                interrupted = True
                yield None
                if self._gone is not gone:
                    return
        self._choose()
        if interrupted:
            self.found()

    def _leave(self, old: Row) -> bool:
        """It is not what it was; whether that mattered."""
        mine = self.one is not None and self.one.row.uid == old.uid
        if mine and self._controlled:
            self.one = None
        return self._alike.pop(old.uid, None) is not None or mine

    def _consider(self, gone: Row, row: Row) -> bool:
        """Whether it may stand in the place of the one that is gone."""
        if row.namespace != gone.namespace or row.uid == gone.uid or row.created is None or row.deleting is not None:
            return False
        if not self._controlled:
            alike = row.owner in (None, gone.owner) and row.labels == gone.labels
            if alike and row.created >= max(self._since - BEFORE, gone.created or 0.0):
                self._alike[row.uid] = row
                return True
            return False
        one_owner = gone.owner is not None and row.owner is not None and row.owner[2] == gone.owner[2]
        first = self.one is None or row.created < (self.one.row.created or 0.0)
        if row.owner is not None and one_owner and first and row.created >= int(self._since):
            self.one = Found(row, by=f"{row.owner[0]} {row.owner[1]}")
            return True
        return False

    def _choose(self) -> None:
        """Of those without a controller the one that has the same content, if it is the only one."""
        gone = self._gone
        if gone is None or self._controlled:
            return
        self._round += 1
        known = self._alike.get(self.one.row.uid) if self.one is not None else None
        self.one = replace(self.one, row=known) if self.one is not None and known is not None else None
        self._later(self._compare(gone, self._round))

    def _compare(self, gone: Row, number: int) -> Work:
        """Objects may be large: one in a step."""
        few = list(self._alike.values()) if len(self._alike) <= MOST else []
        kept = {(row.uid, row.version) for row in (gone, *few)}
        self._contents = {each: content for each, content in self._contents.items() if each in kept}
        interrupted = False
        for row in (gone, *few) if few else ():
            if (row.uid, row.version) not in self._contents:
                if interrupted:
                    yield "wait"
                    if number != self._round:
                        return
                self._contents[row.uid, row.version] = _content(self._whole if row is gone else row.whole())
                interrupted = True
        wanted = self._contents.get((gone.uid, gone.version), b"")
        same = [row for row in few if wanted and self._contents[row.uid, row.version] == wanted]
        self.one = Found(same[0]) if len(same) == 1 else None
        if interrupted:
            self.found()


def _content(whole: Mapping[str, Any]) -> bytes:
    """What tells apart what people wrote; empty where that is nothing."""
    content = {name: value for name, value in whole.items() if name not in ("apiVersion", "kind", "metadata", "status")}
    if spec := mapping(content.get("spec")):
        content["spec"] = {name: value for name, value in spec.items() if name not in _SET}
    there = {name: value for name, value in content.items() if value}
    return blake2b(msgspec.json.encode(there, order="deterministic")).digest() if there else b""
