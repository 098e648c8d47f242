"""Interface by which pages read a replica: the shared one, or its visible part (scoped_replica.py)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Reversible
from dataclasses import dataclass
from typing import Literal, Protocol

from dashboard.live.replication.change_rates import Rate
from dashboard.live.replication.replica_change import Listener
from dashboard.live.replication.unwatched_list import ListedOnce
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.shard import Shard
from informerd.cache.health import Health, State

ReplicaState = Literal["starting", "live", "stale"]
ShardProblem = Literal["starting", "restarted", "silent"] | State
"""Why a shard is not live: its worker is waited for, has not listed yet, or is not heard; else its health's state."""


@dataclass(frozen=True, slots=True)
class OutdatedShard:
    """One of a kind's shards that is not live, while others are or have another problem."""

    shard: Shard
    namespaces: tuple[str, ...]
    """The namespaces of its rows, sorted."""
    problem: ShardProblem = "silent"
    has_live_others: bool = True
    """Whether there is a shard that is live."""


class UidLookup(Protocol):
    """Finds rows by a name that they have."""

    def __bool__(self) -> bool:
        """False where it finds nothing, whatever the name; where it is true there may be nothing, too."""

    def uids_of(self, name: str) -> Collection[str]:
        """The uids of the rows that have this name, in no order. Do not keep it: it may change with the rows."""

    def possible_uids_of(self, name: str) -> Collection[str]:
        """The same, with those of some rows that are not visible: for work that looks at each in slices."""


class FeedLines(Reversible[Entry], Collection[Entry], Protocol):
    """Lines of the feed, oldest first."""


class RecentRates(Protocol):
    """Changes per second."""

    def recent(self, now: float) -> tuple[Rate, ...]:
        """The seconds of the last 15 minutes before Unix time `now`, oldest first."""


class Freshness(Protocol):
    """How current rows are. See Replica for the attributes."""

    @property
    def state(self) -> ReplicaState: ...
    @property
    def stale_since(self) -> float | None: ...
    @property
    def health(self) -> Health: ...
    @property
    def is_unlisted(self) -> bool: ...
    @property
    def is_live(self) -> bool: ...
    @property
    def outdated_shards(self) -> tuple[OutdatedShard, ...]: ...


class ReadableReplica(Protocol):
    """One resource's rows, feed lines and rates, and how current they are. See Replica for the attributes."""

    @property
    def key(self) -> str: ...
    @property
    def rows(self) -> Mapping[str, Row]: ...
    @property
    def by_owner(self) -> UidLookup: ...
    @property
    def by_subject(self) -> UidLookup: ...
    @property
    def by_node(self) -> UidLookup: ...
    @property
    def entries(self) -> FeedLines: ...
    @property
    def rates(self) -> RecentRates: ...
    @property
    def announced_from(self) -> float | None: ...
    @property
    def state(self) -> ReplicaState: ...
    @property
    def stale_since(self) -> float | None: ...
    @property
    def table(self) -> TableDefinition | None: ...
    @property
    def health(self) -> Health: ...
    @property
    def is_partial(self) -> bool: ...
    @property
    def is_hidden(self) -> bool: ...
    @property
    def is_unlisted(self) -> bool: ...
    @property
    def is_requested(self) -> bool: ...
    @property
    def listed(self) -> ListedOnce | None: ...
    @property
    def gaps(self) -> int: ...
    @property
    def gaps_healed(self) -> int: ...
    @property
    def epoch(self) -> str: ...
    @property
    def epochs(self) -> Mapping[str, bool]: ...
    @property
    def seq(self) -> int: ...
    @property
    def is_live(self) -> bool: ...
    @property
    def awaited_seconds(self) -> float: ...
    @property
    def outdated_shards(self) -> tuple[OutdatedShard, ...]: ...

    def on_change(self, listener: Listener) -> Callable[[], None]: ...

    def freshness_in(self, namespaces: Collection[str]) -> Freshness:
        """How current the rows of these namespaces are; of the empty one: those that belong to none."""

    def get(self, namespace: str, name: str) -> Row | None: ...

    def rows_in(self, namespace: str) -> Collection[Row]: ...

    def find_by_name(self, text: str) -> Iterator[list[Row]]: ...

    def possible_uids(self) -> list[str]: ...
