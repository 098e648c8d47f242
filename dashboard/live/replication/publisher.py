"""The worker's end of the feed: one publisher a resource turns deltas into numbered frames and answers snapshots.

docs/feed.md has the protocol. What is guaranteed here: frames are sent in the order of their `seq`, which has no holes;
the state after frame n is exactly what frames 1 to n say; every feed entry is in exactly one frame. A frame the layer
lost is not sent again: its number is missing at the replica, which then asks for a snapshot.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import msgspec

from dashboard.live.dictionaries import Announced
from dashboard.live.epoch import new_epoch
from dashboard.live.frame_parts import FRAME_ENTRIES, Part, parts_of
from dashboard.live.layer import Layer, Sender, Trouble
from dashboard.live.messages import (
    FEED_GROUP,
    About,
    Ask,
    Chunk,
    Described,
    Entry,
    Frame,
    Operation,
    Row,
    Tone,
    encoder,
)
from dashboard.live.pending import Pending
from dashboard.live.rates import Rates
from dashboard.live.snapshot import CHUNK_ROWS, Snapshots
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

TICK = 0.02
"""Seconds between two frames; the first delta after a quiet tick leaves at once."""
LONG_TICK = 0.05
"""The same after a frame of more than A_FEW changes: where many come, what a frame costs is shared by more of them."""
A_FEW = 20
BEAT = 1.0
"""Seconds between heartbeats."""
KEPT_ENTRIES = 500

_UNENCODABLE = (OverflowError, TypeError, ValueError, msgspec.MsgspecError)


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
        self.told_from: float | None = None
        """Unix seconds from when on every change is an entry; None while the first list is under way."""
        self.health: Callable[[], Health] = _starting(clock)
        """Asked for each frame; the worker sets it to its informer's."""
        self._clock = clock
        self._sender = sender or Sender(layer, Trouble())
        self._snapshots = Snapshots(key, self.epoch, clock)
        self._entry_seq = 0
        self._pending = Pending()
        self._told = self.health()
        self._wake = asyncio.Event()
        self._ended = False
        self._sending = asyncio.Lock()

    def put(self, row: Row) -> None:
        """The object is now as `row` says. Within a tick only the latest row of an object is sent."""
        self.rows[row.uid] = row
        self._pending.put(row.uid, row)
        self._wake.set()

    def drop(self, uid: str) -> None:
        """The object is gone."""
        self.rows.pop(uid, None)
        self._pending.put(uid, None)
        self._wake.set()

    def entry(
        self,
        op: Operation,
        row: Row,
        words: str,
        tone: Tone,
        *,
        fields: tuple[tuple[str, str], ...] = (),
        reason: str = "",
        about: About | None = None,
    ) -> None:
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
            status=row.status,
            labels=row.labels,
            owner="/".join(row.owner[:2]) if row.owner is not None else "",
            reason=reason or row.reason,
            fields=fields,
            about=about,
        )
        self._pending.add(entry)
        self._wake.set()

    def describe(self, described: Described) -> None:
        """Say what the cells of rows are, with the next frame; to be called once, before the first `put`."""
        self._description = described
        self._wake.set()

    def nudge(self) -> None:
        """Send a frame now though no object changed: the informer's health did."""
        self._wake.set()

    def end(self) -> None:
        """Another publisher takes over: have `run` send what is pending, and return."""
        self._ended = True
        self._wake.set()

    async def run(self) -> None:
        """Send frames until cancelled, or until `end`: deltas each tick, a heartbeat each second."""
        beat = asyncio.create_task(self._beat())
        try:
            while not self._ended:
                await self._wake.wait()
                many = max(self._pending.changes, len(self._pending.entries)) > A_FEW
                await self.flush()
                await self._clock.sleep(LONG_TICK if many else TICK)
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

    async def answer(self, ask: Ask) -> None:
        """Send the chunk that a replica asks for, if it asks this epoch.

        A new snapshot is frozen together with the frames that bring everybody to it, so that it is the state after
        frame `seq` and no other; those frames leave first.
        """
        if ask.epoch and ask.epoch != self.epoch:
            return
        async with self._sending:
            if not ask.snapshot:
                sent = await self._send_pending()
                frames = self._taken()
                frozen = self._snapshots.freeze(self)
                if not sent or not await self._send(frames):
                    return  # nor would it take the chunk: who asks does so again
                await frozen.cut()
                ask = msgspec.structs.replace(ask, snapshot=frozen.name)
            chunk = self._snapshots.chunk(ask, self)
        await self._sender.to_channel(ask.reply, {"type": "feed.chunk", "data": self._encoded(chunk)})

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(BEAT)
            self._wake.set()

    async def _send_pending(self) -> bool:
        """Send what is pending now, a little at a time, so that others live in between; whether the layer took it all.

        Of what comes meanwhile the most is left for the next time.
        """
        self._wake.clear()
        sent = True
        for _ in range(1 + max(self._pending.changes // CHUNK_ROWS, len(self._pending.entries) // FRAME_ENTRIES)):
            frames = self._taken(CHUNK_ROWS, FRAME_ENTRIES)
            sent = sent and await self._send(frames)
            await asyncio.sleep(0)
        return sent

    def _taken(self, most_changes: int | None = None, most_entries: int | None = None) -> list[Frame]:
        """What is pending as numbered frames; without waiting, so that no delta can slip in between.

        Only the last one has the health that goes with all of it: a list of 20,000 is not live with its first frame.
        """
        changes, entries, counts = self._pending.take(most_changes, most_entries)
        self.rates.add(self._clock.time(), counts)
        self.entries.extend(entries)
        frames = []
        parts = parts_of(changes, entries)
        health = self._health()
        if health.state == "live" and self._pending:
            health = self._told
        if self._description is not None and not parts:
            parts = [((), (), ())]
        for part in parts:
            self.seq += 1
            frames.append(self._frame(health if part is parts[-1] else self._told, part, counts))
            counts = (0, 0, 0)
        return frames

    def _health(self) -> Health:
        health = self.health()
        if self.told_from is None and health.state == "live":
            self.told_from = self._clock.time()
        return health

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


def _starting(clock: Clock) -> Callable[[], Health]:
    health = Health(state="starting", since=clock.time())
    return lambda: health
