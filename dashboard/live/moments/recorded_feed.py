"""Feed entries, counts and gaps of recorded changes, as far as a hub's people may see them now."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from dashboard.access.rights import EVENT_KINDS
from dashboard.live.history.part_reader import ChangeCounts
from dashboard.live.history.part_rows import COUNTED
from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import ObjectName, Version
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.namespace_limits import is_outside
from dashboard.live.moments.history_objects import MICROSECONDS, HistoryObjects
from dashboard.live.moments.past_entries import build_entries
from dashboard.live.moments.past_rows import PastRows
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.feed_entry import Entry, Operation
from dashboard.runtime.thread_pools import run_in_thread

PAGE_SIZE = 250
"""Changes that become entries at a time: some 100 ms in a thread."""

SEAM = 10.0
"""Seconds after the beginning of what is in memory that are read from history, too: the clocks of the two may differ by
as much.
"""
SAME_GAP = 60.0
"""Seconds by which the ends of a gap may differ between kinds: after a restart, their first lists take so long."""
WantsCount = Callable[[str, Operation, str], bool]
"""Whether changes of a kind, an operation and a namespace are counted."""
WantsVersion = Callable[[Version], bool]
WantsEntry = Callable[[str, Entry], bool]


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Some entries, and how far the search has come."""

    entries: Sequence[tuple[str, Entry]]
    """Kind and entry, newest first."""
    back_to: float
    """Unix seconds after which everything has been searched."""
    searched: int
    """Changes that were looked at so far and may be seen, whether they are wanted or not."""


@dataclass(frozen=True, slots=True)
class RecordedGap:
    """A time in which nothing of some kinds was recorded, in Unix seconds."""

    since: float
    until: float
    """Infinite while it lasts."""
    keys: frozenset[str]
    reason: str
    """A clause."""


class RecordedFeed:
    """What `history` has of these kinds. Its coroutines raise HistoryUnavailable."""

    def __init__(self, history: HistoryObjects, kinds: Iterable[KindInfo], replicas: Iterable[ReadableReplica]) -> None:
        """`replicas` are those of a hub: what they let its people see decides."""
        self._history = history
        self._kinds = {kind.key: kind for kind in kinds}
        self._replicas: Mapping[str, ReadableReplica] = {replica.key: replica for replica in replicas}

    async def begin(self) -> float | None:
        """Unix seconds of the oldest change that may be there; None where there is no history."""
        return await self._history.begin()

    async def recorded_since(self, keys: Iterable[str]) -> dict[str, float]:
        """Since when each of these kinds was recorded, gaps aside, of those that were, and of which something may be
        seen.
        """
        found = [(key, await self._history.recorded_since(key)) for key in keys if not self.is_hidden(key)]
        return {key: since for key, since in found if since is not None}

    async def gaps(self, keys: Iterable[str], since: float, until: float) -> list[RecordedGap]:
        """The times in which not all changes of these kinds were recorded, oldest first; those of several kinds that
        begin and end within SAME_GAP are one. They may begin before `since`. The kinds are those that `recorded_since`
        returned.
        """
        found: list[RecordedGap] = []
        for key in keys:
            for gap in await self._history.whole_gaps(key, since, until):
                end = until if gap.until is None else gap.until / MICROSECONDS
                found.append(RecordedGap(gap.since / MICROSECONDS, end, frozenset({key}), gap.reason))
        return join_gaps(found)

    async def counts(
        self, keys: Sequence[str], wants: WantsCount, since: float, until: float, step: int
    ) -> Mapping[int, Sequence[int]]:
        """How many changes were added, modified and deleted in steps of `step` seconds, by the Unix second at which
        each begins. Only those of kinds and namespaces of which everything may be seen, and that `wants` accepts, which
        is called in a thread.
        """
        counts = await self._history.change_counts(keys, since, until, step)
        return await run_in_thread(self._sums, counts, wants)

    def _sums(self, counts: Iterable[ChangeCounts], wants: WantsCount) -> Mapping[int, Sequence[int]]:
        wanted: dict[tuple[str, str], tuple[bool, ...]] = {}
        sums: dict[int, list[int]] = {}
        for each in counts:
            place = each.kind, each.namespace
            if place not in wanted:
                sees_all = self._sees_all_of(*place)
                wanted[place] = tuple(sees_all and wants(each.kind, op, each.namespace) for op in COUNTED)
            step = sums.setdefault(each.begin, [0, 0, 0])
            for index, number in enumerate(each.counts):
                step[index] += number if wanted[place][index] else 0
        return sums

    def uncounted(self, keys: Iterable[str]) -> list[str]:
        """The kinds of which people may see some objects, and `counts` lacks some of these."""
        return [key for key in keys if self._is_partly_seen(key)]

    async def search(
        self,
        keys: Sequence[str],
        since: float,
        until: Mapping[str, float],
        *,
        wants_version: WantsVersion,
        wants_entry: WantsEntry,
    ) -> AsyncGenerator[EntryPage]:
        """The entries from `since` on, and of each kind before `until`, newest first, in pages that are read as they
        are taken. A page without entries says how far the search is.

        `wants_version` refuses changes that need not be read, in a thread.
        """
        keys = [key for key in keys if key in self._kinds and not self.is_hidden(key)]
        if not keys:
            return
        searched = 0
        rows = {key: PastRows(self._kinds[key].resource, self._replicas[key].table) for key in keys}

        def wanted(versions: Sequence[Version]) -> tuple[list[Version], int]:
            seen = [
                version
                for version in versions
                if version.time < until[version.object.kind] * MICROSECONDS and self._may_see(version)
            ]
            visible = sum(not self._is_seen_by_content(version.object.kind) for version in seen)
            return [version for version in seen if wants_version(version)], visible

        async with aclosing(self._history.changes(keys, since, max(until[key] for key in keys))) as steps:
            async for step in steps:
                found, visible = await run_in_thread(wanted, step.versions)
                for start in range(0, len(found), PAGE_SIZE):
                    page = found[start : start + PAGE_SIZE]
                    changes = await self._history.with_states(page)
                    entries = await run_in_thread(_entries, rows, changes)
                    seen = [each for each in entries if self._sees_entry(*each) and wants_entry(*each)]
                    yield EntryPage(seen, page[-1].time / MICROSECONDS, searched)
                searched += visible
                yield EntryPage((), step.back_to / MICROSECONDS, searched)

    async def entries_of(
        self, key: str, namespace: str, name: str, before: float, most: int
    ) -> list[tuple[str, Entry]]:
        """The newest entries before Unix time `before` of the objects of a name, newest first; none where these may not
        be seen now.
        """
        if key not in self._kinds or not self._sees_name(key, namespace, name):
            return []
        changes = await self._history.newest_states(ObjectName(key, namespace, name, ""), before, most)
        rows = {key: PastRows(self._kinds[key].resource, self._replicas[key].table)}
        return await run_in_thread(_entries, rows, changes)

    def _sees_name(self, key: str, namespace: str, name: str) -> bool:
        replica = self._replicas[key]
        return not isinstance(replica, ScopedReplica) or replica.visibility.sees_name(namespace, name)

    def is_hidden(self, key: str) -> bool:
        """Whether nothing of a kind may be seen."""
        replica = self._replicas.get(key)
        return replica is None or replica.is_hidden

    def _is_partly_seen(self, key: str) -> bool:
        replica = self._replicas.get(key)
        if not isinstance(replica, ScopedReplica) or replica.is_hidden:
            return False
        visibility = replica.visibility
        namespaces = visibility.namespaces
        return namespaces is None or not all(visibility.sees_name(each, "") for each in namespaces)

    def _sees_all_of(self, key: str, namespace: str) -> bool:
        """Whether every object of a kind in a namespace may be seen now."""
        replica = self._replicas.get(key)
        if replica is None or is_outside(replica.health, namespace):
            return False
        return not isinstance(replica, ScopedReplica) or replica.visibility.sees_name(namespace, "")

    def _may_see(self, version: Version) -> bool:
        """Whether the object may be seen now, as far as its name says: of an Event its content decides."""
        about = version.object
        if is_outside(self._replicas[about.kind].health, about.namespace):
            return False
        return self._is_seen_by_content(about.kind) or self._sees_name(about.kind, about.namespace, about.name)

    def _is_seen_by_content(self, key: str) -> bool:
        """Whether only their content decides which objects of a kind may be seen."""
        return key in EVENT_KINDS and isinstance(self._replicas[key], ScopedReplica)

    def _sees_entry(self, key: str, entry: Entry) -> bool:
        replica = self._replicas[key]
        return not isinstance(replica, ScopedReplica) or replica.visibility.sees_entry(entry)


