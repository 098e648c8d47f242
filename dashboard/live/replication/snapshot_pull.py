"""Pull of a snapshot by a replica, chunk after chunk, while the frames that arrive meanwhile are buffered."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

from dashboard.live.replication.change_rates import Rate
from dashboard.live.replication.compression_dictionaries import ReceivedDictionaries
from dashboard.live.replication.messages import Frame, SnapshotChunk, SnapshotRequest
from dashboard.live.replication.row_interner import RowInterner
from dashboard.live.replication.snapshot import entry_size, row_size
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row, TableDefinition
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

ANSWER_TIMEOUT = 1.0
"""Seconds to wait for an answer before the request is repeated."""
MAX_BUFFERED_FRAMES = 2000
"""Maximum number of frames buffered while pulling; then the oldest is dropped, and the gap is repaired like any
other.
"""
MAX_BUFFERED_BYTES = 64_000_000
"""Maximum bytes of these frames, approximately: a frame of a relist has 400 kB."""

RowChange = tuple[Row | None, Row | None]
"""An object's row before and after: None before an add and after a delete."""


class SnapshotPart(NamedTuple):
    """Rows of a chunk, and those of known objects that changed: rows that are packed differently are unpacked to
    compare them.
    """

    rows: tuple[Row, ...]
    changes: dict[str, RowChange]
    """By uid."""


class SnapshotPull:
    """Collects the chunks of one snapshot of one epoch, in order; others are ignored.

    Without an `epoch` the first worker that answers is followed to the end of its snapshot; frames of a worker that
    started later will show that soon enough. `before` are the present rows; they do not change meanwhile.
    """

    def __init__(
        self, key: str, clock: Clock, *, before: Mapping[str, Row], interner: RowInterner, epoch: str = ""
    ) -> None:
        """`interner` is that of the rows: what a row shares with others is given back before more rows come."""
        self.key = key
        self.epoch = epoch
        self.parts: list[SnapshotPart] = []
        self.missing_rows: dict[str, Row] = {}
        """By uid, the present rows that have not arrived yet; once the pull is complete, those that were deleted."""
        self.dictionaries = ReceivedDictionaries()
        self.entries: tuple[Entry, ...] = ()
        self.rates: tuple[Rate, ...] = ()
        self.health = Health(state="starting", since=clock.time())
        self.table: TableDefinition | None = None
        self.announced_from: float | None = None
        self.seq = 0
        self.snapshot_epoch = ""
        self.confirmed_at = 0.0
        """When its worker last reported the newest frame: with the first chunk, or with a buffered frame."""
        self._before = before
        self._interner = interner
        self._clock = clock
        self._snapshot = ""
        self._next = 0
        self._total = 0
        self._new_count = 0
        self._sent_at: float | None = None
        self._frames: dict[tuple[str, int, bool], Frame] = {}
        self._bytes = 0

    @property
    def complete(self) -> bool:
        """Whether the whole snapshot has arrived."""
        return self._total > 0 and self._next == self._total

    @property
    def changed_count(self) -> int:
        """Number of rows that differ from before, once it is complete."""
        return self._new_count + len(self.missing_rows) + sum(len(part.changes) for part in self.parts)

    @property
    def followed_epoch(self) -> str:
        """The epoch that this pull depends on; empty while any worker will do."""
        return self.snapshot_epoch or self.epoch

    def next_request(self) -> SnapshotRequest:
        """The request for the next chunk; the sender fills in where the answer goes."""
        self._sent_at = self._clock.now()
        return SnapshotRequest(self.key, "", self._snapshot, self._next, self.followed_epoch)

    def next_pull(self) -> SnapshotPull:
        """A pull of the same worker's next snapshot, due after ANSWER_TIMEOUT."""
        pull = SnapshotPull(
            self.key, self._clock, before=self._before, interner=self._interner, epoch=self.followed_epoch
        )
        pull._sent_at = self._clock.now()
        return pull

    def due_request(self) -> SnapshotRequest | None:
        """The request, where it was not sent yet or got no answer for a while."""
        if self.complete or (self._sent_at is not None and self._clock.now() - self._sent_at < ANSWER_TIMEOUT):
            return None
        return self.next_request()

    def add_chunk(self, chunk: SnapshotChunk) -> bool:
        """Take the requested chunk; False for any other, or one that cannot be read."""
        if self.epoch and chunk.epoch != self.epoch:
            return False
        if chunk.total == 0:
            return self._start_over(chunk)
        if not self._snapshot and chunk.index == 0:
            self._start(chunk)
        elif chunk.snapshot != self._snapshot or chunk.index != self._next:
            return False
        if not self.dictionaries.bind(chunk.rows, chunk.dictionaries):
            logger.warning(
                "rows of %s are damaged, too large, or packed with a dictionary that nobody sent; asking again",
                self.key,
            )
            self._forget_snapshot()
            return False
        self._next += 1
        self.health = chunk.health
        self.parts.append(self._compared(chunk.rows))
        self.entries += chunk.entries
        self.rates += chunk.rates
        return True

    def buffer_frame(self, frame: Frame) -> None:
        """Buffer a frame that arrived meanwhile."""
        if frame.epoch == self.snapshot_epoch:
            self.confirmed_at = self._clock.now()
        beat = not frame.has_content
        place = (frame.epoch, frame.seq, beat)
        self._forget(place)
        self._frames[place] = frame
        self._bytes += _size(frame)
        while len(self._frames) > MAX_BUFFERED_FRAMES or self._bytes > MAX_BUFFERED_BYTES:
            self._forget(min(self._frames))

    def take_buffered_frames(self, epoch: str) -> list[Frame]:
        """The buffered frames of `epoch` in the order of their numbers, each before a heartbeat that repeats it.

        The buffer is empty afterwards.
        """
        frames, self._frames, self._bytes = self._frames, {}, 0
        return [frames[place] for place in sorted(frames) if place[0] == epoch]

    def _forget(self, place: tuple[str, int, bool]) -> None:
        frame = self._frames.pop(place, None)
        self._bytes -= _size(frame) if frame else 0

    def _start(self, chunk: SnapshotChunk) -> None:
        self.snapshot_epoch, self.confirmed_at = chunk.epoch, self._clock.now()
        self.table, self.announced_from = chunk.table, chunk.announced_from
        self._snapshot, self._total, self.seq = chunk.snapshot, chunk.total, chunk.seq
        self.missing_rows = dict(self._before)

    def _start_over(self, chunk: SnapshotChunk) -> bool:
        """The worker no longer has the snapshot: request a new one."""
        if not self._snapshot or chunk.snapshot != self._snapshot:
            return False
        self._forget_snapshot()
        return True

    def _forget_snapshot(self) -> None:
        self._snapshot, self._next, self._total = "", 0, 0
        self.parts, self.missing_rows, self.entries, self.rates = [], {}, (), ()
        self._new_count = 0
        self.dictionaries = ReceivedDictionaries()

    def _compared(self, rows: tuple[Row, ...]) -> SnapshotPart:
        changes: dict[str, RowChange] = {}
        for row in rows:
            self._interner.intern(row)
            old = self._before.get(row.uid)
            self.missing_rows.pop(row.uid, None)
            if old is None:
                self._new_count += 1
            elif old != row:
                changes[row.uid] = (old, row)
        return SnapshotPart(rows, changes)


