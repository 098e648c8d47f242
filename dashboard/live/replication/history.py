"""What this process remembers of the changes of all kinds, for spans of time: bounded, compressed, newest first.

Entries of a kind are kept in chunks. The newest are as they came; a chunk that is full is compressed to about a sixth.
MOST entries are kept in all, none longer than KEPT_FOR; where there are more, the oldest of the kind with the most goes
first, so that a kind that is furious does not push out what is rare. From when on everything is known is known.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec
import zstandard

from dashboard.live.change import Change
from dashboard.live.messages import Entry, encoder
from dashboard.live.rates import SPAN, Rate
from dashboard.live.replica import Replica
from dashboard.live.telling import Untold
from informerd.clock import Clock

MOST = 200_000
"""Entries kept at most, of all kinds: 10 to 20 MB."""
KEPT_FOR = 24 * 3600.0
"""Seconds that an entry is kept at most."""
CHUNK = 250
"""Entries of a chunk: reading one takes less than a millisecond."""
HOLES = 100
"""Holes that are remembered of a kind."""

_decoder = msgspec.msgpack.Decoder(tuple[Entry, ...])
_compressor = zstandard.ZstdCompressor(level=1)
_decompressor = zstandard.ZstdDecompressor()


@dataclass(frozen=True, slots=True)
class Piece:
    """Some entries of one kind, in the order in which they came; `first` and `last` are Unix seconds."""

    key: str
    first: float
    last: float
    count: int
    packed: bytes
    """Compressed; empty where `fresh` has them."""
    fresh: tuple[Entry, ...] = ()

    def entries(self) -> tuple[Entry, ...]:
        return _decoder.decode(_decompressor.decompress(self.packed)) if self.packed else self.fresh


@dataclass(slots=True)
class KindLog:
    """The entries of one kind."""

    known_from: float = math.inf
    """Unix seconds from when on every change is here."""
    pieces: deque[Piece] = field(default_factory=deque)
    fresh: list[Entry] = field(default_factory=list)
    count: int = 0
    holes: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=HOLES))
    """When it was noticed that entries are missing, and how many."""
    untold: deque[Untold] = field(default_factory=lambda: deque(maxlen=HOLES))
    """When no worker told what changed, oldest first."""


class FeedLog:
    """The changes of these kinds.

    `add` is told of every change of their replicas, before views are: one that opens at that moment finds it here.
    """

    def __init__(self, replicas: Iterable[Replica], clock: Clock, *, most: int = MOST) -> None:
        self._replicas = {replica.key: replica for replica in replicas}
        self._clock = clock
        self._most = most
        self._count = 0
        self._logs = {key: KindLog() for key in self._replicas}
        for key, replica in self._replicas.items():
            if replica.state != "starting":
                self._begin(key, tuple(replica.entries))

    @property
    def most(self) -> int:
        """Entries kept at most."""
        return self._most

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._logs)

    def replicas(self, keys: Iterable[str]) -> list[Replica]:
        """Those of which it is told."""
        return [self._replicas[key] for key in keys]

    def add(self, key: str, change: Change) -> None:
        """Take in what changed in a kind; of others than its own nothing is kept."""
        log = self._logs.get(key)
        if log is None:
            return
        if change.reset or (change.entries and log.known_from == math.inf):
            self._begin(key, change.entries)
            return
        if change.untold is not None:
            self._add_untold(log, *change.untold)
        if change.missed:
            log.holes.append((change.entries[0].time if change.entries else self._clock.time(), change.missed))
        self._extend(key, log, change.entries)

    def known_from(self, keys: Iterable[str]) -> float:
        """Unix seconds from when on every change of these kinds is here; infinite while nothing is."""
        return max((self._logs[key].known_from for key in keys), default=-math.inf)

    def count(self, keys: Iterable[str]) -> int:
        """Entries that are kept of these kinds."""
        return sum(self._logs[key].count for key in keys)

    def missed(self, keys: Iterable[str], begin: float, end: float) -> int:
        """Entries of these kinds that were lost on their way within a span of time, as far as that is remembered."""
        return sum(many for key in keys for moment, many in self._logs[key].holes if begin <= moment <= end)

    def untold(self, keys: Iterable[str], begin: float, end: float) -> list[Untold]:
        """When, within a span of time, nobody told what changed in one of these kinds; oldest first, none overlap."""
        found: list[Untold] = []
        for since, until in sorted(span for key in keys for span in self._logs[key].untold):
            if until < begin or since > end:
                continue
            if found and since <= found[-1][1]:
                since, until = found[-1][0], max(until, found.pop()[1])
            found.append((since, until))
        return found

    def pieces(self, keys: Iterable[str], begin: float, end: float) -> list[Piece]:
        """What there is of these kinds within a span of time, the piece with the newest entry first.

        The first and the last of a kind may have entries from beyond the span.
        """
        found = [piece for key in keys for piece in self._of(key) if piece.last >= begin and piece.first <= end]
        return sorted(found, key=lambda piece: (piece.last, piece.key), reverse=True)

    def rates(self, keys: Iterable[str], now: float) -> Iterator[Rate]:
        """Counts by second of the last 15 minutes, as the worker counted them, whatever was lost on the way."""
        for key in keys:
            yield from self._replicas[key].rates.list(now)

    def rates_from(self, keys: Iterable[str], now: float) -> float:
        """Unix seconds from when on `rates` has every change of these kinds."""
        began = max((_began(self._replicas[key].epoch, now) for key in keys), default=now)
        return max(now - SPAN + 1, began)

    def _of(self, key: str) -> Iterator[Piece]:
        log = self._logs[key]
        yield from log.pieces
        if log.fresh:
            yield Piece(key, log.fresh[0].time, log.fresh[-1].time, len(log.fresh), b"", tuple(log.fresh))

    def _begin(self, key: str, entries: Iterable[Entry]) -> None:
        """The first word on a kind: all that the worker ever told, or the newest of it."""
        log, first = self._logs[key], list(entries)
        replica = self._replicas[key]
        began = replica.told_from or _began(replica.epoch, self._clock.time())
        log.known_from = first[0].time if first and first[0].seq > 1 else min(began, first[0].time) if first else began
        self._extend(key, log, first)

    def _add_untold(self, log: KindLog, since: float, until: float) -> None:
        """Where nothing was known before, it is known from then on."""
        if since:
            log.untold.append((since, until))
        elif log.known_from < math.inf:
            log.known_from = max(log.known_from, until)

    def _extend(self, key: str, log: KindLog, entries: list[Entry]) -> None:
        log.fresh.extend(entries)
        log.count += len(entries)
        self._count += len(entries)
        while len(log.fresh) >= CHUNK:
            full, log.fresh = log.fresh[:CHUNK], log.fresh[CHUNK:]
            packed = _compressor.compress(encoder.encode(full))
            log.pieces.append(Piece(key, full[0].time, full[-1].time, len(full), bytes(memoryview(packed))))
        self._forget()

    def _forget(self) -> None:
        oldest = self._clock.time() - KEPT_FOR
        for log in self._logs.values():
            while log.pieces and log.pieces[0].last < oldest:
                self._drop(log)
        while self._count > self._most:
            largest = max(self._logs.values(), key=lambda log: log.count)
            if not largest.pieces:
                return  # some entries of each kind only
            self._drop(largest)

    def _drop(self, log: KindLog) -> None:
        piece = log.pieces.popleft()
        log.count -= piece.count
        self._count -= piece.count
        log.known_from = max(log.known_from, math.nextafter(piece.last, math.inf))


def _began(epoch: str, now: float) -> float:
    """When a worker began, which its epoch says; `now` where it does not."""
    digits = epoch[:13]
    return min(int(digits) / 1000, now) if digits.isdecimal() else now
