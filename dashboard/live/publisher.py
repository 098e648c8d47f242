"""The worker's end of the feed: one publisher a resource turns deltas into numbered frames and answers snapshots.

docs/feed.md has the protocol. What is guaranteed here: frames are sent in the order of their `seq`, which has no holes;
the state after frame n is exactly what frames 1 to n say; every feed entry is in exactly one frame. A frame the layer
lost is not sent again: its number is missing at the replica, which then asks for a snapshot.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable

import msgspec

from dashboard.live.dictionaries import Announced
from dashboard.live.layer import Layer, Sender, Trouble
from dashboard.live.messages import FEED_GROUP, Ask, Chunk, Described, Entry, Frame, Operation, Row, Tone, encoder
from dashboard.live.rates import Rates
from dashboard.live.snapshot import CHUNK_BYTES, CHUNK_ROWS, Snapshots, weight
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

TICK = 0.05
"""Seconds between two frames at most; the first delta after a quiet tick leaves at once."""
BEAT = 1.0
"""Seconds between heartbeats."""
KEPT_ENTRIES = 500
FRAME_ENTRIES = 1000

_UNENCODABLE = (OverflowError, TypeError, ValueError, msgspec.MsgspecError)


def new_epoch(clock: Clock) -> str:
    """A name for a publisher's life. Names sort by the time at which they began, so that the newest is the greatest."""
    return f"{int(clock.time() * 1000):013d}-{secrets.token_hex(3)}"


