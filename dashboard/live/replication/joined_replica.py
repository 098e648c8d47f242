"""Replicas of the shards of one kind, which different workers watch, read as one replica."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from dashboard.live.replication.joined_rows import JoinedRates, JoinedRows, JoinedUids
from dashboard.live.replication.readable_replica import OutdatedShard, ReplicaState, ShardProblem
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change, Listener, Listeners, gap_end
from dashboard.live.replication.replica_rows import MAX_ENTRIES
from dashboard.live.replication.shard_health import shards_health
from dashboard.live.replication.unwatched_list import ListedOnce
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.shard import Shard
from informerd.cache.health import Health

MAX_FRESHNESS = 1_000
"""Sets of namespaces of which it is kept which shards have them: those of groups of people with equal rights."""


class JoinedFreshness:
    """How current the rows of some shards are together: live when all of them are."""

    def __init__(self, parts: Mapping[Shard, Replica]) -> None:
        self._count(parts)

    def _count(self, parts: Mapping[Shard, Replica]) -> None:
        """Count these shards, and no others."""
        self.by_shard = parts
        self.parts = tuple(parts.values())
        """The replicas of the shards that count."""

    @property
    def state(self) -> ReplicaState:
        states = {part.state for part in self.parts}
        return "starting" if "starting" in states else "stale" if "stale" in states else "live"

    @property
    def stale_since(self) -> float | None:
        """Since when the first of those that are stale now is."""
        return min((part.stale_since for part in self.parts if part.stale_since is not None), default=None)

    @property
    def health(self) -> Health:
        """The worst of the shards' health, with their names in its problem."""
        health = {shard: part.health for shard, part in self.by_shard.items()}
        return shards_health(health, same_columns=len({part.table for part in self.parts}) == 1)

    @property
    def is_unlisted(self) -> bool:
        return any(part.is_unlisted for part in self.parts)

    @property
    def is_live(self) -> bool:
        return self.state == "live" and self.health.state == "live"

    @property
    def outdated_shards(self) -> tuple[OutdatedShard, ...]:
        """The shards that are not live; none where all of them have the same problem."""
        outdated = {shard: part for shard, part in self.by_shard.items() if not part.is_live}
        has_live = len(outdated) < len(self.by_shard)
        problems = {shard: _problem(part) for shard, part in outdated.items()}
        if not has_live and len({*problems.values()}) == 1:
            return ()
        return tuple(
            OutdatedShard(shard, part.namespaces, problems[shard], has_live) for shard, part in outdated.items()
        )

    @property
    def awaited_seconds(self) -> float:
        """For how long the first message of a shard is waited for at most, while others have theirs."""
        awaited = [part.silent_seconds for part in self.parts if part.state == "starting"]
        return max(awaited, default=0.0) if len(awaited) < len(self.parts) else 0.0


