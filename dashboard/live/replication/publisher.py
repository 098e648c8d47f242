"""Publisher of one resource's feed in the worker: numbered frames of deltas, and snapshots on request.

docs/feed.md has the protocol. The guarantees: frames are sent in the order of their `seq`, which has no gaps; the state
after frame n is exactly the sum of frames 1 to n; every feed entry is in exactly one frame. A frame that the layer lost
is not sent again: the replica notices the missing number and asks for a snapshot.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import msgspec

from dashboard.live.replication.change_rates import Rates
from dashboard.live.replication.channel_layer import ChannelLayer, ChannelLayerHealth, Sender
from dashboard.live.replication.compression_dictionaries import MAX_OBJECT_BYTES, AnnouncedDictionaries, fits
from dashboard.live.replication.delta_traces import DeltaTraces
from dashboard.live.replication.entry_builder import EntryTimes, build_entry
from dashboard.live.replication.epoch import new_epoch
from dashboard.live.replication.messages import (
    FEED_GROUP,
    SHARD_GROUP,
    UNENCODABLE,
    Frame,
    SnapshotChunk,
    SnapshotRequest,
    encoder,
)
from dashboard.live.replication.pending_changes import (
    MAX_FRAME_ENTRIES,
    FrameContent,
    PendingChanges,
    split_into_frames,
)
from dashboard.live.replication.snapshot import CHUNK_ROWS, SnapshotStore
from dashboard.objects.kinds.feed_entry import Entry, EventSubject, Operation
from dashboard.objects.kinds.row import Row, TableDefinition, Tone
from dashboard.runtime.malloc_tuning import list_ended
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

TICK = 0.02
"""Seconds between two frames; the first delta after a quiet tick leaves at once."""
LOADED_TICK = 0.05
"""The same after a frame of more than SMALL_FRAME changes: under load, more changes share the cost of a frame."""
SMALL_FRAME = 20
HEARTBEAT_INTERVAL = 1.0
"""Seconds between heartbeats."""
MAX_ENTRIES = 500
MAX_ROW_BYTES = 16 * 2**20
"""Bytes of a row in a message. A row of an object of 3 MB, more than API servers take, has 9 MB: its only owner's name
is in the row twice, and in the whole object.
"""


class Publisher:
    """One resource's rows and entries, published as frames.

    `put`, `remove` and `add_entry` are called as deltas come (they never wait); `run` sends the pending changes each
    tick.
    """

    def __init__(
        self,
        key: str,
        layer: ChannelLayer,
        clock: Clock,
        *,
        epoch: str | None = None,
        sender: Sender | None = None,
        traces: DeltaTraces | None = None,
        times: EntryTimes | None = None,
        shard: Shard = WHOLE,
    ) -> None:
        """`times` are those of the worker's entries of all kinds, `shard` is the worker's."""
        self.key = key
        self.shard = shard
        self.epoch = epoch or new_epoch(clock)
        self.seq = 0
        self.rows: dict[str, Row] = {}
        self.entries: deque[Entry] = deque(maxlen=MAX_ENTRIES)
        self.rates = Rates()
        self.dictionaries = AnnouncedDictionaries()
        """Dictionaries of the rows, as far as frames have announced them."""
        self.table: TableDefinition | None = None
        """Meaning of the cells, as far as frames have announced it."""
        self._description: TableDefinition | None = None
        self.announced_from: float | None = None
        """Unix seconds from when on every change is an entry; None while the first list is loading."""
        self.health: Callable[[], Health] = _starting(clock)
        """Called for each frame; the worker sets it to its informer's health."""
        self._clock = clock
        self._times = times or EntryTimes(clock)
        self._traces = traces
        self._sender = sender or Sender(layer, ChannelLayerHealth())
        self._snapshots = SnapshotStore(key, self.epoch, clock, shard)
        self._entry_seq = 0
        self._pending = PendingChanges()
        self._sent_health = self.health()
        self._wake = asyncio.Event()
        self._ended = False
        self._sending = asyncio.Lock()

    def put(self, row: Row) -> None:
        """Set the object's row. Within a tick only the latest row of an object is sent.

        An object of more than MAX_OBJECT_BYTES is shown by its name: replicas refuse to unpack it.
        """
        if row.blob is not None and not fits(row.blob):
            reason = f"Deltaboard shows no object of more than {MAX_OBJECT_BYTES // 2**20} MiB"
            row = _by_name(row, reason)
        self.rows[row.uid] = row
        self._pending.put(row.uid, row)
        self._wake.set()

    def remove(self, uid: str) -> None:
        """Remove a deleted object."""
        self.rows.pop(uid, None)
        self._pending.put(uid, None)
        self._wake.set()

    def add_entry(
        self,
        op: Operation,
        row: Row,
        words: str,
        tone: Tone,
        *,
        fields: tuple[tuple[str, str], ...] = (),
        reason: str = "",
        subject: EventSubject | None = None,
    ) -> None:
        """Add a line to the feed and count the change; each call makes one line, however fast they come."""
        self._entry_seq += 1
        time, behind = self._times.next()
        entry = build_entry(
            self._entry_seq, time, self.epoch, op, row, words, tone,
            fields=fields, reason=reason, subject=subject, behind=behind,
        )  # fmt: skip
        self._pending.add(entry)
        self._wake.set()

    def set_table(self, described: TableDefinition) -> None:
        """Announce the meaning of the rows' cells with the next frame; to be called once, before the first `put`."""
        self._description = described
        self._wake.set()

    def request_frame(self) -> None:
        """Send a frame now although no object changed, because the informer's health did."""
        self._wake.set()

    def end(self) -> None:
        """End, because another publisher takes over: `run` sends what is pending and returns."""
        self._ended = True
        self._wake.set()

    async def run(self) -> None:
        """Send frames until cancelled, or until `end`: deltas each tick, a heartbeat each second."""
        beat = asyncio.create_task(self._send_heartbeat())
        try:
            while not self._ended:
                await self._wake.wait()
                many = max(self._pending.change_count, len(self._pending.entries)) > SMALL_FRAME
                await self.flush()
                await self._clock.sleep(LOADED_TICK if many else TICK)
        finally:
            beat.cancel()

    async def flush(self) -> None:
        """Send what is pending, or a heartbeat where nothing is."""
        async with self._sending:
            if self._pending or self._description is not None:
                await self._send_pending()
            else:
                self._wake.clear()
                await self._send([self._frame(self._health())])

    async def answer(self, request: SnapshotRequest) -> None:
        """Send the chunk that a replica asks for, if the request is for this epoch and shard.

        A new snapshot is frozen together with the pending frames, so that it is exactly the state after frame `seq`;
        those frames are sent first.
        """
        if (request.epoch and request.epoch != self.epoch) or request.shard != self.shard:
            return
        async with self._sending:
            if not request.snapshot:
                sent = await self._send_pending()
                frames = self._take_frames()
                frozen = self._snapshots.freeze(self)
                if not sent or not await self._send(frames):
                    return  # the layer would not take the chunk either; the replica asks again
                await frozen.split()
                request = msgspec.structs.replace(request, snapshot=frozen.name)
            chunk = self._snapshots.chunk(request, self)
        await self._sender.to_channel(request.reply_channel, {"type": "feed.chunk", "data": self._encoded(chunk)})

    async def _send_heartbeat(self) -> None:
        while True:
            await self._clock.sleep(HEARTBEAT_INTERVAL)
            self._wake.set()

    async def _send_pending(self) -> bool:
        """Send what is pending in small parts, so that other tasks run in between. Returns whether the layer accepted
        all.

        Most of what is added meanwhile is left for the next time.
        """
        self._wake.clear()
        sent = True
        for _ in range(
            1 + max(self._pending.change_count // CHUNK_ROWS, len(self._pending.entries) // MAX_FRAME_ENTRIES)
        ):
            frames = self._take_frames(CHUNK_ROWS, MAX_FRAME_ENTRIES)
            sent = sent and await self._send(frames)
            await asyncio.sleep(0)
        return sent

    def _take_frames(self, most_changes: int | None = None, most_entries: int | None = None) -> list[Frame]:
        """Pending changes as numbered frames; made without waiting, so no delta comes in between.

        Only the last frame has the current health: a list of 20,000 is not live with its first frame.
        """
        changes, entries, counts = self._pending.take_batch(most_changes, most_entries)
        self.rates.add(self._clock.time(), counts)
        self.entries.extend(entries)
        frames = []
        parts = split_into_frames(changes, entries)
        health = self._health()
        if health.state == "live" and self._pending:
            health = self._sent_health
        if self._description is not None and not parts:
            parts = [((), (), ())]
        for part in parts:
            self.seq += 1
            frames.append(self._frame(health if part is parts[-1] else self._sent_health, part, counts))
            counts = (0, 0, 0)
        return frames

    def _health(self) -> Health:
        health = self.health()
        if self.announced_from is None and health.state == "live":
            self.announced_from = self._clock.time()
            list_ended(len(self.rows))
        return health

    def _frame(
        self, health: Health, part: FrameContent = ((), (), ()), rates: tuple[int, int, int] = (0, 0, 0)
    ) -> Frame:
        rows, deleted, entries = part
        self._sent_health = health
        described = None
        if self.seq and self._description is not None:  # not with a heartbeat that no number follows
            described, self._description = self._description, None
            self.table = described
        return Frame(
            resource=self.key,
            epoch=self.epoch,
            seq=self.seq,
            sent_at=self._clock.time(),
            health=health,
            rows=rows,
            deleted_uids=deleted,
            entries=entries,
            rates=rates,
            dictionaries=self.dictionaries.announce(rows, self.rows.values()),
            table=described,
            shard=self.shard,
        )

    async def _send(self, frames: list[Frame]) -> bool:
        """Send the frames. Returns whether the layer accepted all; stops at the first that it did not.

        A layer that hangs takes seconds to refuse each frame, and one missing number is enough for the replicas.
        """
        group = FEED_GROUP if self.shard == WHOLE else SHARD_GROUP
        for frame in frames:
            encoded = self._encoded(frame)
            was_taken = await self._sender.to_group(group, {"type": "feed.frame", "data": encoded})
            if self._traces is not None:
                self._traces.record_published(frame, len(encoded), was_taken=was_taken)
            if not was_taken:
                return False
        return True

    def _encoded(self, message: Frame | SnapshotChunk) -> bytes:
        try:
            if len(encoded := encoder.encode(message)) <= MAX_ROW_BYTES:
                return encoded
        except UNENCODABLE:
            pass
        rows = tuple(self._encodable(row) for row in message.rows)
        return encoder.encode(msgspec.structs.replace(message, rows=rows))

    def _encodable(self, row: Row) -> Row:
        """`row`, or a placeholder under its name where no message can carry it, so that its frame is not lost."""
        try:
            if len(encoder.encode(row)) <= MAX_ROW_BYTES:
                return row
            shown = _by_name(row, f"Deltaboard shows no object with more than {MAX_ROW_BYTES // 2**20} MiB of texts")
        except UNENCODABLE:
            logger.exception("the row of %s cannot be sent", row.key)
            reason = "Deltaboard cannot show this object's fields; see its log"
            shown = msgspec.structs.replace(row, cells=(), status="Unreadable", tone="warn", reason=reason)
        if self.rows.get(row.uid) is row:
            self.rows[row.uid] = shown
        return shown


def _by_name(row: Row, reason: str) -> Row:
    """The row of an object of which nothing but its name is shown: any other text of it may be what is too long."""
    facts = (row.uid, row.namespace, row.name, row.version, row.created)
    return Row(*facts, "Unreadable", "warn", (), {}, reason, deleting=row.deleting)


def _starting(clock: Clock) -> Callable[[], Health]:
    health = Health(state="starting", since=clock.time())
    return lambda: health
