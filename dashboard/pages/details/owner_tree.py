"""How a family is drawn: a tree in which an object of several owners stands beneath each of them, in full once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from dashboard.live.messages import Row, Tone
from dashboard.live.ownership import Named, can_own, owners_named
from dashboard.resources.kinds import KindInfo
from dashboard.resources.words import object_href

SHOWN = 12
"""Objects of one owner that are shown, what is wrong first, and owners of one object; the rest is counted."""
GENERATIONS = 6
"""Owners above the object, and generations below it, that are looked for."""
_WORST: dict[Tone, int] = {"bad": 0, "warn": 1, "busy": 2, "ok": 3, "idle": 4}

Member = tuple[KindInfo, Row]
Children = Mapping[str, Mapping[str, Member]]
"""Those that a member owns, by its uid, then by their own."""


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
    """Objects of the same owner that are not shown, or owners of the object."""
    again: bool = False
    """Whether it stands further up in the tree, too, where all is that it owns."""


class Above:
    """The owners of an object, theirs, and so on, as far as they are followed and exist; controllers first."""

    def __init__(self, row: Row, find: Callable[[str], Member | None]) -> None:
        """`find` one by its uid."""
        self.known: dict[str, Member] = {}
        self.unseen: dict[str, tuple[Named, Row | None]] = {}
        """Those of which there is no row, or one in another namespace, which owns nothing here."""
        self.owned: dict[str, list[str]] = {}
        """What each of them owns that leads to the object; by uid."""
        self.tops: list[str] = []
        """Those that have no owner themselves, as far as anybody knows."""
        self.more = 0
        """Owners that are left out, where one of these has too many."""
        self._find = find
        self._climb(row, (row.uid,))

    def _climb(self, row: Row, path: tuple[str, ...]) -> bool:
        """Whether there is anybody above. What owns what it belongs to is not looked for again."""
        owners = [owner for owner in owners_named(row) if owner[2] not in path]
        self.more += max(0, len(owners) - SHOWN)
        for owner in owners[:SHOWN]:
            uid = owner[2]
            if uid in self.owned:
                self.owned[uid].append(row.uid)
                continue
            self.owned[uid] = [row.uid]
            found = self._find(uid)
            if found is None or not can_own(found[1], row):
                self.unseen[uid] = owner, found[1] if found is not None else None
                self.tops.append(uid)
                continue
            self.known[uid] = found
            if len(path) == GENERATIONS or not self._climb(found[1], (*path, uid)):
                self.tops.append(uid)
        return bool(owners)


class Tree:
    """Draws one: `here` is the object, of the kinds whose keys are in `shown` are those that anybody can look at."""

    def __init__(self, here: Member, above: Above, children: Children, shown: Iterable[str]) -> None:
        self._here = here
        self._above = above
        self._children = children
        self._shown = frozenset(shown)
        self._drawn: set[str] = set()

    def lines(self) -> Iterator[Relative]:
        """From the topmost owners down; the object alone where it has no family."""
        for top in self._above.tops:
            yield from self._owner(top, 0)
        if self._above.more:
            yield Relative(0, "owners", "", "", "", "idle", more=self._above.more)
        if self._here[1].uid not in self._drawn:
            yield from self._itself(0)

    def _owner(self, uid: str, depth: int) -> Iterator[Relative]:
        again = uid in self._drawn
        self._drawn.add(uid)
        yield (
            self._named(uid, depth)
            if uid in self._above.unseen
            else self._line(self._above.known[uid], depth, again=again)
        )
        if again:
            return
        for owned in self._above.owned[uid]:
            yield from self._itself(depth + 1) if owned == self._here[1].uid else self._owner(owned, depth + 1)

    def _named(self, uid: str, depth: int) -> Relative:
        """An owner that only its name is known of."""
        (kind, name, _), row = self._above.unseen[uid]
        status = f"in namespace {row.namespace}, so it owns nothing here" if row is not None else ""
        return Relative(depth, kind, name, "", status, "warn" if row is not None else "idle")

    def _itself(self, depth: int) -> Iterator[Relative]:
        uid = self._here[1].uid
        if uid in self._drawn:
            yield self._line(self._here, depth, again=True)
            return
        self._drawn.add(uid)
        yield self._line(self._here, depth, here=True)
        yield from self._beneath(uid, depth + 1, {uid})

    def _beneath(self, owner: str, depth: int, path: set[str]) -> Iterator[Relative]:
        """What it owns. What is itself on the `path` to it stands in a ring, and is left out."""
        if len(path) > GENERATIONS:
            return
        mine = [
            each
            for each in self._children.get(owner, {}).values()
            if each[0].key in self._shown and each[1].uid not in path
        ]
        for member in nsmallest(SHOWN, mine, key=_order):
            uid = member[1].uid
            again = uid in self._drawn
            self._drawn.add(uid)
            yield self._line(member, depth, again=again)
            if not again:
                yield from self._beneath(uid, depth + 1, path | {uid})
        if len(mine) > SHOWN:
            yield Relative(depth, "", "", "", "", "idle", more=len(mine) - SHOWN)

    def _line(self, member: Member, depth: int, *, here: bool = False, again: bool = False) -> Relative:
        kind, row = member
        if kind.key not in self._shown and not here:
            return Relative(depth, kind.singular, row.name, "", "", "idle", again=again)
        href = object_href(kind.key, row.namespace, row.name)
        return Relative(depth, kind.singular, row.name, href, row.status, row.tone, here, again=again)


def _order(member: Member) -> tuple[int, str, str]:
    """What is wrong first."""
    kind, row = member
    return _WORST[row.tone], kind.key, row.name
