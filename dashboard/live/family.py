"""The family of one object: the chain of its owners, and all that it owns, among the kinds that are followed.

It is found by the replicas' indexes of owners, in slices where it is large, and then kept current by what changes.
A row names one owner, the controller or the only one: an object of several, none of them its controller, is nobody's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest

from dashboard.live.change import Change
from dashboard.live.messages import Row, Tone
from dashboard.live.replica import Replica
from dashboard.live.slices import Work
from dashboard.live.uid_index import owner_uid
from dashboard.resources.kinds import KindInfo
from dashboard.resources.words import object_href

SHOWN = 12
"""Objects of one owner that are shown, what is wrong first; the rest is counted."""
GENERATIONS = 6
"""Owners above the object, and generations below it, that are looked for."""
STEP = 500
"""Objects in a step of the search, a millisecond's work at most."""
_WORST: dict[Tone, int] = {"bad": 0, "warn": 1, "busy": 2, "ok": 3, "idle": 4}

Kinds = Callable[[], Iterable[tuple[KindInfo, Replica]]]


@dataclass(frozen=True, slots=True)
class Relative:
    """A line of the tree."""

    depth: int
    """From 0; at most 2 * GENERATIONS."""
    kind: str
    """``ReplicaSet``; empty where `more` are counted."""
    name: str
    href: str
    """Empty where nobody can look: its kind is not followed, or it does not exist any more."""
    status: str
    tone: Tone
    here: bool = False
    """Whether it is the object itself."""
    more: int = 0
    """Objects of the same owner that are not shown."""


