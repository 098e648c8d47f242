"""Tree of an object's owners and descendants; an object with several owners stands beneath each, in full once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dashboard.objects.health.status_words import status_text
from dashboard.objects.kinds.row import Owner, Row, Tone
from dashboard.objects.kinds.row_owners import can_own, owner_references
from dashboard.pages.details.owned_objects import Member, OwnedObjects
from dashboard.runtime.text_with_links import object_href

MAX_SHOWN = 12
"""Most objects of one owner that are shown, unhealthy ones first, and most owners of one object; the
rest is counted.
"""
MAX_GENERATIONS = 6
"""Most generations that are searched above and below the object."""
Children = Mapping[str, OwnedObjects]
"""Owned objects of a member, by its uid."""


@dataclass(frozen=True, slots=True)
class OwnerTreeLine:
    """A line of the tree."""

    depth: int
    """From 0; at most 2 * MAX_GENERATIONS."""
    kind: str
    """``ReplicaSet``; empty where `more_count` objects are counted."""
    name: str
    href: str
    """Empty where there is no details page: its kind is not followed, or it does not exist any more."""
    status: str
    """``Running``, ``Running, not ready: app is not ready``."""
    tone: Tone
    is_subject: bool = False
    """Whether it is the object itself."""
    more_count: int = 0
    """Number of objects of the same owner that are not shown, or of the object's owners."""
    is_repeated: bool = False
    """Whether it stands further up in the tree too, with all that it owns."""


class Ancestors:
    """The owners of an object, their owners, and so on, as far as they are followed and exist; controllers first."""

    def __init__(self, row: Row, find: Callable[[str], Member | None]) -> None:
        """`find` returns an object by its uid."""
        self.members: dict[str, Member] = {}
        self.unresolved: dict[str, tuple[Owner, Row | None]] = {}
        """Owners without a row, or with one in another namespace, which owns nothing here."""
        self.owned_uids: dict[str, list[str]] = {}
        """Objects on the way down from each ancestor to the object; by uid."""
        self.root_uids: list[str] = []
        """Ancestors without a known owner."""
        self.more_count = 0
        """Number of omitted owners, where an object has too many."""
        self._find = find
        self._climb(row, (row.uid,))

    def _climb(self, row: Row, path: tuple[str, ...]) -> bool:
        """Whether there is an owner. An owner that is already on the path is not searched again."""
        owners = [owner for owner in owner_references(row) if owner.uid not in path]
        self.more_count += max(0, len(owners) - MAX_SHOWN)
        for owner in owners[:MAX_SHOWN]:
            uid = owner.uid
            if uid in self.owned_uids:
                self.owned_uids[uid].append(row.uid)
                continue
            self.owned_uids[uid] = [row.uid]
            member = self._find(uid)
            if member is None or not can_own(member[1], row):
                self.unresolved[uid] = owner, member[1] if member is not None else None
                self.root_uids.append(uid)
                continue
            self.members[uid] = member
            if len(path) == MAX_GENERATIONS or not self._climb(member[1], (*path, uid)):
                self.root_uids.append(uid)
        return bool(owners)


class OwnerTree:
    """Renders the tree: `subject` is the object, `visible_kinds` are the keys of the kinds that have details pages."""

    def __init__(self, subject: Member, above: Ancestors, children: Children, visible_kinds: Iterable[str]) -> None:
        self._subject = subject
        self._above = above
        self._children = children
        self._shown = frozenset(visible_kinds)
        self._drawn: set[str] = set()

    def lines(self) -> Iterator[OwnerTreeLine]:
        """The lines from the topmost owners down; the object alone where it has neither owners nor descendants."""
        for top in self._above.root_uids:
            yield from self._owner(top, 0)
        if self._above.more_count:
            yield OwnerTreeLine(0, "owners", "", "", "", "idle", more_count=self._above.more_count)
        if self._subject[1].uid not in self._drawn:
            yield from self._subject_lines(0)

    def _owner(self, uid: str, depth: int) -> Iterator[OwnerTreeLine]:
        is_repeated = uid in self._drawn
        self._drawn.add(uid)
        yield (
            self._unresolved_line(uid, depth)
            if uid in self._above.unresolved
            else self._line(self._above.members[uid], depth, is_repeated=is_repeated)
        )
        if is_repeated:
            return
        for owned in self._above.owned_uids[uid]:
            yield from (
                self._subject_lines(depth + 1) if owned == self._subject[1].uid else self._owner(owned, depth + 1)
            )

    def _unresolved_line(self, uid: str, depth: int) -> OwnerTreeLine:
        """An owner of which only the name is known."""
        owner, row = self._above.unresolved[uid]
        status = f"in namespace {row.namespace}, so it owns nothing here" if row is not None else ""
        return OwnerTreeLine(depth, owner.kind, owner.name, "", status, "warn" if row is not None else "idle")

    def _subject_lines(self, depth: int) -> Iterator[OwnerTreeLine]:
        uid = self._subject[1].uid
        if uid in self._drawn:
            yield self._line(self._subject, depth, is_repeated=True)
            return
        self._drawn.add(uid)
        yield self._line(self._subject, depth, is_subject=True)
        yield from self._owned_lines(uid, depth + 1, {uid})

    def _owned_lines(self, owner: str, depth: int, path: set[str]) -> Iterator[OwnerTreeLine]:
        """The objects that it owns. An object that is already on the `path` closes a cycle, and is left out."""
        owned = self._children.get(owner)
        if owned is None or len(path) > MAX_GENERATIONS:
            return
        for member in owned.first(MAX_SHOWN, self._shown, path):
            uid = member[1].uid
            is_repeated = uid in self._drawn
            self._drawn.add(uid)
            yield self._line(member, depth, is_repeated=is_repeated)
            if not is_repeated:
                yield from self._owned_lines(uid, depth + 1, path | {uid})
        if (count := owned.count(self._shown, path)) > MAX_SHOWN:
            yield OwnerTreeLine(depth, "", "", "", "", "idle", more_count=count - MAX_SHOWN)

    def _line(
        self, member: Member, depth: int, *, is_subject: bool = False, is_repeated: bool = False
    ) -> OwnerTreeLine:
        kind, row = member
        if kind.key not in self._shown and not is_subject:
            return OwnerTreeLine(depth, kind.singular, row.name, "", "", "idle", is_repeated=is_repeated)
        href = object_href(kind.key, row.namespace, row.name)
        return OwnerTreeLine(
            depth, kind.singular, row.name, href, status_text(row), row.tone, is_subject, is_repeated=is_repeated
        )