class KnownChanges:
    """The changes that are in memory, to leave them out of what is read from history.

    A change is known by the object's uid and its resourceVersion. An object of which nobody heard for a while, and
    which had not gone, is added and deleted more than once: what happened long before memory has it is another change.
    """

    def __init__(self, entries: Iterable[tuple[str, Entry]]) -> None:
        self._since: dict[tuple[str, str, str], float] = {}
        for key, entry in entries:
            change = change_identity(key, entry)
            self._since[change] = min(entry.time, self._since.get(change, entry.time))

    def has(self, key: str, entry: Entry) -> bool:
        """Whether memory has this change of history."""
        since = self._since.get(change_identity(key, entry))
        return since is not None and entry.time >= since - SEAM


def change_identity(key: str, entry: Entry) -> tuple[str, str, str]:
    """The same for one and the same change, whoever reports it."""
    return key, entry.uid, "" if entry.op == "deleted" else entry.version


def open_recorded_feed(hub: Hub, history: HistoryObjects | None) -> RecordedFeed | None:
    """What a hub's people may see of `history`; None where there is none."""
    if history is None:
        return None
    return RecordedFeed(history, hub.hub_kinds.all_kinds, hub.history.replicas(hub.history.keys))


def _entries(rows: Mapping[str, PastRows], changes: Iterable[ChangedState]) -> list[tuple[str, Entry]]:
    """The entries of changes of any kinds, newest first."""
    by_kind: dict[str, list[ChangedState]] = {}
    for change in sorted(changes, key=lambda each: each.version.time):
        by_kind.setdefault(change.version.object.kind, []).append(change)
    found = [(key, entry) for key, of_kind in by_kind.items() for entry in build_entries(key, rows[key], of_kind)]
    return sorted(found, key=lambda each: (each[1].time, each[0], each[1].seq), reverse=True)


def join_gaps(gaps: Iterable[RecordedGap]) -> list[RecordedGap]:
    """The gaps, oldest first; those of several kinds that begin and end within SAME_GAP are one."""
    joined: list[RecordedGap] = []
    for gap in sorted(gaps, key=lambda each: (each.since, each.until)):
        for place in range(len(joined) - 1, -1, -1):
            last = joined[place]
            if gap.since - last.since > SAME_GAP:
                joined.append(gap)
                break
            if abs(gap.until - last.until) <= SAME_GAP and gap.since <= last.until and last.keys.isdisjoint(gap.keys):
                joined[place] = RecordedGap(last.since, max(last.until, gap.until), last.keys | gap.keys, last.reason)
                break
        else:
            joined.append(gap)
    return joined
