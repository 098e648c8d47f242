"""Thread that writes history: takes changes from the queue, writes them in batches, begins and drops parts."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context

from dashboard.live.history.carry_over import CarryOver
from dashboard.live.history.change_queue import Change, ChangeQueue, Item, ListEnd, Tick
from dashboard.live.history.part import (
    FORMAT,
    READABLE_FORMATS,
    HistoryUnavailable,
    Part,
    Parts,
    RecorderSession,
    RowsRefused,
)
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.part_writer import Counts, PartWriter
from dashboard.live.history.retention import MICROSECONDS, Retention, log_dropped
from dashboard.live.history.version import Operation
from dashboard.runtime.malloc_tuning import list_ended

logger = logging.getLogger(__name__)

MAX_BATCH = 5_000
"""Most changes of a transaction."""
SHORT_PAUSE = 0.03
"""Seconds between two steps of copying what a new part begins with, each of which takes about as long."""
IDLE_SECONDS = 2.0
"""Seconds between two transactions while nothing changes, which say until when that was so."""
RETRY_SECONDS = 1.0
MAX_RETRY_SECONDS = 10.0
"""Seconds between two tries while the database cannot be used."""
STANDBY_SECONDS = 1.0
"""Seconds after which a recorder that stands by tries again to become the one that records."""
CLOCK_TOLERANCE = 10 * MICROSECONDS
"""By which the clocks of two machines may differ that record one after the other."""
CLOCK_BEHIND = "no worker ran, and the clock was set back"
LISTING_SECONDS = 15.0
"""Seconds for which lists go before what they brought is written, as long as no more than a batch of changes waits."""
LISTING_PAUSE = 0.1
MAINTENANCE_SECONDS = 15.0
"""Seconds between two looks at sizes."""


class RecorderThread:
    """Records the changes of one cluster, as the only one that does, or stands by.

    `on_begin` and `on_end` are called in the thread: when it begins to record, or goes on after a failure, with the
    reason where changes were lost by it, and the time of the last change that was recorded; and when it no longer may.
    The parts have `connection`, the key of how the cluster is reached (cluster_identity.py), where it is not empty.
    While `is_listing`, which is called there too, nothing is written for a while: at a start, pages come first.
    """

    def __init__(
        self,
        parts: Parts,
        cluster: str,
        queue: ChangeQueue,
        retention: Retention,
        *,
        connection: str = "",
        on_begin: Callable[[str, int], None],
        on_end: Callable[[], None],
        is_listing: Callable[[], bool] = lambda: False,
        wall_time: Callable[[], float] = time.time,
    ) -> None:
        self.counts = Counts()
        self.problem = ""
        """Why nothing can be written now; empty where it can."""
        self.is_recording = False
        self.is_standing_by = False
        """Whether another recorder was recording at the last try."""
        self.recording_since: float | None = None
        """Unix seconds since when this recorder records without a failure; None where it does not."""
        self.last_error: tuple[float, str] | None = None
        """Unix seconds and the kind of the last failure; None before one."""
        self.retries = 0
        self.size: int | None = None
        """Bytes of all parts in the database, of all clusters; None before they were asked for."""
        self._parts = parts
        self._cluster = cluster
        self._connection = connection
        self._queue = queue
        self._retention = retention
        self._on_begin = on_begin
        self._on_end = on_end
        self._is_listing = is_listing
        self._wall_time = wall_time
        self._pending: list[Item] = []
        self._lost = ""
        self._stopping = threading.Event()
        self._writer: PartWriter | None = None
        self._carry: CarryOver | None = None
        self._maintained_at = float("-inf")
        self._written_at = float("-inf")
        self._listed = 0
        """Objects of lists since the last one that ended."""
        self._thread = threading.Thread(target=copy_context().run, args=(self._run,), name="history", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Let the thread write what waits, and end."""
        self._stopping.set()
        self._queue.wake()

    def cpu_seconds(self) -> float:
        """Processor time that the thread has used."""
        if self._thread.ident is None or not self._thread.is_alive():
            return 0.0
        return time.clock_gettime(time.pthread_getcpuclockid(self._thread.ident))

    def join(self, seconds: float) -> bool:
        """Wait for the end. Whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        delay = RETRY_SECONDS
        while not self._stopping.is_set():
            try:
                session = self._parts.begin_recording(self._cluster)
                self.is_standing_by = session is None
                if session is None:
                    self.problem = ""
                    self._stand_by()
                    self._stopping.wait(STANDBY_SECONDS)
                    continue
                try:
                    self._record(session)
                finally:
                    self._close(session)
                delay = RETRY_SECONDS
            except RowsRefused as error:
                self._failed(error, str(error))
                self._pending.clear()
                self._lost = f"the database refused them: {error}"
            except HistoryUnavailable as error:
                self._failed(error, str(error))
            except Exception as error:
                logger.exception("recording the history failed, and is tried again in %g s", delay)
                self._failed(error, f"{type(error).__name__}: {error}")
                self._pending.clear()  # or it might fail again
                self._lost = f"recording failed: {type(error).__name__}"
            self._stopping.wait(delay)
            delay = min(2 * delay, MAX_RETRY_SECONDS)
        self._stand_by()

    def _failed(self, error: Exception, problem: str) -> None:
        self.is_standing_by, self.recording_since = False, None
        self.last_error = self._wall_time(), type(error.__cause__ or error).__name__
        if not self.problem:
            logger.warning("the history cannot be written: %s", problem)
        self.problem = problem
        self.retries += 1

    def _stand_by(self) -> None:
        if self.is_recording:
            self.is_recording, self.recording_since = False, None
            self._pending.clear()
            self._on_end()

    def _record(self, session: RecorderSession) -> None:
        """Record until the end or HistoryUnavailable."""
        self._open(session)
        if not self.is_recording:
            self.is_recording = True
            logger.info("recording the history of cluster %s", self._cluster)
        self.recording_since = self._wall_time()
        last_time = self._writer.last_time if self._writer is not None else 0
        if last_time > self._now() + CLOCK_TOLERANCE:
            self._lost = self._lost or CLOCK_BEHIND
        self._on_begin(self._lost, last_time)
        self._lost = ""
        self._let_lists_come()
        while True:
            is_ending = self._stopping.is_set()
            if not self._pending:
                seconds = 0.0 if is_ending else SHORT_PAUSE if self._carry else 1.0
                self._pending = self._queue.take(MAX_BATCH, seconds)
            self._write_pending(is_ending)
            if is_ending and not self._pending and not len(self._queue):
                return
            if not is_ending:
                self._maintain(session)

    def _let_lists_come(self) -> None:
        began = time.monotonic()
        while (
            self._is_listing()
            and len(self._queue) < MAX_BATCH
            and time.monotonic() - began < LISTING_SECONDS
            and not self._stopping.wait(LISTING_PAUSE)
        ):
            pass

    def _write_pending(self, is_ending: bool) -> None:
        now = time.monotonic()
        if not self._pending or self._writer is None:
            return
        is_idle = all(isinstance(item, Tick) for item in self._pending)
        if is_idle and not is_ending and now - self._written_at < IDLE_SECONDS:
            self._pending = []
            return
        listed = sum(isinstance(item, Change) and item.operation is Operation.FOUND for item in self._pending)
        is_list, self._listed = listed > 0, self._listed + listed
        has_list_end = any(isinstance(item, ListEnd) for item in self._pending)
        self._writer.write(self._pending)
        self._pending, self._written_at = [], now
        if has_list_end:
            list_ended(self._listed)
            self._listed = 0
        if is_list and not is_ending and len(self._queue) < MAX_BATCH:  # leave the event loop its share
            self._stopping.wait(time.monotonic() - now)
        if self.problem:
            logger.info("the history is written again")
            self.problem = ""

    def _open(self, session: RecorderSession) -> None:
        """Open the newest part, or begin the first one. What a part lacks of its beginning is copied at once."""
        parts = self._parts.list(self._cluster)
        part = parts[-1] if parts else session.create_part(self._now())
        writer = PartWriter(session.connect(part), self.counts)
        if writer.format != FORMAT:
            part = session.create_part(max(self._now(), writer.last_time + 1))
            parts = [*parts, part] if writer.format in READABLE_FORMATS else []
            writer = PartWriter(session.connect(part), self.counts)
        self._note_connection(writer)
        self._writer = writer
        if not self._writer.is_complete:
            if len(parts) < 2:
                self._writer.mark_complete()
            else:
                self._carry = self._carry_over(parts[-2], self._writer)
                while self._carry.step() and not self._stopping.is_set():
                    pass
                self._end_carry()

    def _maintain(self, session: RecorderSession) -> None:
        """Go on with the beginning of a new part, or look whether another one is due."""
        if self._writer is None:
            return
        if self._carry is not None:
            if not self._carry.step():
                self._end_carry()
            return
        if time.monotonic() - self._maintained_at < MAINTENANCE_SECONDS:
            return
        self._maintained_at = time.monotonic()
        part, now, sizes = self._writer.part, self._now(), self._parts.sizes()
        self.size = sum(sizes.values())
        if self._retention.is_full(part, sizes.get(part, 0), self._writer.begun_with, now):
            self.begin_part(session)
        try:
            log_dropped(self._retention.drop_old(self._parts, self._writer.part, now), self._retention)
        except HistoryUnavailable as error:  # somebody reads it, say: recording goes on
            logger.info("the history's oldest part cannot be dropped now: %s", error)

    def begin_part(self, session: RecorderSession) -> None:
        """Begin another part, and copy what exists in the steps that follow."""
        before = self._writer
        if before is None:
            return
        part = session.create_part(max(self._now(), before.last_time + 1))
        writer = PartWriter(session.connect(part), self.counts)
        writer.take_over(before)
        self._note_connection(writer)
        self._writer = writer
        self._carry = self._carry_over(before.part, writer)

    def _note_connection(self, writer: PartWriter) -> None:
        if self._connection:
            writer.note_connection(self._connection, self._now())

    def _carry_over(self, before: Part, writer: PartWriter) -> CarryOver:
        return CarryOver(PartReader(self._parts.connect(before)), writer, lambda: self._parts.sizes()[writer.part])

    def _end_carry(self) -> None:
        carry, self._carry = self._carry, None
        if carry is not None:
            carry.close()

    def _close(self, session: RecorderSession) -> None:
        self._end_carry()
        self._writer = None
        session.close()

    def _now(self) -> int:
        return int(self._wall_time() * MICROSECONDS)