class Publisher:
    """One resource's rows and entries, published as frames.

    `put`, `drop` and `entry` are called as deltas come (they never wait); `run` sends what they left, each tick.
    """

    def __init__(
        self, key: str, layer: Layer, clock: Clock, *, epoch: str | None = None, sender: Sender | None = None
    ) -> None:
        self.key = key
        self.epoch = epoch or new_epoch(clock)
        self.seq = 0
        self.rows: dict[str, Row] = {}
        self.entries: deque[Entry] = deque(maxlen=KEPT_ENTRIES)
        self.rates = Rates()
        self.dictionaries = Announced()
        """What rows are packed with, as far as frames have said."""
        self.described: Described | None = None
        """What cells are, as far as frames have said."""
        self._description: Described | None = None
        self.health: Callable[[], Health] = _starting(clock)
        """Asked for each frame; the worker sets it to its informer's."""
        self._clock = clock
        self._sender = sender or Sender(layer, Trouble())
        self._snapshots = Snapshots(key, self.epoch, clock)
        self._entry_seq = 0
        self._pending: dict[str, Row | None] = {}
        self._pending_entries: list[Entry] = []
        self._counts = (0, 0, 0)
        self._told = self.health()
        self._wake = asyncio.Event()
        self._sending = asyncio.Lock()

    def put(self, row: Row) -> None:
        """The object is now as `row` says. Within a tick only the latest row of an object is sent."""
        self.rows[row.uid] = row
        self._pending.pop(row.uid, None)
        self._pending[row.uid] = row
        self._wake.set()

    def drop(self, uid: str) -> None:
        """The object is gone."""
        self.rows.pop(uid, None)
        self._pending.pop(uid, None)
        self._pending[uid] = None
        self._wake.set()

    def entry(self, op: Operation, row: Row, words: str, tone: Tone) -> None:
        """Add a line to the feed and count the change; each call is one line, however fast they come."""
        self._entry_seq += 1
        entry = Entry(
            seq=self._entry_seq,
            time=self._clock.time(),
            op=op,
            namespace=row.namespace,
            name=row.name,
            uid=row.uid,
            version=row.version,
            words=words,
            tone=tone,
            epoch=self.epoch,
        )
        self._pending_entries.append(entry)
        added, modified, deleted = self._counts
        self._counts = (added + (op == "added"), modified + (op == "modified"), deleted + (op == "deleted"))
        self._wake.set()

    def describe(self, described: Described) -> None:
        """Say what the cells of rows are, with the next frame; to be called once, before the first `put`."""
        self._description = described
        self._wake.set()

    def nudge(self) -> None:
        """Send a frame now though no object changed: the informer's health did."""
        self._wake.set()

    async def run(self) -> None:
        """Send frames until cancelled: deltas each tick, a heartbeat each second."""
        beat = asyncio.create_task(self._beat())
        try:
            while True:
                await self._wake.wait()
                await self.flush()
                await self._clock.sleep(TICK)
        finally:
            beat.cancel()

    async def flush(self) -> None:
        """Send what is pending, or a heartbeat where nothing is."""
        async with self._sending:
            await self._send(self._taken() or [self._frame(self.health())])

    async def answer(self, ask: Ask) -> None:
        """Send the chunk that a replica asks for, if it asks this epoch.

        A new snapshot is frozen together with the frames that bring everybody to it, so that it is the state after
        frame `seq` and no other; those frames leave first.
        """
        if ask.epoch and ask.epoch != self.epoch:
            return
        async with self._sending:
            frames = [] if ask.snapshot else self._taken()
            chunk = self._snapshots.chunk(ask, self)
            if not await self._send(frames):
                return  # nor would it take the chunk: who asks does so again
        await self._sender.to_channel(ask.reply, {"type": "feed.chunk", "data": self._encoded(chunk)})

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(BEAT)
            self._wake.set()

    def _taken(self) -> list[Frame]:
        """What is pending as numbered frames; without waiting, so that no delta can slip in between.

        Only the last one has the health that goes with all of it: a list of 20,000 is not live with its first frame.
        """
        self._wake.clear()
        changes, self._pending = self._pending, {}
        entries, self._pending_entries = self._pending_entries, []
        counts, self._counts = self._counts, (0, 0, 0)
        self.rates.add(self._clock.time(), counts)
        self.entries.extend(entries)
        frames = []
        parts = _parts(changes, entries)
        health = self.health()
        if self._description is not None and not parts:
            parts = [((), (), ())]
        for part in parts:
            self.seq += 1
            frames.append(self._frame(health if part is parts[-1] else self._told, part, counts))
            counts = (0, 0, 0)
        return frames

    def _frame(self, health: Health, part: Part = ((), (), ()), rates: tuple[int, int, int] = (0, 0, 0)) -> Frame:
        rows, gone, entries = part
        self._told = health
        described = None
        if self.seq and self._description is not None:  # not with a heartbeat that no number follows
            described, self._description = self._description, None
            self.described = described
        return Frame(
            resource=self.key,
            epoch=self.epoch,
            seq=self.seq,
            sent=self._clock.time(),
            health=health,
            rows=rows,
            gone=gone,
            entries=entries,
            rates=rates,
            dictionaries=self.dictionaries.announce(rows, self.rows.values()),
            described=described,
        )

    async def _send(self, frames: list[Frame]) -> bool:
        """Whether the layer took them all. After one that it did not take the others would only cost time.

        A layer that hangs takes seconds to say no to each; the first number that is missing says all there is to say.
        """
        for frame in frames:
            if not await self._sender.to_group(FEED_GROUP, {"type": "feed.frame", "data": self._encoded(frame)}):
                return False
        return True

    def _encoded(self, message: Frame | Chunk) -> bytes:
        try:
            return encoder.encode(message)
        except _UNENCODABLE:
            rows = tuple(self._encodable(row) for row in message.rows)
            return encoder.encode(msgspec.structs.replace(message, rows=rows))

    def _encodable(self, row: Row) -> Row:
        """`row`, or a stand-in under its name where no message can carry it: it must not take its frame along."""
        try:
            encoder.encode(row)
        except _UNENCODABLE:
            logger.exception("the row of %s cannot be sent", row.key)
            reason = "Deltaboard cannot show this object's fields, see its log"
            shown = msgspec.structs.replace(row, cells=(), status="Unreadable", tone="warn", reason=reason)
            if self.rows.get(row.uid) is row:
                self.rows[row.uid] = shown
            return shown
        return row


Part = tuple[tuple[Row, ...], tuple[str, ...], tuple[Entry, ...]]


def _parts(changes: dict[str, Row | None], entries: list[Entry]) -> list[Part]:
    """What one tick brought, cut into frames that no layer chokes on; mostly that is one."""
    parts: list[Part] = []
    rows: list[Row] = []
    gone: list[str] = []
    size = 0
    for uid, row in changes.items():
        if row is None:
            gone.append(uid)
        else:
            rows.append(row)
        size += 100 if row is None else weight(row)
        if len(rows) + len(gone) >= CHUNK_ROWS or size >= CHUNK_BYTES:
            parts.append((tuple(rows), tuple(gone), ()))
            rows, gone, size = [], [], 0
    parts.append((tuple(rows), tuple(gone), tuple(entries[:FRAME_ENTRIES])))
    for start in range(FRAME_ENTRIES, len(entries), FRAME_ENTRIES):
        parts.append(((), (), tuple(entries[start : start + FRAME_ENTRIES])))  # noqa: PERF401
    return [part for part in parts if any(part)]


def _starting(clock: Clock) -> Callable[[], Health]:
    health = Health(state="starting", since=clock.time())
    return lambda: health
