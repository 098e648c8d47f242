"""Interface by which pages read the feed's history: the shared one, or its visible part (scoped_history.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from dashboard.live.replication.change_rates import Rate
from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.feed_entry import Entry


class ReadableChunk(Protocol):
    """Some entries of one kind, in the order in which they came. See HistoryChunk."""

    @property
    def key(self) -> str: ...
    @property
    def first_at(self) -> float: ...
    @property
    def last(self) -> float: ...
    @property
    def ordered_to(self) -> float: ...

    def entries(self) -> Sequence[Entry]: ...


class ReadableHistory(Protocol):
    """Changes of the followed kinds. See FeedHistory for the methods."""

    @property
    def most(self) -> int: ...
    @property
    def keys(self) -> tuple[str, ...]: ...

    def replicas(self, keys: Iterable[str]) -> list[ReadableReplica]: ...

    def known_from(self, keys: Iterable[str]) -> float: ...

    def complete_from(self, key: str) -> float: ...

    def entry_count(self, keys: Iterable[str]) -> int | None:
        """Number of entries of these kinds; None where it is not known how many of them are visible."""

    def missed(self, keys: Iterable[str], begin: float, end: float) -> int: ...

    def unannounced_periods(self, keys: Iterable[str], begin: float, end: float) -> list[UnannouncedPeriod]: ...

    def gap_reason(self, key: str, moment: float) -> str: ...

    def chunks(self, keys: Iterable[str], begin: float, end: float) -> Sequence[ReadableChunk]: ...

    def rates(self, keys: Iterable[str], now: float) -> Iterator[Rate]: ...

    def rates_from(self, keys: Iterable[str], now: float) -> float: ...