class JoinedReplica(JoinedFreshness):
    """The shards' `replicas`, the first of shard 1, as one. See Replica for the attributes.

    It is live when all of them are, and its first snapshot is complete when all of them have one; until then there are
    rows of some and no feed lines. Of a kind without namespaces only the shard counts that has its objects.
    """

    listed: ListedOnce | None = None

    def __init__(self, key: str, replicas: tuple[Replica, ...], *, is_namespaced: bool = True) -> None:
        self.key = key
        self.replicas = replicas
        self.shards = tuple(Shard(number, len(replicas)) for number in range(1, len(replicas) + 1))
        self._is_namespaced = is_namespaced
        self._freshness: dict[frozenset[str], JoinedFreshness] = {}
        """What `freshness_in` gives."""
        super().__init__(self._counting())
        self.rows = JoinedRows(lambda: self.parts)
        self.by_owner = JoinedUids(lambda: self.parts, lambda part: part.by_owner)
        self.by_subject = JoinedUids(lambda: self.parts, lambda part: part.by_subject)
        self.by_node = JoinedUids(lambda: self.parts, lambda part: part.by_node)
        self.rates = JoinedRates(lambda: [part.rates for part in self.parts])
        self.entries: deque[Entry] = deque(maxlen=MAX_ENTRIES * len(replicas))
        """Oldest first, as they were passed on: as many as all of them have."""
        self.is_complete = False
        """Whether the first snapshots of all were passed on."""
        self._listed = set[int]()
        """Indexes of the replicas that have their first snapshot."""
        self._early_gap = 0.0
        """Unix seconds up to which changes may be missing among the feed lines from before it was complete."""
        self._table: TableDefinition | None = None
        """The meaning of the cells that was passed on last."""
        self._listeners = Listeners(key)
        for index, each in enumerate(replicas):
            each.on_change(partial(self._receive, index))

    @property
    def table(self) -> TableDefinition | None:
        tables = [(part.epoch, part.table) for part in self.replicas if part.table is not None]
        return max(tables, key=lambda each: each[0])[1] if tables else None

    @property
    def announced_from(self) -> float | None:
        """Unix seconds from when on the changes of all were reported; None before."""
        moments = [part.announced_from for part in self.parts if part.announced_from is not None]
        return max((self._early_gap, *moments)) if len(moments) == len(self.parts) else None

    @property
    def epoch(self) -> str:
        """That of the youngest worker."""
        return max(part.epoch for part in self.parts)

    @property
    def epochs(self) -> Mapping[str, bool]:
        """The epochs of all workers, and whether each is heard."""
        return {epoch: is_heard for part in self.parts for epoch, is_heard in part.epochs.items()}

    @property
    def seq(self) -> int:
        return sum(part.seq for part in self.parts)

    @property
    def gaps(self) -> int:
        return sum(part.gaps for part in self.replicas)

    @property
    def gaps_healed(self) -> int:
        return sum(part.gaps_healed for part in self.replicas)

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each change. Returns a function that ends that."""
        return self._listeners.add(listener)

    def freshness_in(self, namespaces: Collection[str]) -> JoinedFreshness:
        """How current the rows of these namespaces are; of the empty one: those that belong to none."""
        names = frozenset(namespaces)
        known = self._freshness.get(names)
        if known is None:
            known = self._freshness[names] = self._freshness_in(names)
        return known

    def _freshness_in(self, namespaces: frozenset[str]) -> JoinedFreshness:
        if len(self._freshness) >= MAX_FRESHNESS:
            self._freshness.clear()
        wanted = {shard: part for shard, part in self.by_shard.items() if any(map(shard.includes, namespaces))}
        return JoinedFreshness(wanted or self.by_shard)

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        return next((row for part in self.parts if (row := part.get(namespace, name)) is not None), None)

    def rows_in(self, namespace: str) -> Collection[Row]:
        """The rows of a namespace, which are all in one shard. Do not keep it: it changes with the rows."""
        return next((rows for part in self.parts if (rows := part.rows_in(namespace))), ())

    def find_by_name(self, text: str) -> Iterator[list[Row]]:
        """As ReplicaRows.find_by_name."""
        return chain.from_iterable(part.find_by_name(text) for part in self.parts)

    def possible_uids(self) -> list[str]:
        """The uids of all rows, as they are now."""
        return list(self.rows)

    def _counting(self) -> Mapping[Shard, Replica]:
        """The replicas whose shards can have objects of the kind."""
        by_shard = dict(zip(self.shards, self.replicas, strict=True))
        table = self.table
        if self._is_namespaced and (table is None or table.namespaced):
            return by_shard
        return {shard: part for shard, part in by_shard.items() if shard.includes("")}

    def _receive(self, index: int, change: Change) -> None:
        """Pass on a change of one of the replicas."""
        if change.is_first_snapshot:
            self._listed.add(index)
        has_new_columns = self.table != self._table  # also where a worker of the same table is the youngest now
        if change.has_new_columns or has_new_columns:
            self._count(self._counting())
            self._freshness.clear()
            change = replace(change, has_new_columns=has_new_columns)
            self._table = self.table
        change = replace(change, is_first_snapshot=False) if self.is_complete else self._before_complete(change)
        self.entries.extend(change.entries)
        self._listeners.notify(change)

    def _before_complete(self, change: Change) -> Change:
        """The change without its feed lines; the one that completes the first snapshot has those of all."""
        if (gap := gap_end(change)) is not None:
            self._early_gap = max(self._early_gap, gap)
        counting = {index for index, part in enumerate(self.replicas) if part in self.parts}
        if not counting <= self._listed:
            return replace(change, entries=[], missed_entries=0, unannounced=None, is_first_snapshot=False)
        self.is_complete = True
        entries = self._entries_known_of_all()
        return replace(change, entries=entries, missed_entries=0, unannounced=None, is_first_snapshot=True)

    def _entries_known_of_all(self) -> list[Entry]:
        """The feed lines of the time from which on the changes of every shard are known, oldest first."""
        begin = self._early_gap
        for part in self.parts:
            begin = max(begin, part.announced_from or begin)
            first = next(iter(part.entries), None)
            if first is not None and first.seq > 1:  # earlier ones are missing
                begin = max(begin, first.time)
        known = (each for part in self.parts for each in part.entries if each.time >= begin)
        return sorted(known, key=lambda each: each.ordered_at)


def _problem(part: Replica) -> ShardProblem:
    """Why a replica is not live."""
    if part.state == "live":
        return part.health.state
    if part.state == "starting":
        return "starting"
    return "restarted" if part.is_unlisted else "silent"
