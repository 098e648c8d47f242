"""One pull of a snapshot by a replica: chunk after chunk, while the frames that arrive meanwhile are kept."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

from dashboard.live.dictionaries import Heard
from dashboard.live.messages import Ask, Chunk, Described, Entry, Frame, Row
from dashboard.live.rates import Rate
from dashboard.live.snapshot import weight
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds to wait for an answer before the question is repeated."""
KEPT_FRAMES = 2000
"""Frames kept while pulling; past that the oldest goes, and the hole this makes is healed like any other."""
KEPT_BYTES = 64_000_000
"""Of these frames at most, about: one of a relist has 400 kB."""
_ENTRY = 500

RowChange = tuple[Row | None, Row | None]
"""An object's row before and after: None before an add and after a delete."""


class Part(NamedTuple):
    """The rows of a chunk, and which of them differ from before: those packed otherwise are unpacked to tell."""

    rows: tuple[Row, ...]
    changes: dict[str, RowChange]
    """By uid."""


class Pull:
    """Collects the chunks of one snapshot of one epoch, in order; others are not taken.

    Without an `epoch` the first worker that answers is followed to the end of its snapshot; if another one began later,
    its frames say so soon enough. `before` are the rows that there are; nobody changes them while this goes on.
    """

    def __init__(self, key: str, clock: Clock, *, before: Mapping[str, Row], epoch: str = "") -> None:
        self.key = key
        self.epoch = epoch
        self.parts: list[Part] = []
        self.gone: dict[str, Row] = {}
        """By uid, what was before and has not come yet; once it is complete, what is there no more."""
        self.dictionaries = Heard()
        self.entries: tuple[Entry, ...] = ()
        self.rates: tuple[Rate, ...] = ()
        self.health = Health(state="starting", since=clock.time())
        self.described: Described | None = None
        self.told_from: float | None = None
        self.seq = 0
        self.snapshot_epoch = ""
        self.known_at = 0.0
        """When its worker last said what the newest frame is: with the first chunk, or with a frame that was kept."""
        self._before = before
        self._clock = clock
        self._snapshot = ""
        self._next = 0
        self._total = 0
        self._asked: float | None = None
        self._frames: dict[tuple[str, int, bool], Frame] = {}
        self._bytes = 0

    @property
    def complete(self) -> bool:
        """Whether all of the snapshot is here: nothing more is asked for."""
        return self._total > 0 and self._next == self._total

    @property
    def differing(self) -> int:
        """How many rows differ from before, once it is complete."""
        return len(self.gone) + sum(len(part.changes) for part in self.parts)

    @property
    def followed(self) -> str:
        """The epoch this pull depends on; empty while any worker will do."""
        return self.snapshot_epoch or self.epoch

    def ask(self) -> Ask:
        """The question for the next chunk; who sends it fills in where the answer shall go."""
        self._asked = self._clock.now()
        return Ask(self.key, "", self._snapshot, self._next, self.followed)

    def again(self) -> Pull:
        """A pull of the same worker's next snapshot, due after PATIENCE."""
        pull = Pull(self.key, self._clock, before=self._before, epoch=self.followed)
        pull._asked = self._clock.now()
        return pull

    def due(self) -> Ask | None:
        """The question, where it was not asked yet or nobody answered for a while."""
        if self.complete or (self._asked is not None and self._clock.now() - self._asked < PATIENCE):
            return None
        return self.ask()

    def take(self, chunk: Chunk) -> bool:
        """Take the chunk that was asked for; False for any other, or one that nobody could read."""
        if self.epoch and chunk.epoch != self.epoch:
            return False
        if chunk.total == 0:
            return self._start_over(chunk)
        if not self._snapshot and chunk.index == 0:
            self._begin(chunk)
        elif chunk.snapshot != self._snapshot or chunk.index != self._next:
            return False
        if not self.dictionaries.bind(chunk.rows, chunk.dictionaries):
            logger.warning("rows of %s are packed with a dictionary that nobody sent; asking again", self.key)
            self._forget_snapshot()
            return False
        self._next += 1
        self.health = chunk.health
        self.parts.append(self._compared(chunk.rows))
        self.entries += chunk.entries
        self.rates += chunk.rates
        return True

    def keep(self, frame: Frame) -> None:
        """Keep a frame that arrived meanwhile."""
        if frame.epoch == self.snapshot_epoch:
            self.known_at = self._clock.now()
        beat = not frame.has_content
        place = (frame.epoch, frame.seq, beat)
        self._forget(place)
        self._frames[place] = frame
        self._bytes += _size(frame)
        while len(self._frames) > KEPT_FRAMES or self._bytes > KEPT_BYTES:
            self._forget(min(self._frames))

    def kept(self, epoch: str) -> list[Frame]:
        """The kept frames of `epoch` in the order of their numbers, each before a heartbeat that repeats it.

        They are handed over: what is kept from here on is kept anew.
        """
        frames, self._frames, self._bytes = self._frames, {}, 0
        return [frames[place] for place in sorted(frames) if place[0] == epoch]

    def _forget(self, place: tuple[str, int, bool]) -> None:
        frame = self._frames.pop(place, None)
        self._bytes -= _size(frame) if frame else 0

    def _begin(self, chunk: Chunk) -> None:
        self.snapshot_epoch, self.known_at = chunk.epoch, self._clock.now()
        self.described, self.told_from = chunk.described, chunk.told_from
        self._snapshot, self._total, self.seq = chunk.snapshot, chunk.total, chunk.seq
        self.gone = dict(self._before)

    def _start_over(self, chunk: Chunk) -> bool:
        """The worker does not have the snapshot any more: ask for a new one."""
        if not self._snapshot or chunk.snapshot != self._snapshot:
            return False
        self._forget_snapshot()
        return True

    def _forget_snapshot(self) -> None:
        self._snapshot, self._next, self._total = "", 0, 0
        self.parts, self.gone, self.entries, self.rates = [], {}, (), ()
        self.dictionaries = Heard()

    def _compared(self, rows: tuple[Row, ...]) -> Part:
        changes: dict[str, RowChange] = {}
        for row in rows:
            old = self._before.get(row.uid)
            self.gone.pop(row.uid, None)
            if old != row:
                changes[row.uid] = (old, row)
        return Part(rows, changes)


def _size(frame: Frame) -> int:
    """About how many bytes a frame takes."""
    return (
        sum(map(weight, frame.rows))
        + 100 * len(frame.gone)
        + _ENTRY * len(frame.entries)
        + sum(map(len, frame.dictionaries))
    )
