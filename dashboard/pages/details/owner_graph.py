"""Family of one object: its owners and theirs, and all objects that it owns, among the followed kinds.

It is found by the replicas' owner indexes, in slices where it is large, and then updated by changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.kinds.row_owners import can_own, owner_uids
from dashboard.pages.details.owned_objects import Member, OwnedObjects
from dashboard.pages.details.owner_tree import MAX_GENERATIONS, Ancestors, OwnerTree, OwnerTreeLine
from dashboard.runtime.time_slicing import SlicedWork

STEP = 200
"""Objects and owners in a step of the search: one or two milliseconds of work."""

KindReplicas = Callable[[], Iterable[tuple[KindInfo, ReadableReplica]]]


class OwnerGraph:
    """Family of the followed object; `lines` are its tree. `on_found` is called when a search in slices has ended,
    `on_descendant` for each new or changed descendant, also during the search.
    """

    def __init__(self, kinds: KindReplicas, schedule: Callable[[SlicedWork], None]) -> None:
        self.on_found: Callable[[], None] = lambda: None
        self.on_descendant: Callable[[Member], None] = lambda _: None
        self.is_searching = False
        self._kinds = kinds
        self._schedule = schedule
        self._here: Member | None = None
        self._above: Ancestors | None = None
        self._below: dict[str, Member] = {}
        self._children: dict[str, OwnedObjects] = {}
        """Descendants by the uid of each of their owners in the family."""
        self._of_kind: Counter[str] = Counter()
        """Number of descendants of each kind."""
        self._unsearched: set[str] = set()
        """Members whose own objects have not been searched."""
        self._round = 0

    def follow(self, kind: KindInfo, row: Row) -> None:
        """Follow this object's family from now on."""
        self._here = kind, row
        self._below, self._children, self._of_kind = {}, {}, Counter()
        self._unsearched = {row.uid}
        self._above = Ancestors(row, self._find_row)
        self._round += 1
        self._search()

    @property
    def descendants(self) -> Iterable[Member]:
        """All objects that it owns, in the order in which they were found."""
        return self._below.values()

    @property
    def ancestors(self) -> Iterable[Member]:
        """Its owners, theirs, and so on, as far as they are followed."""
        return self._above.members.values() if self._above is not None else ()

    @property
    def lines(self) -> tuple[OwnerTreeLine, ...]:
        """The tree from the topmost owners down; the object alone where it has no family."""
        if self._here is None or self._above is None:
            return ()
        return tuple(
            OwnerTree(self._here, self._above, self._children, (kind.key for kind, _ in self._kinds())).lines()
        )

    def has_kind(self, key: str) -> bool:
        """Whether any member is of this kind."""
        return self._of_kind[key] > 0 or any(kind.key == key for kind, _ in self.ancestors)

    @property
    def stale_kinds(self) -> tuple[str, ...]:
        """Titles of the members' kinds whose rows are not up to date."""
        return tuple(kind.title for kind, replica in self._kinds() if not replica.is_live and self.has_kind(kind.key))

    def apply(self, key: str, change: Change) -> bool:
        """Apply changes of rows of the kind `key`; returns whether any of them is a member."""
        kind = next((kind for kind, _ in self._kinds() if kind.key == key), None)
        if self._here is None or kind is None or not self._is_affected(change):
            return False
        for old, new in change.rows:
            self._apply_row(kind, old, new)
        self._above = Ancestors(self._here[1], self._find_row)
        if self._unsearched and not self.is_searching:
            self._search()
        return True

    def _is_affected(self, change: Change) -> bool:
        """Whether the change concerns a member, or an owner that is not known yet."""
        uids = change.affected_uids
        mine = (self._above.owned_uids if self._above is not None else {}, self._below)
        return not all(each.keys().isdisjoint(uids) for each in mine) or (
            self._here is not None and self._here[1].uid in uids
        )

    def _member(self, uid: str) -> Member | None:
        """The object itself, or one of its descendants."""
        member = self._below.get(uid)
        return self._here if member is None and self._here is not None and uid == self._here[1].uid else member

    def _owners(self, row: Row) -> set[str]:
        """The uids of its owners in the family."""
        uids = set()
        for uid in owner_uids(row):
            owner = self._member(uid)
            if owner is not None and can_own(owner[1], row):
                uids.add(uid)
        return uids

    def _find_row(self, uid: str) -> Member | None:
        return next(((kind, row) for kind, replica in self._kinds() if (row := replica.rows.get(uid))), None)

    # --- what is below ---

    def _apply_row(self, kind: KindInfo, old: Row | None, new: Row | None) -> None:
        if self._here is not None and new is not None and new.uid == self._here[1].uid:
            self._here = kind, new
        elif new is not None and (owners := self._owners(new)):
            self._add(kind, new, owners)
        elif old is not None:
            self._remove(old.uid)

    def _add(self, kind: KindInfo, row: Row, owners: set[str]) -> None:
        before = self._unlink(row.uid)
        if row.uid not in self._below:
            self._unsearched.add(row.uid)
            self._of_kind[kind.key] += 1
        member = self._below[row.uid] = kind, row
        for owner in owners:
            self._children.setdefault(owner, OwnedObjects()).add(member)
        self.on_descendant(member)
        if before - owners:
            self._drop_cycles(self._descendants_of(row.uid))

    def _remove(self, uid: str) -> None:
        """Remove an object, and all that only it owns."""
        if uid in self._below:
            reached = self._descendants_of(uid)
            self._forget(uid)
            self._drop_cycles(reached - {uid})

    def _descendants_of(self, uid: str) -> set[str]:
        """The object, all that it owns, and so on."""
        reached, waiting = {uid}, [uid]
        while waiting:
            new = self._uids_of(waiting.pop()) - reached
            reached |= new
            waiting += new
        return reached

    def _uids_of(self, owner: str) -> Set[str]:
        """The uids of what it owns itself."""
        owned = self._children.get(owner)
        return owned.uids if owned is not None else frozenset()

    def _drop_cycles(self, reached: set[str]) -> None:
        """Forget those of them whose only owners are among them: owners in a cycle keep nothing."""
        waiting = [uid for uid in reached if self._owners(self._below[uid][1]) - reached]
        reachable = set(waiting)
        while waiting:
            new = (self._uids_of(waiting.pop()) & reached) - reachable
            reachable |= new
            waiting += new
        for uid in reached - reachable:
            self._forget(uid)

    def _forget(self, uid: str) -> None:
        self._unlink(uid)
        kind, _ = self._below.pop(uid)
        self._of_kind[kind.key] -= 1
        self._unsearched.discard(uid)
        self._children.pop(uid, None)

    def _unlink(self, uid: str) -> set[str]:
        """Remove it from its owners. Returns their uids."""
        known = self._below.get(uid)
        if known is None:
            return set()
        owners = {owner for owner in owner_uids(known[1]) if uid in self._children.get(owner, ())}
        for owner in owners:
            siblings = self._children[owner]
            siblings.remove(uid)
            if not siblings:
                del self._children[owner]
        return owners

    # --- the search ---

    def _search(self) -> None:
        self.is_searching = True
        self._schedule(self._find(self._round))

    def _find(self, number: int) -> SlicedWork:
        """Search what members own, generation by generation; `apply` handles rows that come meanwhile."""
        interrupted = False
        for _ in range(MAX_GENERATIONS):
            owners, self._unsearched = self._unsearched, set()
            for looked, owned in enumerate(self._owned_by(owners), 1):
                if owned is not None and (row := owned[1].rows.get(owned[2])) is not None:
                    self._apply_row(owned[0], None, row)
                if looked % STEP == 0:
                    interrupted = True
                    yield None
                    if number != self._round:
                        return
            if not self._unsearched:
                break
        self.is_searching = False
        if interrupted:
            self.on_found()

    def _owned_by(self, owners: set[str]) -> Iterator[tuple[KindInfo, ReadableReplica, str] | None]:
        """The uids of what these own, with the replica that knew them a moment ago; and None for each owner."""
        for kind, replica in list(self._kinds()):
            if replica.by_owner:
                for owner in owners:
                    yield None
                    for uid in list(replica.by_owner.possible_uids_of(owner)):
                        yield kind, replica, uid