def _size(frame: Frame) -> int:
    """Approximate bytes of a frame."""
    return (
        sum(map(row_size, frame.rows))
        + 100 * len(frame.deleted_uids)
        + sum(map(entry_size, frame.entries))
        + sum(map(len, frame.dictionaries))
    )


class Position:
    """An epoch, the number of the last frame in it, and the dictionaries that were received up to there."""

    def __init__(self) -> None:
        self.epoch = ""
        self.seq = 0
        self._sent = 0.0
        self._dictionaries = ReceivedDictionaries()

    def start_at(self, pull: SnapshotPull) -> None:
        """Continue with the frames after this snapshot."""
        self.epoch, self.seq, self._sent = pull.snapshot_epoch, pull.seq, 0.0
        self._dictionaries = pull.dictionaries

    def advance(self, frame: Frame) -> None:
        """This frame was applied."""
        self.seq, self._sent = frame.seq, frame.sent_at

    def is_late(self, frame: Frame) -> bool:
        """Whether the frame is late or a duplicate, and has nothing new."""
        if frame.has_content:
            return frame.seq <= self.seq
        return frame.seq < self.seq or frame.sent_at < self._sent

    def continues(self, frame: Frame) -> bool:
        """Whether there is no gap before the frame, and its rows can be read."""
        if frame.seq > self.seq + frame.has_content:
            return False
        return self._dictionaries.bind(frame.rows, frame.dictionaries)
