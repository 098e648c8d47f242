"""What stands in a deleted object's place: it under another name, or what its controller made since.

Kubernetes renames nothing: who wants another name creates a copy and deletes the original, in either order. So one that
was created of late and has the same content may be it. Who looks at an object that is gone wants to go there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.live.messages import Row
from dashboard.live.replica import Replica
from dashboard.live.slices import Work, at_once
from dashboard.resources.deletion import deletion_of
from dashboard.resources.loose import mapping

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


class Successor:
    """Looks for it from the deletion on, until `forget`; `found` is called when a search that took its time is done."""

    def __init__(self, replica: Replica, later: Callable[[Work], None] = at_once) -> None:
        self.found: Callable[[], None] = lambda: None
        self.one: Found | None = None
        self._replica = replica
        self._later = later
        self._gone: Row | None = None
        self._since = 0.0
        self._asked: dict[str, float] = {}
        self._alike: dict[str, Row] = {}

    def forget(self) -> None:
        """The object is there, or another of its name."""
        self._gone, self.one, self._alike = None, None, {}

    def look(self, gone: Row, now: float) -> None:
        """It was deleted at `now` (Unix seconds)."""
        self.forget()
        self._gone = gone
        self.ends(gone)
        self._since = min(self._asked.get(gone.uid, now), now)
        self._later(self._search(gone))

    def ends(self, row: Row) -> None:
        """Its deletion may have been asked for: the first time counts, for who asks again writes a later moment."""
        asked = deletion_of(row.whole()) if row.deleting is not None else None
        if asked is not None:
            self._asked = {row.uid: min(asked.asked, self._asked.get(row.uid, asked.asked))}

    def renamed(self, row: Row) -> None:
        """The same object has this name now."""
        self.forget()
        self.one = Found(row, same=True)

    def apply(self, rows: Iterable[tuple[Row | None, Row | None]]) -> bool:
        """Take in what changed; whether another one stands in its place now, or none."""
        if self._gone is None:
            return False
        before = self.one
        for old, new in rows:
            if new is None and old is not None:
                self._alike.pop(old.uid, None)
                if self.one is not None and self.one.row.uid == old.uid:
                    self.one = None
            elif new is not None and old is None:
                self._consider(self._gone, new)
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

    def _consider(self, gone: Row, row: Row) -> None:
        if row.namespace != gone.namespace or row.uid == gone.uid or row.created is None or row.deleting is not None:
            return
        if gone.owner is None and row.owner is None:
            if row.labels == gone.labels and row.created >= max(self._since - BEFORE, gone.created or 0.0):
                self._alike[row.uid] = row
            return
        one_owner = gone.owner is not None and row.owner is not None and row.owner[2] == gone.owner[2]
        first = self.one is None or row.created < (self.one.row.created or 0.0)
        if row.owner is not None and one_owner and first and row.created >= int(self._since):
            self.one = Found(row, by=f"{row.owner[0]} {row.owner[1]}")

    def _choose(self) -> None:
        """Of those without an owner the one that has the same content, if it is the only one."""
        if self._gone is None or self._gone.owner is not None:
            return
        few = list(self._alike.values()) if len(self._alike) <= MOST else []
        wanted = _content(self._gone) if few else {}
        same = [row for row in few if wanted and _content(row) == wanted]
        self.one = Found(same[0]) if len(same) == 1 else None


def _content(row: Row) -> Mapping[str, Any]:
    """What a person wrote of it; empty where that is nothing."""
    whole = row.whole()
    content = {name: value for name, value in whole.items() if name not in ("apiVersion", "kind", "metadata", "status")}
    if spec := mapping(content.get("spec")):
        content["spec"] = {name: value for name, value in spec.items() if name not in _SET}
    return {name: value for name, value in content.items() if value}