class Family:
    """`follow` an object; `lines` are its tree. `found` is called when a search has ended that took its time."""

    def __init__(self, kinds: Kinds, later: Callable[[Work], None]) -> None:
        self.found: Callable[[], None] = lambda: None
        self.looking = False
        self._kinds = kinds
        self._later = later
        self._row: Row | None = None
        self._kind: KindInfo | None = None
        self._above: list[tuple[KindInfo, Row]] = []
        self._below: dict[str, tuple[KindInfo, Row]] = {}
        self._children: dict[str, dict[str, tuple[KindInfo, Row]]] = {}
        """Those below by their owner's uid, then by their own."""
        self._of_kind: Counter[str] = Counter()
        """How many of those below are of each kind."""
        self._members: set[str] = set()
        """uids that changes must name to matter: all that are known, and the owner that nobody has seen."""
        self._owners: set[str] = set()
        """Those of the members that own it."""
        self._wanted: set[str] = set()
        """Members whose own objects have not been looked for."""
        self._round = 0

    def follow(self, kind: KindInfo, row: Row) -> None:
        """This object's family from now on."""
        self._kind, self._row = kind, row
        self._below, self._children, self._of_kind = {}, {}, Counter()
        self._members, self._owners, self._wanted = {row.uid}, set(), {row.uid}
        self._look_up(row)
        self._round += 1
        self._search()

    @property
    def below(self) -> Iterable[tuple[KindInfo, Row]]:
        """All that it owns, in the order in which it was found."""
        return self._below.values()

    @property
    def lines(self) -> tuple[Relative, ...]:
        """The tree from the topmost owner down; the object alone where it has no family."""
        if self._row is None or self._kind is None:
            return ()
        shown = {kind.key for kind, _ in self._kinds()}
        above = [owner for owner in self._above if owner[0].key in shown]
        found = self._unknown_owner(above)
        found += [_line(*owner, depth) for depth, owner in enumerate(reversed(above), len(found))]
        found.append(_line(self._kind, self._row, len(found), here=True))
        found.extend(self._descendants(self._row.uid, shown, len(found), {self._row.uid}))
        return tuple(found)

    def has(self, key: str) -> bool:
        """Whether any of them is of this kind."""
        return self._of_kind[key] > 0 or any(kind.key == key for kind, _ in self._above)

    @property
    def stale(self) -> tuple[str, ...]:
        """Titles of the kinds among them whose rows are not up to date."""
        return tuple(kind.title for kind, replica in self._kinds() if not replica.live and self.has(kind.key))

    def apply(self, key: str, change: Change) -> bool:
        """Take in what changed among the rows of kind `key`; whether any of it is family."""
        kind = next((kind for kind, _ in self._kinds() if kind.key == key), None)
        if self._row is None or kind is None or change.touched.isdisjoint(self._members):
            return False
        for old, new in change.rows:
            self._take(kind, old, new)
        self._look_up(self._row)
        if self._wanted and not self.looking:
            self._search()
        return True

    def _take(self, kind: KindInfo, old: Row | None, new: Row | None) -> None:
        if self._row is not None and new is not None and new.uid == self._row.uid:
            self._row = new
        elif new is not None and self._owns(owner_uid(new)):
            self._add(kind, new)
        elif old is not None:
            self._remove(old.uid)

    def _remove(self, uid: str) -> None:
        """It is none of them any more, nor is what it owns."""
        leaving = [uid] if uid in self._below else []
        while leaving:
            gone = leaving.pop()
            if gone not in self._below:
                continue  # one of a ring
            self._forget(gone)
            self._members.discard(gone)
            leaving += self._children.get(gone, ())

    def _add(self, kind: KindInfo, row: Row) -> None:
        if row.uid in self._below:
            self._forget(row.uid)  # its owner may be another one
        else:
            self._wanted.add(row.uid)
            self._members.add(row.uid)
        self._below[row.uid] = self._children.setdefault(owner_uid(row), {})[row.uid] = (kind, row)
        self._of_kind[kind.key] += 1

    def _forget(self, uid: str) -> None:
        kind, row = self._below.pop(uid)
        self._of_kind[kind.key] -= 1
        siblings = self._children[owner_uid(row)]
        del siblings[uid]
        if not siblings:
            del self._children[owner_uid(row)]

    def _owns(self, uid: str) -> bool:
        return uid in self._below or (self._row is not None and uid == self._row.uid)

    def _look_up(self, row: Row) -> None:
        """Find the chain of owners, the nearest first, as far as they are followed and exist."""
        kinds = list(self._kinds())
        self._members -= self._owners
        self._above, self._owners = [], set()
        while row.owner is not None and len(self._above) < GENERATIONS:
            uid = row.owner[2]
            if uid not in self._members:
                self._owners.add(uid)
                self._members.add(uid)
            owner = next(((kind, found) for kind, replica in kinds if (found := replica.rows.get(uid))), None)
            if owner is None:
                return
            self._above.append(owner)
            row = owner[1]

    def _unknown_owner(self, above: list[tuple[KindInfo, Row]]) -> list[Relative]:
        """The topmost owner where there is no row of it: only its name is known."""
        top = above[-1][1] if above else self._row
        if top is None or top.owner is None or len(above) == GENERATIONS:
            return []
        kind, name, _ = top.owner
        return [Relative(0, kind, name, "", "", "idle")]

    def _search(self) -> None:
        self.looking = True
        self._later(self._find(self._round))

    def _find(self, number: int) -> Work:
        """What members own, generation by generation; the rows that come meanwhile are taken by `apply`."""
        interrupted = False
        for _ in range(GENERATIONS):
            owners, self._wanted = self._wanted, set()
            for looked, (kind, replica, uid) in enumerate(self._owned_by(owners), 1):
                row = replica.rows.get(uid)
                if row is not None and owner_uid(row) in owners:
                    self._take(kind, None, row)
                if looked % STEP == 0:
                    interrupted = True
                    yield None
                    if number != self._round:
                        return
            if not self._wanted:
                break
        self.looking = False
        if interrupted:
            self.found()

    def _owned_by(self, owners: set[str]) -> Iterator[tuple[KindInfo, Replica, str]]:
        """The uids of what these own, with the replica that knew them a moment ago."""
        for kind, replica in list(self._kinds()):
            if replica.by_owner:
                for owner in owners:
                    for uid in list(replica.by_owner.of(owner)):
                        yield kind, replica, uid

    def _descendants(
        self, owner: str, shown: set[str], depth: int, above: set[str], generation: int = 0
    ) -> Iterator[Relative]:
        """Of kinds that are `shown`. What is itself among those `above` it stands in a ring, and is left out."""
        if generation >= GENERATIONS:
            return
        mine = [
            each for each in self._children.get(owner, {}).values() if each[0].key in shown and each[1].uid not in above
        ]
        for kind, row in nsmallest(SHOWN, mine, key=_order):
            yield _line(kind, row, depth)
            yield from self._descendants(row.uid, shown, depth + 1, above | {row.uid}, generation + 1)
        if len(mine) > SHOWN:
            yield Relative(depth, "", "", "", "", "idle", more=len(mine) - SHOWN)


def _order(each: tuple[KindInfo, Row]) -> tuple[int, str, str]:
    """What is wrong first."""
    return _WORST[each[1].tone], each[0].key, each[1].name


def _line(kind: KindInfo, row: Row, depth: int, *, here: bool = False) -> Relative:
    href = object_href(kind.key, row.namespace, row.name)
    return Relative(depth, kind.singular, row.name, href, row.status, row.tone, here)
