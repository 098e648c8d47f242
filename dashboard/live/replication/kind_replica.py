"""Replica of one kind in a web process: that of one worker, or of the shards of several, and the moves between these.

While workers of two divisions run, as 1/1 and 1/3 to 3/3 do while a worker is replaced by three, both are followed, and
one is shown. Another one is shown once all its shards are live, if that is better, or if all its workers began later.
Listeners hear of the rows that differ, and of each change once.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from dashboard.live.replication.change_rates import RATES_SECONDS, Rate
from dashboard.live.replication.entry_deduplicator import MAX_RECENT, OVERLAP, change_id
from dashboard.live.replication.joined_replica import JoinedReplica
from dashboard.live.replication.messages import Frame, SnapshotChunk, SnapshotRequest
from dashboard.live.replication.readable_replica import (
    Freshness,
    OutdatedShard,
    RecentRates,
    ReplicaState,
    UidLookup,
)
from dashboard.live.replication.replica import SILENCE_TIMEOUT, UNLISTED_STATES, Replica
from dashboard.live.replication.replica_change import Change, Listener, Listeners, gap_end
from dashboard.live.replication.replica_comparison import Division, ReplicaComparison
from dashboard.live.replication.replica_rows import MAX_ENTRIES
from dashboard.live.replication.unwatched_list import KindList, ListedOnce
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import register_columns
from dashboard.runtime.shard import WHOLE, Shard
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health
from informerd.clock import Clock

FORGET_AFTER = 10.0
"""Seconds of silence of all its workers after which a division that is not shown is forgotten."""
RECENT_SECONDS = 60.0
"""Seconds before the newest change whose changes are remembered: several times what workers' reports overlap."""


