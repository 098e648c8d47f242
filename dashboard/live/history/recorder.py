"""Recorder of history in a worker: one handler for each followed kind, one queue, one thread that writes.

The event loop does nothing but put a change into a bounded queue. A database that is slow or away makes gaps, never a
slow feed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from dashboard.live.history.change_queue import ChangeQueue, Tick
from dashboard.live.history.kind_recording import OVERFLOW, KindRecording, RecordedInformer
from dashboard.live.history.part import Parts
from dashboard.live.history.part_writer import Counts
from dashboard.live.history.recorder_thread import RecorderThread
from dashboard.live.history.retention import MICROSECONDS, Retention
from informerd.clock import Clock, rfc3339

logger = logging.getLogger(__name__)

TICK = 1.0
"""Seconds between two notes of what is covered."""
CLOCK_TOLERANCE = MICROSECONDS
"""By which the clock may go back without a word."""
STOP_SECONDS = 5.0
"""Seconds that the end waits for what is in the queue to be written."""


class Recorder:
    """Records what `follow` is given of one cluster, from `run` on."""

    def __init__(
        self,
        parts: Parts,
        identity: Callable[[], Awaitable[str]],
        records_kind: Callable[[str], bool],
        clock: Clock,
        retention: Retention | None = None,
        queue: ChangeQueue | None = None,
        connection: str = "",
    ) -> None:
        """`identity` is that of the cluster, and `connection` the key of how it is reached, see cluster_identity.py."""
        self.queue = queue if queue is not None else ChangeQueue()
        self.retention = retention or Retention()
        self.thread: RecorderThread | None = None
        """None until the cluster's identity is known."""
        self._parts = parts
        self._identity = identity
        self._connection = connection
        self._records_kind = records_kind
        self._clock = clock
        self._kinds: list[KindRecording] = []
        self._lost = 0
        self._not_before = 0
        self._is_behind = False
        self._is_listing = True
        """Whether a kind was being listed at the last tick, for the thread; before the first one, too."""

    @property
    def problem(self) -> str:
        """Why nothing can be written now; empty where it can, or another worker does it."""
        return self.thread.problem if self.thread is not None else ""

    @property
    def is_recording(self) -> bool:
        """Whether this recorder is the one that writes."""
        return self.thread is not None and self.thread.is_recording

    @property
    def counts(self) -> Counts:
        """What was written."""
        return self.thread.counts if self.thread is not None else Counts()

    @property
    def size(self) -> int | None:
        """Bytes of the history of all clusters in the database, as this recorder last saw; None while it has not."""
        return self.thread.size if self.thread is not None else None

    @property
    def lost(self) -> int:
        """Changes that are in gaps, because there was no room for them."""
        return self._lost + sum(each.lost for each in self._kinds)

    @property
    def state(self) -> str:
        """Whether it records, and since when or why not, in words."""
        thread = self.thread
        if thread is None:
            return "not recording before the cluster's identity is known"
        if thread.recording_since is not None:
            return f"recording since {rfc3339(thread.recording_since)}"
        if thread.problem:
            return "cannot be written"
        return "standing by for another worker" if thread.is_standing_by else "beginning to record"

    def describe(self) -> str:
        """Its state, how many changes wait and the last failure, in one line without the database's own words: they may
        have its address.
        """
        thread, words = self.thread, self.state
        if thread is None or not thread.is_standing_by:
            words += f", {len(self.queue):,} changes wait"
        if thread is not None and thread.last_error is not None:
            at, name = thread.last_error
            words += f", last failure at {rfc3339(at)}: {name}"
        return words

    def follow(self, key: str, informer: RecordedInformer) -> KindRecording | None:
        """Record a kind until `unfollow`; None where it is not to be recorded."""
        if not self._records_kind(key):
            return None
        recording = KindRecording(key, informer, self.queue, self._now, self._why_full)
        self._kinds.append(recording)
        return recording

    def unfollow(self, recording: KindRecording) -> None:
        """Record a kind no more."""
        if recording in self._kinds:
            self._kinds.remove(recording)
            self._lost += recording.lost
            self._tick([recording])
        recording.stop()

    async def run(self) -> None:
        """Record until cancelled; then write what is in the queue."""
        loop = asyncio.get_running_loop()
        self.thread = RecorderThread(
            self._parts,
            await self._identity(),
            self.queue,
            self.retention,
            connection=self._connection,
            on_begin=lambda lost, last_time: self._begin(loop, lost, last_time),
            on_end=self.queue.become_ring,
            is_listing=lambda: self._is_listing,
            wall_time=self._clock.time,
        )
        self.thread.start()
        try:
            while True:
                await self._clock.sleep(TICK)
                self._is_listing = any(each.is_listing for each in self._kinds)
                self._tick(self._kinds)
        finally:
            await self._stop(self.thread)

    def _tick(self, kinds: list[KindRecording]) -> None:
        covered = (each.covered() for each in kinds)
        self.queue.put(Tick(tuple(each for each in covered if each is not None)))

    async def _stop(self, thread: RecorderThread) -> None:
        self._tick(self._kinds)
        thread.stop()
        loop = asyncio.get_running_loop()
        await asyncio.shield(loop.run_in_executor(None, thread.join, STOP_SECONDS))

    def _begin(self, loop: asyncio.AbstractEventLoop, lost: str, last_time: int) -> None:
        """Called in the thread."""
        self._not_before = max(self._not_before, last_time + 1)
        since = self.queue.become_queue()
        try:
            loop.call_soon_threadsafe(self._list_again, since, lost)
        except RuntimeError:  # the loop has ended
            return

    def _list_again(self, since: int, lost: str) -> None:
        for recording in self._kinds:
            recording.list_again(since=since, reason=lost)

    def _why_full(self) -> str:
        return f"the database could not be written: {self.problem}" if self.problem else OVERFLOW

    def _now(self) -> int:
        """Unix microseconds; they stand still while the clock is behind what was recorded."""
        now = int(self._clock.time() * MICROSECONDS)
        is_behind = now < self._not_before - CLOCK_TOLERANCE
        if is_behind and not self._is_behind:
            seconds = (self._not_before - now) / MICROSECONDS
            text = "the clock was set back by %.0f s: until it has caught up, changes have the time before that"
            logger.warning(text, seconds)
        self._is_behind = is_behind
        self._not_before = max(self._not_before, now)
        return self._not_before
