"""One pull of a snapshot by a replica: chunk after chunk, while the frames that arrive meanwhile are kept."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.live.messages import Ask, Chunk, Entry, Frame, Row
from dashboard.live.rates import Rate
from informerd.clock import Clock
from informerd.health import Health

PATIENCE = 1.0
"""Seconds to wait for an answer before the question is repeated."""
KEPT_FRAMES = 2000
"""Frames kept while pulling; past that the oldest goes, and the hole this makes is healed like any other."""


class Pull:
    """Collects the chunks of one snapshot of one epoch, in order; others are not taken.

    Without an `epoch` the first worker that answers is followed to the end of its snapshot; if another one began later,
    its frames say so soon enough.
    """

    def __init__(self, key: str, clock: Clock, *, epoch: str = "") -> None:
        self.key = key
        self.epoch = epoch
        self.rows: dict[str, Row] = {}
        self.entries: tuple[Entry, ...] = ()
        self.rates: tuple[Rate, ...] = ()
        self.health = Health(state="starting", since=clock.time())
        self.seq = 0
        self.snapshot_epoch = ""
        self._clock = clock
        self._snapshot = ""
        self._next = 0
        self._total = 0
        self._asked: float | None = None
        self._frames: dict[tuple[str, int, bool], Frame] = {}

    @property
    def complete(self) -> bool:
        return self._total > 0 and self._next == self._total

    @property
    def followed(self) -> str:
        """The epoch this pull depends on; empty while any worker will do."""
        return self.snapshot_epoch or self.epoch

    def ask(self) -> Ask:
        """The question for the next chunk; who sends it fills in where the answer shall go."""
        self._asked = self._clock.now()
        return Ask(self.key, "", self._snapshot, self._next, self.followed)

    def due(self) -> Ask | None:
        """The question, where it was not asked yet or nobody answered for a while."""
        if self._asked is not None and self._clock.now() - self._asked < PATIENCE:
            return None
        return self.ask()

    def take(self, chunk: Chunk) -> bool:
        """Take the chunk that was asked for; False for any other."""
        if self.epoch and chunk.epoch != self.epoch:
            return False
        if chunk.total == 0:
            return self._start_over(chunk)
        if not self._snapshot and chunk.index == 0:
            self._begin(chunk)
        elif chunk.snapshot != self._snapshot or chunk.index != self._next:
            return False
        self._next += 1
        self.health = chunk.health
        self.rows.update((row.uid, row) for row in chunk.rows)
        self.entries += chunk.entries
        self.rates += chunk.rates
        return True

    def keep(self, frame: Frame) -> None:
        """Keep a frame that arrived meanwhile."""
        beat = not (frame.rows or frame.gone or frame.entries)
        self._frames[frame.epoch, frame.seq, beat] = frame
        if len(self._frames) > KEPT_FRAMES:
            del self._frames[min(self._frames)]

    def kept(self, epoch: str) -> Iterator[Frame]:
        """The kept frames of `epoch` in the order of their numbers, each before a heartbeat that repeats it."""
        return (self._frames[key] for key in sorted(self._frames) if key[0] == epoch)

    def _begin(self, chunk: Chunk) -> None:
        self.snapshot_epoch = chunk.epoch
        self._snapshot, self._total, self.seq = chunk.snapshot, chunk.total, chunk.seq

    def _start_over(self, chunk: Chunk) -> bool:
        """The worker does not have the snapshot any more: ask for a new one."""
        if not self._snapshot or chunk.snapshot != self._snapshot:
            return False
        self._snapshot, self._next, self._total = "", 0, 0
        self.rows, self.entries, self.rates = {}, (), ()
        return True