class KindReplica:
    """The rows, feed lines and rates of `key`, whatever workers divide it. See Replica for the attributes and methods.

    `receive_frame`, `receive_chunk` and `tick` return requests for the shard that they name.
    """

    is_partial = is_hidden = False

    def __init__(
        self,
        key: str,
        clock: Clock,
        *,
        schedule: Callable[[SlicedWork], None] = run_at_once,
        is_namespaced: bool = True,
    ) -> None:
        """`is_namespaced`: whether the kind may have objects in namespaces."""
        self.key = key
        self.entries: deque[Entry] = deque(maxlen=MAX_ENTRIES)
        self.is_requested = True
        self._clock = clock
        self._schedule = schedule
        self._is_namespaced = is_namespaced
        self._divisions: dict[int, Division] = {}
        """By number of shards."""
        self._listeners = Listeners(key)
        self._has_first = False
        """Whether listeners have heard of a first snapshot."""
        self._recent = _RecentChanges()
        self._shown = self._division(WHOLE.count)
        """The one whose rows and health are shown."""
        self._heard = set[int]()
        """Numbers of shards of the divisions of which a frame has come."""
        self._gap_ends: dict[int, float] = {}
        """Unix seconds up to which changes may be missing among the lines of each division."""
        self._through = 0.0
        """Unix seconds up to which every change was announced, or is in a gap that was, at the last move."""
        self._comparison: ReplicaComparison | None = None
        """The comparison of what is shown with what is to be shown next."""
        self.rates = _MovedRates(lambda: self._shown.rates)
        self._before = _Counts()
        """What is added to the numbers of what is shown, so that they go on from those of what was shown before."""

    # --- messages ---

    def receive_frame(self, frame: Frame) -> SnapshotRequest | None:
        """Apply a frame, of whichever shard. Returns the request to send, where it opened a gap."""
        if not self.is_requested or not frame.shard.is_valid:
            return None
        self._division(frame.shard.count)
        self._heard.add(frame.shard.count)
        replica = self.replica_of(frame.shard)
        request = replica.receive_frame(frame) if replica is not None else None
        self._choose()
        return _for_shard(request, frame.shard)

    def receive_chunk(self, chunk: SnapshotChunk) -> SnapshotRequest | None:
        """Apply a part of a snapshot. Returns the request for the next part."""
        replica = self.replica_of(chunk.shard) if self.is_requested else None
        request = replica.receive_chunk(chunk) if replica is not None else None
        self._choose()
        return _for_shard(request, chunk.shard)

    def tick(self, *, can_ask: bool = True) -> list[SnapshotRequest]:
        """Let time pass, a few times a second. Returns the requests to send; none while `can_ask` is False."""
        requests = []
        for count, division in [*self._divisions.items()]:
            is_shown = division is self._shown
            for number, replica in enumerate(_replicas(division), 1):
                asks = can_ask and self.is_requested and replica in _counting(division)
                asks = asks and (is_shown or _is_heard(replica))
                request = _for_shard(replica.tick(can_ask=asks), Shard(number, count))
                if request is not None:
                    requests.append(request)
            if not is_shown and min(each.silent_seconds for each in _replicas(division)) > FORGET_AFTER:
                del self._divisions[count]
                self._heard.discard(count)
                self._gap_ends.pop(count, None)
        self._choose()
        return requests

    def replica_of(self, shard: Shard) -> Replica | None:
        """The replica of one shard; None while no worker of its division is known."""
        division = self._divisions.get(shard.count)
        return _replicas(division)[shard.number - 1] if division is not None and shard.is_valid else None

    def show_list(self, listed: KindList, reason: str) -> None:
        """As Replica.show_list: no worker follows the kind, divided or not."""
        self._show_undivided().show_list(listed, reason)

    def show_failure(self, problem: str, reason: str, *, is_forbidden: bool) -> None:
        """As Replica.show_failure."""
        self._show_undivided().show_failure(problem, reason, is_forbidden=is_forbidden)

    def show_object(
        self, namespace: str, name: str, row: Row | None, table: TableDefinition | None, reason: str
    ) -> None:
        """As Replica.show_object."""
        self._show_undivided().show_object(namespace, name, row, table, reason)

    # --- what is shown ---

    @property
    def rows(self) -> Mapping[str, Row]:
        """By uid. Do not keep it: another one takes its place when other workers are followed."""
        return self._shown.rows

    @property
    def by_owner(self) -> UidLookup:
        return self._shown.by_owner

    @property
    def by_subject(self) -> UidLookup:
        return self._shown.by_subject

    @property
    def by_node(self) -> UidLookup:
        return self._shown.by_node

    @property
    def announced_from(self) -> float | None:
        return self._shown.announced_from

    @property
    def state(self) -> ReplicaState:
        return self._shown.state

    @property
    def stale_since(self) -> float | None:
        return self._shown.stale_since

    @property
    def table(self) -> TableDefinition | None:
        return self._shown.table

    @property
    def health(self) -> Health:
        return self._shown.health

    @property
    def is_unlisted(self) -> bool:
        return self._shown.is_unlisted

    @property
    def listed(self) -> ListedOnce | None:
        return self._shown.listed

    @property
    def awaited_seconds(self) -> float:
        return self._shown.awaited_seconds

    @property
    def outdated_shards(self) -> tuple[OutdatedShard, ...]:
        return self._shown.outdated_shards

    @property
    def gaps(self) -> int:
        """Gaps in what was shown, since the replica exists: no move lets this number fall."""
        return self._before.gaps + self._shown.gaps

    @property
    def gaps_healed(self) -> int:
        return self._before.gaps_healed + self._shown.gaps_healed

    @property
    def silences(self) -> int:
        return self._before.silences + _silences(self._shown)

    @property
    def silent_seconds(self) -> float:
        """Seconds since a worker was last heard of this resource; of several, the one that has been silent longest."""
        return max(replica.silent_seconds for replica in _counting(self._shown))

    @property
    def epoch(self) -> str:
        return self._shown.epoch

    @property
    def epochs(self) -> Mapping[str, bool]:
        return self._shown.epochs

    @property
    def shard_count(self) -> int:
        """Number of workers whose rows it has."""
        return len(_counting(self._shown))

    @property
    def seq(self) -> int:
        return self._shown.seq

    @property
    def is_live(self) -> bool:
        return self._shown.is_live

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each change. Returns a function that ends that."""
        return self._listeners.add(listener)

    def freshness_in(self, namespaces: Collection[str]) -> Freshness:
        """How current the rows of these namespaces are; of the empty one: those that belong to none."""
        return self._shown.freshness_in(namespaces)

    def get(self, namespace: str, name: str) -> Row | None:
        """The object's row, `namespace` empty where the kind has none."""
        return self._shown.get(namespace, name)

    def rows_in(self, namespace: str) -> Collection[Row]:
        """The rows of a namespace. Do not keep it: it changes with the rows."""
        return self._shown.rows_in(namespace)

    def find_by_name(self, text: str) -> Iterator[list[Row]]:
        """As ReplicaRows.find_by_name."""
        return self._shown.find_by_name(text)

    def possible_uids(self) -> list[str]:
        """The uids of all rows, as they are now: for work that looks at each in slices."""
        return self._shown.possible_uids()

    # --- divisions ---

    def _division(self, count: int) -> Division:
        """The replicas of `count` shards."""
        division = self._divisions.get(count)
        if division is None:
            replicas = tuple(Replica(self.key, self._clock, schedule=self._schedule) for _ in range(count))
            division = (
                JoinedReplica(self.key, replicas, is_namespaced=self._is_namespaced) if count > 1 else replicas[0]
            )
            self._divisions[count] = division
            division.on_change(lambda change: self._receive(count, division, change))
        return division

    def _receive(self, count: int, division: Division, change: Change) -> None:
        if (gap := gap_end(change)) is not None:
            self._gap_ends[count] = max(self._gap_ends.get(count, 0.0), min(gap, self._clock.time()))
        if self._comparison is not None and division in (self._shown, self._comparison.to):
            self._comparison.add_changed(change)
        if division is not self._shown:
            return
        if change.has_new_columns:
            self._register_columns()
        if not self._has_first and not change.is_first_snapshot and _is_complete(division) and division.listed is None:
            self._notify_first(division, change)
        else:
            self._notify(change)

    def _register_columns(self) -> None:
        """Let this process print the rows that are shown with their columns: those of others may have another table."""
        if (table := self._shown.table) is not None:
            register_columns(self.key, table)

    def _notify_first(self, division: Division, change: Change) -> None:
        """Pass on a change as the first snapshot, which was complete before the division was shown."""
        first = replace(change, entries=list(division.entries), missed_entries=0, unannounced=None)
        self._notify(replace(first, is_first_snapshot=True))
        begin, self._through = division.announced_from or 0.0, self._complete_from(division)
        if self._through > begin:
            self._notify(Change(unannounced=(begin, self._through)))

    def _notify(self, change: Change) -> None:
        entries = [each for each in change.entries if not self._recent.has_from_another(each)]
        is_first = change.is_first_snapshot and not self._has_first
        if (len(entries), is_first) != (len(change.entries), change.is_first_snapshot):
            change = replace(change, entries=entries, is_first_snapshot=is_first)
        self._has_first = self._has_first or is_first
        self.entries.extend(entries)
        self._recent.add(entries)
        self._listeners.notify(change)

    def _choose(self) -> None:
        """Show another division where that is better, once the rows of both are compared."""
        if len(self._divisions) > 1 and self._comparison is None:
            for count, division in [*self._divisions.items()]:
                if division is not self._shown and self._comparison is None and self._is_better(count, division):
                    self._comparison = ReplicaComparison(self._shown, division)
                    self._schedule(self._compare(count, self._comparison))

    def _compare(self, count: int, comparison: ReplicaComparison) -> SlicedWork:
        """Move where the other division is still better once it is compared with what is shown."""
        try:
            yield from comparison.run()
        finally:
            is_wanted = self._comparison is comparison
            if is_wanted:
                self._comparison = None
        is_wanted = is_wanted and self._divisions.get(count) is comparison.to
        if is_wanted and self._is_better(count, comparison.to):
            self._move(comparison)

    def _is_better(self, count: int, other: Division) -> bool:
        """Whether pages show more, or what is newer, with `other`, the division into `count`."""
        shown = self._shown
        if other.is_live:
            return not shown.is_live or (self._began_later(other) and self._overlaps(other))
        if shown.listed is not None:
            return False
        has_nothing = shown.state == "starting" and not shown.rows
        if has_nothing and (other.state == "live" or not self._was_heard(shown)):
            return count in self._heard
        if any(map(_is_heard, _counting(shown))):
            return False
        if has_nothing:
            return any(map(_is_heard, _counting(other)))
        return other.state == "live" and (not shown.rows or other.health.state not in UNLISTED_STATES)

    def _began_later(self, other: Division) -> bool:
        """Whether all its workers began after those that are shown."""
        return min(each.epoch for each in _counting(other)) > self._shown.epoch

    def _overlaps(self, other: Division) -> bool:
        """Whether everything was announced up to where its lines begin. Where not, the next heartbeats say so."""
        return self._announced_through() >= self._complete_from(other)

    def _announced_through(self) -> float:
        """Unix seconds up to which every change was announced, or is in a gap that was."""
        return max(self._through, min(replica.announced_through or 0.0 for replica in _counting(self._shown)))

    def _complete_from(self, division: Division) -> float:
        """Unix seconds from when on its lines are all changes."""
        moments = [division.announced_from or 0.0, self._gap_ends.get(len(_replicas(division)), 0.0)]
        for replica in _counting(division):
            first = next(iter(replica.entries), None)
            if first is not None and first.seq > 1 and len(replica.entries) == MAX_ENTRIES:
                moments.append(first.time)
        return max(moments)

    def _was_heard(self, division: Division) -> bool:
        return len(_replicas(division)) in self._heard

    def _move(self, comparison: ReplicaComparison) -> None:
        """Show the rows of the other division: listeners hear of those that differ, and of what was not announced."""
        to, through, table = comparison.to, self._announced_through(), self._shown.table
        rows = comparison.changes()
        self.rates.move(self._clock.time())
        self._before = self._before.moved(self._shown, to)
        self._shown = to
        has_new_columns = to.table != table
        if has_new_columns:
            self._register_columns()
        change = Change(rows, has_new_columns=has_new_columns, has_new_health=True)
        if not _is_complete(to):
            self._notify(change)
        elif not self._has_first:
            self._notify_first(to, change)
        else:
            entries = [each for each in to.entries if each.time > through - OVERLAP and not self._recent.has(each)]
            until = self._complete_from(to)
            self._through = max(through, until)
            self._notify(replace(change, entries=entries, unannounced=(through, until) if until > through else None))

    def _show_undivided(self) -> Replica:
        undivided = self._division(WHOLE.count)
        if undivided is not self._shown:
            self._comparison = None
            _replicas(undivided)[0].hold(self._shown.rows, self._shown.table)
            comparison = ReplicaComparison(self._shown, undivided)
            run_at_once(comparison.run())
            self._move(comparison)
        return _replicas(undivided)[0]


