"""Snapshots in the worker: a publisher's state, frozen and sent chunk by chunk on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from dashboard.live.replication.change_rates import Rate, Rates
from dashboard.live.replication.compression_dictionaries import AnnouncedDictionaries
from dashboard.live.replication.messages import UNENCODABLE, SnapshotChunk, SnapshotRequest, encoder
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.health import Health
from informerd.clock import Clock

CHUNK_ROWS = 500
CHUNK_BYTES = 400_000
"""A chunk ends with the row that exceeds either limit; one object of the API server's 1.5 MB limit still fits a
layer.
"""
MAX_ENTRY_BYTES = 8_000_000
"""Bytes of a snapshot's entries; those beyond count as missed, as those do that the publisher no longer has."""
SNAPSHOT_TTL = 30.0
"""Seconds that a frozen snapshot is kept after its last request."""
STEP = 500
"""Rows that are split in one step."""
PAIR_BYTES = 20
"""What a label or field of an entry counts besides its texts: small texts take more memory and time than their bytes
say.
"""
_KEPT_AT_MOST = 64
"""More than there are web processes: dropping a snapshot that is still pulled would make its replica start again, for
ever.
"""


class SnapshotSource(Protocol):
    """State to freeze: a publisher."""

    @property
    def seq(self) -> int: ...

    @property
    def rows(self) -> dict[str, Row]: ...

    @property
    def entries(self) -> Iterable[Entry]: ...

    @property
    def rates(self) -> Rates: ...

    @property
    def dictionaries(self) -> AnnouncedDictionaries: ...

    @property
    def table(self) -> TableDefinition | None: ...

    @property
    def announced_from(self) -> float | None: ...

    @property
    def health(self) -> Callable[[], Health]: ...


@dataclass
class Snapshot:
    """State after frame `seq`; rows are immutable, so freezing copies references only.

    `health` is of that moment too: a snapshot of half a list is not live because the list came while it was pulled.
    """

    name: str
    seq: int
    health: Health
    rows: list[Row]
    entries: tuple[Entry, ...]
    rates: tuple[Rate, ...]
    dictionaries: tuple[bytes, ...]
    table: TableDefinition | None
    announced_from: float | None
    last_used_at: float
    chunks: list[list[Row]] = field(default_factory=lambda: [[]])
    """Parts of `rows`, as far as they are split; one empty part where there are no rows, for it still carries
    the entries.
    """
    _size: int = 0
    _cut: int = 0

    @property
    def is_split(self) -> bool:
        return self._cut == len(self.rows)

    async def split(self) -> None:
        """Split the rows into parts, a few at a time, so that other tasks run in between."""
        while not self.is_split:
            self._drop_oldest(STEP)
            await asyncio.sleep(0)

    def split_all(self) -> None:
        """Split what is not split yet."""
        self._drop_oldest(len(self.rows))

    def _drop_oldest(self, number: int) -> None:
        for row in self.rows[self._cut : self._cut + number]:
            if len(self.chunks[-1]) >= CHUNK_ROWS or self._size >= CHUNK_BYTES:
                self.chunks.append([])
                self._size = 0
            self.chunks[-1].append(row)
            self._size += row_size(row)
        self._cut = min(self._cut + number, len(self.rows))


class SnapshotStore:
    """Frozen snapshots of one publisher. Replicas that ask at the same time share one."""

    def __init__(self, resource: str, epoch: str, clock: Clock, shard: Shard = WHOLE) -> None:
        self._resource = resource
        self._epoch = epoch
        self._shard = shard
        self._clock = clock
        self._frozen: dict[str, Snapshot] = {}
        self._count = 0

    def chunk(self, ask: SnapshotRequest, source: SnapshotSource) -> SnapshotChunk:
        """The requested chunk; `total` is 0 where its snapshot has expired."""
        self._expire()
        frozen = self._frozen.get(ask.snapshot) if ask.snapshot else self.freeze(source)
        if frozen is not None and not frozen.is_split:
            frozen.split_all()
        if frozen is None or not 0 <= ask.index < len(frozen.chunks):
            return self._chunk(ask.snapshot, source.seq, ask.index, 0, source.health())
        frozen.last_used_at = self._clock.now()
        total = len(frozen.chunks)
        last = ask.index == total - 1
        return self._chunk(
            frozen.name,
            frozen.seq,
            ask.index,
            total,
            frozen.health,
            rows=tuple(frozen.chunks[ask.index]),
            entries=frozen.entries if last else (),
            rates=frozen.rates if last else (),
            dictionaries=() if ask.index else frozen.dictionaries,
            described=None if ask.index else frozen.table,
            told_from=None if ask.index else frozen.announced_from,
        )

    def _chunk(
        self,
        snapshot: str,
        seq: int,
        index: int,
        total: int,
        health: Health,
        *,
        rows: tuple[Row, ...] = (),
        entries: tuple[Entry, ...] = (),
        rates: tuple[Rate, ...] = (),
        dictionaries: tuple[bytes, ...] = (),
        described: TableDefinition | None = None,
        told_from: float | None = None,
    ) -> SnapshotChunk:
        head = (self._resource, self._epoch, seq, snapshot, index, total, health)
        return SnapshotChunk(*head, rows, entries, rates, dictionaries, described, told_from, self._shard)

    def freeze(self, source: SnapshotSource) -> Snapshot:
        """The present state of `source`, which must have nothing pending."""
        for frozen in self._frozen.values():
            if frozen.seq == source.seq:
                frozen.health = source.health()
                return frozen
        self._count += 1
        name = f"{self._epoch}.{self._count}"
        frozen = Snapshot(
            name=name,
            seq=source.seq,
            health=source.health(),
            rows=list(source.rows.values()),
            entries=_newest(tuple(source.entries)),
            rates=source.rates.recent(self._clock.time()),
            dictionaries=source.dictionaries.all(),
            table=source.table,
            announced_from=source.announced_from,
            last_used_at=self._clock.now(),
        )
        self._frozen[name] = frozen
        while len(self._frozen) > _KEPT_AT_MOST:
            del self._frozen[min(self._frozen, key=lambda each: self._frozen[each].last_used_at)]
        return frozen

    def _expire(self) -> None:
        oldest = self._clock.now() - SNAPSHOT_TTL
        for name in [name for name, frozen in self._frozen.items() if frozen.last_used_at < oldest]:
            del self._frozen[name]


def row_size(row: Row) -> int:
    """Bytes of a row in a message; of one that none can carry, those without the cells, which its placeholder has not.

    Encoding it takes less time than a sum of the lengths of its texts, and misses no field.
    """
    try:
        return len(encoder.encode(row))
    except UNENCODABLE:
        return row_size(msgspec.structs.replace(row, cells=())) if row.cells else CHUNK_BYTES


def entry_size(entry: Entry) -> int:
    """Bytes of an entry in a message, and PAIR_BYTES for each label and field."""
    return len(encoder.encode(entry)) + PAIR_BYTES * (len(entry.labels) + len(entry.fields))


def _newest(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The newest entries, up to MAX_ENTRY_BYTES."""
    size = 0
    for kept, entry in enumerate(reversed(entries)):
        size += entry_size(entry)
        if size > MAX_ENTRY_BYTES:
            return entries[len(entries) - kept :]
    return entries
