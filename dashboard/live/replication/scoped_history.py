"""The visible part of the shared feed history: the entries that somebody's rights include. It keeps none itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dashboard.live.replication.change_rates import RATES_SECONDS, Rate
from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.feed_history import FeedHistory, join_periods
from dashboard.live.replication.readable_history import ReadableChunk
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.scoped_replicas import ScopedReplicas
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.runtime.time_slicing import SlicedWork


@dataclass(frozen=True, slots=True)
class VisibleChunk:
    """The visible entries of a chunk; they are found when they are read."""

    chunk: ReadableChunk
    sees_entry: Callable[[Entry], bool]

    @property
    def key(self) -> str:
        return self.chunk.key

    @property
    def first_at(self) -> float:
        return self.chunk.first_at

    @property
    def last(self) -> float:
        return self.chunk.last

    @property
    def ordered_to(self) -> float:
        return self.chunk.ordered_to

    def entries(self) -> tuple[Entry, ...]:
        return tuple(filter(self.sees_entry, self.chunk.entries()))


class ScopedHistory:
    """The changes of `base` that are of objects of `replicas`. It says when changes were lost, and not how many.

    Call `count_rates` with each scoped replica when it is made.
    """

    def __init__(self, base: FeedHistory, replicas: ScopedReplicas) -> None:
        self._base = base
        self._replicas = replicas
        self._counting: set[str] = set()
        """Kinds whose earlier changes are being counted."""

    @property
    def most(self) -> int:
        return self._base.most

    @property
    def keys(self) -> tuple[str, ...]:
        return self._base.keys

    def replicas(self, keys: Iterable[str]) -> list[ReadableReplica]:
        return [self._replicas.get(replica.key) for replica in self._base.replicas(keys)]

    def known_from(self, keys: Iterable[str]) -> float:
        return self._base.known_from(keys)

    def complete_from(self, key: str) -> float:
        return self._base.complete_from(key)

    def entry_count(self, keys: Iterable[str]) -> int | None:
        keys = tuple(keys)
        return None if self._scoped_keys(keys) else self._base.entry_count(keys)

    def missed(self, keys: Iterable[str], begin: float, end: float) -> int:
        return self._base.missed(self._whole_keys(keys), begin, end)

    def unannounced_periods(self, keys: Iterable[str], begin: float, end: float) -> list[UnannouncedPeriod]:
        keys = [replica.key for replica in self.replicas(keys) if not replica.is_hidden]
        lost = [(at, at) for at in self._base.gap_times(self._scoped_keys(keys), begin, end)]
        return join_periods([*self._base.unannounced_periods(keys, begin, end), *lost])

    def gap_reason(self, key: str, moment: float) -> str:
        return self._base.gap_reason(key, moment)

    def chunks(self, keys: Iterable[str], begin: float, end: float) -> list[ReadableChunk]:
        return [self._visible(chunk) for chunk in self._base.chunks(keys, begin, end)]

    def rates(self, keys: Iterable[str], now: float) -> Iterator[Rate]:
        for replica in self.replicas(keys):
            yield from replica.rates.recent(now)

    def rates_from(self, keys: Iterable[str], now: float) -> float:
        """Rates of a part of a kind are counted from its entries, so from when on these are known; infinite until they
        are counted.
        """
        keys = tuple(keys)
        if not self._counting.isdisjoint(keys):
            return math.inf
        scoped = self._scoped_keys(keys)
        begin = self._base.rates_from(keys, now)
        return max(begin, self._base.known_from(scoped)) if scoped else begin

    def count_rates(self, replica: ScopedReplica, now: float) -> SlicedWork:
        """Count the visible changes of the last 15 minutes before Unix time `now`; later ones the replica counts."""
        self._counting.add(replica.key)
        chunks = self._base.chunks([replica.key], now - RATES_SECONDS, now)

        def work() -> SlicedWork:
            for chunk in chunks:
                replica.count_rates(filter(replica.visibility.sees_entry, chunk.entries()))
                yield None
            self._counting.discard(replica.key)

        return work()

    def _visible(self, chunk: ReadableChunk) -> ReadableChunk:
        replica = self._replicas.get(chunk.key)
        return VisibleChunk(chunk, replica.visibility.sees_entry) if isinstance(replica, ScopedReplica) else chunk

    def _scoped_keys(self, keys: Iterable[str]) -> list[str]:
        return [replica.key for replica in self.replicas(keys) if isinstance(replica, ScopedReplica)]

    def _whole_keys(self, keys: Iterable[str]) -> list[str]:
        return [replica.key for replica in self.replicas(keys) if not isinstance(replica, ScopedReplica)]