class _RecentChanges:
    """The changes that were announced last, of RECENT_SECONDS and at most MAX_RECENT: more than the lines that a
    division has.
    """

    def __init__(self) -> None:
        self._recent: OrderedDict[tuple[str, str], tuple[str, float]] = OrderedDict()
        """The epoch and the time of each."""
        self._newest = -math.inf

    def add(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._recent[change_id(entry)] = entry.epoch, entry.time
            self._newest = max(self._newest, entry.time)
        while self._recent and self._is_dropped(*next(iter(self._recent.values()))):
            self._recent.popitem(last=False)

    def _is_dropped(self, _epoch: str, time: float) -> bool:
        """Whether the oldest one is."""
        return len(self._recent) > MAX_RECENT or time < self._newest - RECENT_SECONDS

    def has(self, entry: Entry) -> bool:
        """Whether the change was announced."""
        return change_id(entry) in self._recent

    def has_from_another(self, entry: Entry) -> bool:
        """Whether the change was announced as another worker reported it."""
        epoch, _ = self._recent.get(change_id(entry), (entry.epoch, 0.0))
        return epoch != entry.epoch


@dataclass(frozen=True, slots=True)
class _Counts:
    """Numbers that only grow, as Prometheus expects it."""

    gaps: int = 0
    gaps_healed: int = 0
    silences: int = 0

    def moved(self, shown: Division, to: Division) -> _Counts:
        """Those with which the sums are the same when `to` is shown."""
        return _Counts(
            self.gaps + shown.gaps - to.gaps,
            self.gaps_healed + shown.gaps_healed - to.gaps_healed,
            self.silences + _silences(shown) - _silences(to),
        )


class _MovedRates:
    """Changes per second of what is shown; those of before a move as the workers of then counted them."""

    def __init__(self, shown: Callable[[], RecentRates]) -> None:
        self._shown = shown
        self._before: tuple[Rate, ...] = ()
        self._moved_at = float("-inf")

    def move(self, now: float) -> None:
        """Others are shown from Unix time `now` on."""
        self._before, self._moved_at = self.recent(now), float(int(now))

    def recent(self, now: float) -> tuple[Rate, ...]:
        """The seconds of the last 15 minutes before Unix time `now`, oldest first."""
        before = [rate for rate in self._before if int(now) - RATES_SECONDS < rate[0] < self._moved_at]
        return (*before, *(rate for rate in self._shown().recent(now) if rate[0] >= self._moved_at))


def _replicas(division: Division) -> tuple[Replica, ...]:
    return division.replicas if isinstance(division, JoinedReplica) else (division,)


def _counting(division: Division) -> tuple[Replica, ...]:
    """The replicas of the shards that can have objects of the kind."""
    return division.parts if isinstance(division, JoinedReplica) else (division,)


def _silences(division: Division) -> int:
    return sum(replica.silences for replica in _replicas(division))


def _is_heard(replica: Replica) -> bool:
    return replica.silent_seconds <= SILENCE_TIMEOUT


def _is_complete(division: Division) -> bool:
    """Whether it has a first snapshot."""
    return division.is_complete if isinstance(division, JoinedReplica) else division.state != "starting"


def _for_shard(request: SnapshotRequest | None, shard: Shard) -> SnapshotRequest | None:
    return msgspec.structs.replace(request, shard=shard) if request is not None else None
