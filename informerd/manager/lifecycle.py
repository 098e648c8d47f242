"""Lifecycle: the order in which a manager's parts start and stop (controller-runtime's pkg/manager/internal.go).

Start: probes and metrics → caches → event recorder → others → leader-elected. Stop: others → leader-elected → event
recorder → caches → probes and metrics. The lease is released when all that needed it has ended; otherwise it is left to
expire.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from informerd.clock import Clock
from informerd.errors import LeaderElectionLost
from informerd.leader_election.election_thread import ElectionThread
from informerd.manager.caches import Caches
from informerd.manager.probe_server import ProbeServer
from informerd.manager.runnable_group import RunnableGroup
from informerd.manager.state import ManagerPhase
from informerd.record.recorder import FLUSH_SECONDS, EventRecorder

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class ManagerParts:
    """Parts of a manager that are started and stopped."""

    probes: ProbeServer | None
    caches: Caches
    recorder: EventRecorder
    others: RunnableGroup
    leaders: RunnableGroup
    election: ElectionThread | None


class Lifecycle:
    """One run of a manager's parts."""

    def __init__(self, parts: ManagerParts, *, graceful: float, clock: Clock) -> None:
        self.phase: ManagerPhase = "created"
        self._parts = parts
        self._graceful = graceful
        self._clock = clock
        self._stop = asyncio.Event()
        self._recording: asyncio.Task[None] | None = None
        self._ends_at = clock.now()

    def stop(self) -> None:
        """Make `wait_until_end` return."""
        self._stop.set()

    async def start(self) -> None:
        """Start the parts that all others need. Raises ConfigError where the probes' address cannot be had."""
        self.phase = "starting"
        if self._parts.probes is not None:
            await self._parts.probes.start()
            address = self._parts.probes.address
            log.info("probes and metrics are at http://%s", address, extra={"address": address})
        self._parts.caches.start()
        self._recording = asyncio.create_task(self._parts.recorder.run(), name="event recorder")

    async def wait_until_end(self) -> LeaderElectionLost | None:
        """Start the rest, and wait for `stop` (returns None) or the loss of the lease (returns its error)."""
        stopped = asyncio.create_task(self._stop.wait(), name="stop of the manager")
        working = asyncio.create_task(self._start_work(), name="start of the manager's work")
        lost: asyncio.Task[Any] | None = None
        if self._parts.election is not None:
            lost = asyncio.create_task(self._parts.election.wait_until_lost(), name="loss of the lease")
        try:
            waited = {stopped, working} | ({lost} if lost else set())
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if working.done() and not stopped.done() and not (lost and lost.done()):
                working.result()
                await asyncio.wait(waited - {working}, return_when=asyncio.FIRST_COMPLETED)
            return lost.result() if lost is not None and lost.done() else None
        finally:
            tasks = [task for task in (stopped, working, lost) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def end(self, lease_lost: LeaderElectionLost | None) -> tuple[str, ...]:
        """Stop all in order, within `graceful` seconds, at once after `lease_lost`; returns the names of what has not
        ended.
        """
        self.phase = "stopping"
        self._ends_at = self._clock.now() + (0 if lease_lost else self._graceful)
        if lease_lost:  # what must not go on is stopped first
            await self._parts.leaders.stop(0)
        left = await self._parts.others.stop(self._seconds)
        leading = await self._parts.leaders.stop(self._seconds)
        left += leading
        await self._flush()
        if self._parts.election is not None:
            await self._parts.election.stop(release=not leading and not lease_lost)
        left += await self._parts.caches.stop(max(self._seconds, 1.0))
        if self._parts.probes is not None:
            await self._parts.probes.stop()
        self.phase = "stopped"
        return tuple(dict.fromkeys(left))

    def abandon(self) -> None:
        """Cancel all that still runs, without waiting: the waiter for `end` was cancelled."""
        self._parts.leaders.cancel()
        self._parts.others.cancel()
        if self._recording is not None:
            self._recording.cancel()
        if self._parts.election is not None:
            self._parts.election.abandon()
        self.phase = "stopped"

    async def _start_work(self) -> None:
        await self._parts.caches.wait_until_settled()
        self._parts.others.start()
        if self._parts.election is not None:
            self.phase = "waiting for leader"
            self._parts.election.start()
            await self._parts.election.wait_until_leading()
        self.phase = "running"
        self._parts.leaders.start()

    async def _flush(self) -> None:
        """Write the events recorded so far, as long as the time allows and one is written or refused every 5 s."""
        if self._recording is None:
            return
        recorder = self._parts.recorder
        handled = recorder.state().handled
        while not self._recording.done() and not await recorder.flush(min(self._seconds, FLUSH_SECONDS)):
            before, handled = handled, recorder.state().handled
            if handled == before or not self._seconds:
                break
        self._recording.cancel()
        await asyncio.wait((self._recording,))

    @property
    def _seconds(self) -> float:
        return max(self._ends_at - self._clock.now(), 0.0)
