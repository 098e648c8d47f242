"""History of the changes of all kinds in this process: bounded, compressed, newest first.

Entries of a kind are kept in chunks. The newest are kept as they came; a full chunk is compressed to about a sixth. In
all MAX_KEPT_ENTRIES and MAX_KEPT_BYTES are kept, no chunk longer than RETENTION; where there are more, the oldest chunk
of the kind with the most is dropped first, so that a very busy kind does not push out rare changes. The history knows
from when on it is complete.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
import zstandard

from dashboard.live.replication.change_rates import RATES_SECONDS, Rate
from dashboard.live.replication.entry_deduplicator import UnannouncedPeriod
from dashboard.live.replication.epoch import epoch_start
from dashboard.live.replication.messages import encoder
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.snapshot import entry_size
from dashboard.objects.kinds.feed_entry import Entry
from informerd.clock import Clock

MAX_KEPT_ENTRIES = 200_000
"""Maximum number of entries of all kinds: 10 to 20 MB."""
MAX_KEPT_BYTES = 100_000_000
"""Maximum bytes of the entries of all kinds before they are compressed, see entry_size: reading all of them takes a
quarter of a second at most. 200,000 entries reach it where they have more than 500 bytes each.
"""
RETENTION = 24 * 3600.0
"""Maximum age of an entry in seconds."""
CHUNK_SIZE = 250
CHUNK_BYTES = 500_000
"""A chunk ends with the entry that reaches either limit: reading one takes less than a millisecond, two at most where
texts are long or labels many.
"""
_FIRST_LIST = frozenset({"starting", "syncing"})
"""States of an informer that reads its first list."""
MAX_GAPS = 100
"""Gaps that are remembered of a kind."""

_decoder = msgspec.msgpack.Decoder(tuple[Entry, ...])
_compressor = zstandard.ZstdCompressor(level=1)
_decompressor = zstandard.ZstdDecompressor()


@dataclass(frozen=True, slots=True)
class HistoryChunk:
    """Some entries of one kind, in the order in which they came."""

    key: str
    first_at: float
    """Unix seconds of the earliest entry."""
    last: float
    """Unix seconds of the latest."""
    ordered_to: float
    """`ordered_at` of the newest, see Entry."""
    count: int
    size: int
    """Bytes of its entries before they are compressed."""
    compressed_entries: bytes
    """Compressed; empty where `plain_entries` has them."""
    plain_entries: tuple[Entry, ...] = ()

    def entries(self) -> tuple[Entry, ...]:
        return (
            _decoder.decode(_decompressor.decompress(self.compressed_entries))
            if self.compressed_entries
            else self.plain_entries
        )


@dataclass(slots=True)
class KindHistory:
    """The entries of one kind."""

    known_from: float = math.inf
    """Unix seconds from when on every change is in the history."""
    chunks: deque[HistoryChunk] = field(default_factory=deque)
    recent_entries: list[Entry] = field(default_factory=list)
    recent_size: int = 0
    """Bytes of `recent_entries`."""
    count: int = 0
    size: int = 0
    """Bytes of all its entries before they are compressed."""
    gaps: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=MAX_GAPS))
    """When it was noticed that entries are missing, and how many."""
    unannounced: deque[UnannouncedPeriod] = field(default_factory=lambda: deque(maxlen=MAX_GAPS))
    """Spans in which no worker reported changes, oldest first."""
    gap_reasons: dict[UnannouncedPeriod, str] = field(default_factory=dict)
    """Why nothing was recorded in those of the past."""


def join_periods(periods: Iterable[UnannouncedPeriod]) -> list[UnannouncedPeriod]:
    """The periods, oldest first, those that overlap as one."""
    joined: list[UnannouncedPeriod] = []
    for since, until in sorted(periods):
        if joined and since <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(until, joined[-1][1]))
        else:
            joined.append((since, until))
    return joined


class FeedHistory:
    """Changes of the given kinds, and of those that are added while they are followed.

    `add` gets every change of their replicas before views do: a view that opens at that moment finds it here.
    """

    def __init__(
        self, replicas: Iterable[ReadableReplica], clock: Clock, *, max_entries: int = MAX_KEPT_ENTRIES
    ) -> None:
        self._replicas = {replica.key: replica for replica in replicas}
        self._clock = clock
        self._most = max_entries
        self._count = 0
        self._size = 0
        self._logs: dict[str, KindHistory] = {}
        for replica in list(self._replicas.values()):
            self.follow(replica)

    def follow(self, replica: ReadableReplica) -> None:
        """Keep the changes of one more kind from now on, and those that its replica has."""
        self._replicas[replica.key] = replica
        self._logs[replica.key] = KindHistory()
        if replica.announced_from is not None or (replica.state != "starting" and replica.listed is None):
            self._start_history(replica, tuple(replica.entries))

    def unfollow(self, key: str) -> None:
        """Forget the changes of a kind, which is no longer followed."""
        del self._replicas[key]
        log = self._logs.pop(key)
        self._count -= log.count
        self._size -= log.size

    @property
    def most(self) -> int:
        """Maximum number of entries."""
        return self._most

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._logs)

    def replicas(self, keys: Iterable[str]) -> list[ReadableReplica]:
        """The replicas whose changes it gets."""
        return [self._replicas[key] for key in keys if key in self._replicas]

    def add(self, key: str, change: Change) -> None:
        """Add a change of a kind; changes of other kinds are ignored."""
        log = self._logs.get(key)
        if log is None:
            return
        has_news = change.entries or change.has_new_health
        if change.is_first_snapshot or (has_news and log.known_from == math.inf and change.unannounced is None):
            self._start_history(self._replicas[key], change.entries)
            return
        if change.unannounced is not None:
            self._add_untold(log, *change.unannounced)
            if change.gap_reason:
                log.gap_reasons[change.unannounced] = change.gap_reason
        if change.missed_entries:
            log.gaps.append((change.entries[0].time if change.entries else self._clock.time(), change.missed_entries))
        self._extend(key, log, change.entries)

    def known_from(self, keys: Iterable[str]) -> float:
        """Unix seconds from when on every change of these kinds is here; infinite while nothing is."""
        return max((self._logs[key].known_from for key in keys if key in self._logs), default=-math.inf)

    def complete_from(self, key: str) -> float:
        """Unix seconds from when on every change of this kind is here without a gap; infinite while nothing is."""
        log = self._logs.get(key)
        if log is None:
            return math.inf
        ends = [until for _, until in log.unannounced] + [moment for moment, _ in log.gaps]
        return max(log.known_from, *ends) if ends else log.known_from

    def entry_count(self, keys: Iterable[str]) -> int:
        """Number of entries of these kinds."""
        return sum(self._logs[key].count for key in keys if key in self._logs)

    def missed(self, keys: Iterable[str], begin: float, end: float) -> int:
        """Number of entries of these kinds that were lost within a span of time, as far as that is remembered."""
        gaps = (gap for key in keys if key in self._logs for gap in self._logs[key].gaps)
        return sum(many for moment, many in gaps if begin <= moment <= end)

    def unannounced_periods(self, keys: Iterable[str], begin: float, end: float) -> list[UnannouncedPeriod]:
        """Spans within a span of time in which no worker reported changes of one of these kinds; oldest first, no
        overlaps.
        """
        known = [self._logs[key] for key in keys if key in self._logs]
        return join_periods(
            (since, until) for log in known for since, until in log.unannounced if not (until < begin or since > end)
        )

    def gap_reason(self, key: str, moment: float) -> str:
        """Why nothing of a kind was recorded at a moment of the past, as a clause; empty where that is not known."""
        reasons = self._logs[key].gap_reasons if key in self._logs else {}
        return next((reason for (since, until), reason in reasons.items() if since <= moment <= until), "")

    def gap_times(self, keys: Iterable[str], begin: float, end: float) -> list[float]:
        """When it was noticed, within a span of time, that entries of these kinds are missing."""
        gaps = (gap for key in keys if key in self._logs for gap in self._logs[key].gaps)
        return [moment for moment, _ in gaps if begin <= moment <= end]

    def chunks(self, keys: Iterable[str], begin: float, end: float) -> list[HistoryChunk]:
        """Chunks of these kinds within a span of time, the chunk with the newest entry first.

        The first and the last chunk of a kind may have entries from outside the span.
        """
        chunks = [piece for key in keys for piece in self._of(key) if piece.last >= begin and piece.first_at <= end]
        return sorted(chunks, key=lambda piece: (piece.ordered_to, piece.key), reverse=True)

    def rates(self, keys: Iterable[str], now: float) -> Iterator[Rate]:
        """Counts by second of the last 15 minutes, as the worker counted them, including entries that were lost."""
        for replica in self.replicas(keys):
            yield from replica.rates.recent(now)

    def rates_from(self, keys: Iterable[str], now: float) -> float:
        """Unix seconds from when on `rates` has every change of these kinds, the whole second of the start included."""
        began = max((epoch_start(replica.epoch, now) for replica in self.replicas(keys)), default=now)
        return max(now - RATES_SECONDS + 1, math.floor(began))

    def _of(self, key: str) -> Iterator[HistoryChunk]:
        log = self._logs.get(key)
        if log is None:
            return
        yield from log.chunks
        if log.recent_entries:
            yield _chunk(key, log.recent_entries, log.recent_size, plain_entries=tuple(log.recent_entries))

    def _start_history(self, replica: ReadableReplica, entries: Iterable[Entry]) -> None:
        """The first message about a kind: all that the worker ever reported, or the newest part of it. While the worker
        reads its first list, no change is known: what comes before the list's end is in it, and reported by nobody.
        """
        log, first = self._logs[replica.key], list(entries)
        began = replica.announced_from or epoch_start(replica.epoch, self._clock.time())
        if first:
            log.known_from = first[0].time if first[0].seq > 1 else min(began, first[0].time)
        elif replica.announced_from is not None or replica.health.state not in _FIRST_LIST:
            log.known_from = began
        self._extend(replica.key, log, first)

    def _add_untold(self, log: KindHistory, since: float, until: float) -> None:
        """Add a span without reports. Where nothing was known before, the history begins at its end."""
        if since:
            log.unannounced.append((since, until))
        else:
            log.known_from = until if log.known_from == math.inf else max(log.known_from, until)

    def _extend(self, key: str, log: KindHistory, entries: list[Entry]) -> None:
        for each in entries:
            size = entry_size(each)
            log.recent_entries.append(each)
            log.recent_size += size
            self._add_totals(log, 1, size)
            if len(log.recent_entries) >= CHUNK_SIZE or log.recent_size >= CHUNK_BYTES:
                self._compress_recent(key, log)
        self._forget()

    def _compress_recent(self, key: str, log: KindHistory) -> None:
        full, log.recent_entries = log.recent_entries, []
        size, log.recent_size = log.recent_size, 0
        packed = _compressor.compress(encoder.encode(full))
        log.chunks.append(_chunk(key, full, size, bytes(memoryview(packed))))

    def _forget(self) -> None:
        oldest = self._clock.time() - RETENTION
        for log in self._logs.values():
            while log.chunks and log.chunks[0].last < oldest:
                self._drop(log)
        while self._count > self._most:
            largest = max(self._logs.values(), key=lambda log: log.count)
            if not largest.chunks:
                break  # some entries of each kind only
            self._drop(largest)
        while self._size > MAX_KEPT_BYTES:
            largest = max(self._logs.values(), key=lambda log: log.size)
            if not largest.chunks:
                break
            self._drop(largest)

    def _drop(self, log: KindHistory) -> None:
        piece = log.chunks.popleft()
        self._add_totals(log, -piece.count, -piece.size)
        log.known_from = max(log.known_from, math.nextafter(piece.last, math.inf))

    def _add_totals(self, log: KindHistory, count: int, size: int) -> None:
        log.count += count
        log.size += size
        self._count += count
        self._size += size


def _chunk(
    key: str, entries: list[Entry], size: int, compressed: bytes = b"", plain_entries: tuple[Entry, ...] = ()
) -> HistoryChunk:
    times = [entry.time for entry in entries]
    ordered_to = max(entry.ordered_at for entry in entries)
    return HistoryChunk(key, min(times), max(times), ordered_to, len(entries), size, compressed, plain_entries)
