"""Snapshots at the worker: a publisher's state, frozen and handed out chunk by chunk as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
    def health(self) -> Callable[[], Health]: ...


@dataclass
class Frozen:
    """The state after frame `seq`; rows are immutable, so freezing copies references only.

    `health` is of that moment too: a snapshot of half a list is not live because the list came while it was pulled.
    """

    name: str
    seq: int
    health: Health
    parts: list[list[Row]]
    entries: tuple[Entry, ...]
    rates: tuple[Rate, ...]
    dictionaries: tuple[bytes, ...]
    described: Described | None
    used: float


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
        frozen = self._frozen.get(ask.snapshot) if ask.snapshot else self._freeze(source)
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
    ) -> Chunk:
        head = (self._resource, self._epoch, seq, snapshot, index, total, health)
        return Chunk(*head, rows, entries, rates, dictionaries, described)

    def _freeze(self, source: Source) -> Frozen:
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
            parts=parts(source.rows.values()),
            entries=tuple(source.entries),
            rates=source.rates.list(self._clock.time()),
            dictionaries=source.dictionaries.all(),
            described=source.described,
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


def parts(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows cut into chunks; one empty chunk where there is no row, for it still carries the entries."""
    cut: list[list[Row]] = [[]]
    size = 0
    for row in rows:
        if len(cut[-1]) >= CHUNK_ROWS or size >= CHUNK_BYTES:
            cut.append([])
            size = 0
        cut[-1].append(row)
        size += weight(row)
    return cut
