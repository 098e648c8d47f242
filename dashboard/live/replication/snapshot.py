"""Snapshots at the worker: a publisher's state, frozen and handed out chunk by chunk as it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from dashboard.live.dictionaries import Announced
from dashboard.live.messages import Ask, Chunk, Described, Entry, Row
from dashboard.live.rates import Rate, Rates
from informerd.cache.health import Health
from informerd.clock import Clock

CHUNK_ROWS = 500
CHUNK_BYTES = 400_000
"""A chunk is closed by the row that passes either; one object of the API server's 1.5 MB limit still fits a layer."""
KEPT = 30.0
"""Seconds for which a frozen snapshot is kept after it was last asked for."""
STEP = 2_000
"""Rows that are cut at a time."""
_ROW_OVERHEAD = 300
_KEPT_AT_MOST = 64
"""More than there are web processes: were one dropped that is still pulled, its replica would begin again, for ever."""


class Source(Protocol):
    """What is frozen: a publisher."""

    @property
    def seq(self) -> int: ...

    @property
    def rows(self) -> dict[str, Row]: ...

    @property
    def entries(self) -> Iterable[Entry]: ...

    @property
    def rates(self) -> Rates: ...

    @property
    def dictionaries(self) -> Announced: ...

    @property
    def described(self) -> Described | None: ...

    @property
    def told_from(self) -> float | None: ...

    @property
    def health(self) -> Callable[[], Health]: ...


@dataclass
class Frozen:
    """The state after frame `seq`; rows are immutable, so freezing copies references only.

    `health` is of that moment too: a snapshot of half a list is not live because the list came while it was pulled.
    """

    name: str
    seq: int
    health: Health
    rows: list[Row]
    entries: tuple[Entry, ...]
    rates: tuple[Rate, ...]
    dictionaries: tuple[bytes, ...]
    described: Described | None
    told_from: float | None
    used: float
    parts: list[list[Row]] = field(default_factory=lambda: [[]])
    """Of `rows`, as far as they are cut; one empty part where there is no row, for it still carries the entries."""
    _size: int = 0
    _cut: int = 0

    @property
    def is_cut(self) -> bool:
        return self._cut == len(self.rows)

    async def cut(self) -> None:
        """Cut the rows into parts, a few at a time, so that others live in between."""
        while not self.is_cut:
            self._cut_some(STEP)
            await asyncio.sleep(0)

    def cut_all(self) -> None:
        """Cut what is not cut yet."""
        self._cut_some(len(self.rows))

    def _cut_some(self, number: int) -> None:
        for row in self.rows[self._cut : self._cut + number]:
            if len(self.parts[-1]) >= CHUNK_ROWS or self._size >= CHUNK_BYTES:
                self.parts.append([])
                self._size = 0
            self.parts[-1].append(row)
            self._size += weight(row)
        self._cut = min(self._cut + number, len(self.rows))


class Snapshots:
    """The frozen snapshots of one publisher. Replicas that ask in the same moment share one."""

    def __init__(self, resource: str, epoch: str, clock: Clock) -> None:
        self._resource = resource
        self._epoch = epoch
        self._clock = clock
        self._frozen: dict[str, Frozen] = {}
        self._count = 0

    def chunk(self, ask: Ask, source: Source) -> Chunk:
        """The chunk asked for; `total` is 0 where the snapshot it names is not kept any more."""
        self._expire()
        frozen = self._frozen.get(ask.snapshot) if ask.snapshot else self.freeze(source)
        if frozen is not None and not frozen.is_cut:
            frozen.cut_all()
        if frozen is None or not 0 <= ask.index < len(frozen.parts):
            return self._chunk(ask.snapshot, source.seq, ask.index, 0, source.health())
        frozen.used = self._clock.now()
        total = len(frozen.parts)
        last = ask.index == total - 1
        return self._chunk(
            frozen.name,
            frozen.seq,
            ask.index,
            total,
            frozen.health,
            rows=tuple(frozen.parts[ask.index]),
            entries=frozen.entries if last else (),
            rates=frozen.rates if last else (),
            dictionaries=() if ask.index else frozen.dictionaries,
            described=None if ask.index else frozen.described,
            told_from=None if ask.index else frozen.told_from,
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
        described: Described | None = None,
        told_from: float | None = None,
    ) -> Chunk:
        head = (self._resource, self._epoch, seq, snapshot, index, total, health)
        return Chunk(*head, rows, entries, rates, dictionaries, described, told_from)

    def freeze(self, source: Source) -> Frozen:
        """The state of `source` at this moment; nothing of it may be pending."""
        for frozen in self._frozen.values():
            if frozen.seq == source.seq:
                frozen.health = source.health()
                return frozen
        self._count += 1
        name = f"{self._epoch}.{self._count}"
        frozen = Frozen(
            name=name,
            seq=source.seq,
            health=source.health(),
            rows=list(source.rows.values()),
            entries=tuple(source.entries),
            rates=source.rates.list(self._clock.time()),
            dictionaries=source.dictionaries.all(),
            described=source.described,
            told_from=source.told_from,
            used=self._clock.now(),
        )
        self._frozen[name] = frozen
        while len(self._frozen) > _KEPT_AT_MOST:
            del self._frozen[min(self._frozen, key=lambda each: self._frozen[each].used)]
        return frozen

    def _expire(self) -> None:
        oldest = self._clock.now() - KEPT
        for name in [name for name, frozen in self._frozen.items() if frozen.used < oldest]:
            del self._frozen[name]


def weight(row: Row) -> int:
    """About how many bytes a row takes in a message."""
    return _ROW_OVERHEAD + (len(row.blob.data) if row.blob is not None else 0)
