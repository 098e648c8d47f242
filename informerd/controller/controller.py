"""Controller: sources, a work queue, and the workers that reconcile (controller-runtime's controller package)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import AsyncExitStack
from math import inf

from informerd.clock import Clock, SystemClock
from informerd.controller.counters import ReconcileCounters
from informerd.controller.enqueuer import EnqueueTarget
from informerd.controller.handlers import as_request
from informerd.controller.phase_tracker import PhaseListener, PhaseTracker
from informerd.controller.reconcile_call import Reconcile, ReconcileCall, check_reconcile
from informerd.controller.reconcile_stats import ReconcileStats
from informerd.controller.request import Request
from informerd.controller.source_set import SourceSet
from informerd.controller.sources import Source
from informerd.controller.state import ControllerState, Phase
from informerd.controller.stuck_watchdog import Watchdog
from informerd.controller.workers import Workers
from informerd.errors import AlreadyStarted, InvalidCall
from informerd.workqueue.rate_limiter import RateLimiter
from informerd.workqueue.work_queue import WorkQueue

log = logging.getLogger(__name__)

SYNC_TIMEOUT = 120.0
"""Default seconds that a controller waits for its sources (controller-runtime's CacheSyncTimeout)."""

STUCK_AFTER = 60.0
"""Default seconds after which a reconcile is reported as stuck."""


class Controller:
    """Calls `reconcile` with the name of each object of which its sources say that it is to be looked at.

    * No request is with two workers at once. One that comes again meanwhile is reconciled once more afterwards.
    * No reconcile begins before every source's handler has been through all that was there at first.
    * A reconcile that raises is tried again, later each time (5 ms to 1,000 s by default), whatever it would have asked
      for; one that raises TerminalError is not, until its object changes. One that gives Result(requeue_after=…) starts
      anew in its count of failures, and so does one that gives None.
    * What a reconcile raises ends neither its worker nor the controller. Stopped, it waits for those under way.
    * News go before the objects that were there at first and updates that repeat a version; a requeue keeps its place.
    """

    def __init__(
        self,
        name: str,
        reconcile: Reconcile,
        *,
        sources: Iterable[Source] = (),
        workers: int = 1,
        limiter: RateLimiter[Request] | None = None,
        reconcile_timeout: float | None = None,
        sync_timeout: float | None = SYNC_TIMEOUT,
        needs_leader: bool = True,
        resource: str = "",
        stuck_after: float | None = STUCK_AFTER,
        clock: Clock | None = None,
    ) -> None:
        """`name` is for logs and metrics, and is to be no other controller's.

        `limiter` says when a failed request is tried again, by default ExponentialRateLimiter(). `reconcile_timeout`
        (seconds): a reconcile that takes longer is cancelled, which is an error like others. `sync_timeout` (seconds):
        for how long `run` waits for the sources, None for ever. `needs_leader`: whether a manager with an election runs
        it only while it leads. `resource` is the key of the resource that it is for, which its state shows.
        `stuck_after` (seconds): a reconcile that takes longer is warned of, once; None for never.
        Raises InvalidCall and InvalidReconcile.
        """
        _check(name, workers, reconcile_timeout=reconcile_timeout, sync_timeout=sync_timeout, stuck_after=stuck_after)
        check_reconcile(reconcile)
        _check_parts(name, sources, limiter)
        self.name = name
        self.resource = resource
        self.needs_leader = needs_leader
        self.workers = workers
        self._phases = PhaseTracker(name)
        self.problem = ""
        """Why it has failed, in words."""
        self._clock = clock or SystemClock()
        self.queue: WorkQueue[Request] = WorkQueue(name, clock=self._clock, limiter=limiter)
        self._sync_timeout = sync_timeout
        self._stuck_after = stuck_after
        self._stats = ReconcileStats(self._clock)
        attempt = ReconcileCall(reconcile, controller=name, timeout=reconcile_timeout, clock=self._clock)
        self._workers = Workers(workers, self.queue, attempt, self._stats, name=name, clock=self._clock)
        self._sources = SourceSet(EnqueueTarget(name, self.queue, self._clock))
        self._has_run = False
        self._stopping = asyncio.Event()
        for source in sources:
            self.watch(source)

    @property
    def counters(self) -> ReconcileCounters:
        """The counts so far, for metrics."""
        return self._stats.counters

    @property
    def sources(self) -> tuple[Source, ...]:
        """Its sources."""
        return tuple(self._sources)

    @property
    def active(self) -> int:
        """Workers that reconcile right now."""
        return len(self._stats.started_at)

    @property
    def phase(self) -> Phase:
        """The phase of its run; a manager sets it to "waiting for leader"."""
        return self._phases.current

    @phase.setter
    def phase(self, phase: Phase) -> None:
        self._phases.enter(phase)

    def on_phase(self, listener: PhaseListener) -> None:
        """Call `listener` with each phase that it enters from now on: a plain function, in the event loop."""
        self._phases.subscribe(listener)

    def watch(self, source: Source) -> None:
        """Also take requests from `source`: where the controller runs, at once and without waiting for its sync.

        Raises InvalidCall for what is no source, and after `stop`.
        """
        if self._stopping.is_set():
            raise InvalidCall(f"the controller {self.name} has been stopped and takes no more sources")
        self._sources.add(source)

    def requeue(self, request: Request, *, priority: int = 0) -> None:
        """Reconcile `request` now, without any delay that it has. Raises InvalidCall for a value that is not a Request.

        From another thread: ``loop.call_soon_threadsafe(controller.requeue, request)``.
        """
        self.queue.add(as_request(request), priority=priority)

    def stop(self) -> None:
        """End `run`: no new reconcile begins, and those under way are waited for. May be repeated."""
        self._stopping.set()
        self._workers.end()
        if self.phase not in ("stopped", "failed"):
            self.phase = "stopping"

    async def run(self) -> None:
        """Reconcile until `stop`, or until cancelled, which cancels reconciles too, and waits for their end.

        Raises CacheSyncTimeout, which names the sources that have not synced and says why not, InformerStopped, and
        AlreadyStarted the second time: a controller runs once.
        """
        if self._has_run:
            raise AlreadyStarted(f"the controller {self.name} was started before")
        self._has_run = True
        try:
            async with AsyncExitStack() as stack:
                stack.push_async_callback(self._sources.stop)
                if await self._is_synced():
                    await self._work()
        except Exception as error:
            self.phase, self.problem = "failed", str(error)
            raise
        finally:
            self.stop()
            if self.phase != "failed":
                self.phase = "stopped"
            log.info("the controller %s has ended", self.name, extra={"controller": self.name})

    def state(self) -> ControllerState:
        """Its present state. May be called from any thread."""
        p50, p99 = self._stats.quantiles(0.5, 0.99)
        return ControllerState(
            name=self.name,
            resource=self.resource,
            phase=self.phase,
            problem=self._problem_now(),
            workers=self.workers,
            active=self.active,
            queue=self.queue.state(),
            reconciles=dict(self.counters.outcomes),
            last_at=self._stats.last_at,
            p50=p50,
            p99=p99,
            failed=self._stats.recent_failures,
            stuck=self._stats.longer_than(self._stuck_after),
        )

    async def _is_synced(self) -> bool:
        """Start the sources and wait for them; False where it is stopped before."""
        self._enter("waiting for caches", "the controller %s waits for its caches", self.name)
        self._sources.start()
        return await self._sources.wait_for_sync(self._sync_timeout, self._stopping)

    async def _work(self) -> None:
        plural = "" if self.workers == 1 else "s"
        self._enter("running", "the controller %s starts %d worker%s", self.name, self.workers, plural)
        if self._stuck_after is None:
            await self._workers.run()
            return
        watchdog = Watchdog(self._stats, controller=self.name, limit=self._stuck_after, clock=self._clock)
        watching = asyncio.create_task(watchdog.run(), name=f"watchdog of the controller {self.name}")
        try:
            await self._workers.run()
        finally:
            watching.cancel()

    def _problem_now(self) -> str:
        if self.phase != "waiting for caches":
            return self.problem
        return "; ".join(f"{name} is {why}" for name, why in self._sources.pending.items())

    def _enter(self, phase: Phase, text: str, *words: object) -> None:
        self.phase = phase
        log.info(text, *words, extra={"controller": self.name, "phase": phase})


def _check_parts(name: str, sources: object, limiter: object) -> None:
    """Raises InvalidCall, with what to give instead."""
    if not isinstance(sources, Iterable):
        raise InvalidCall(f"the controller {name} has sources={sources!r}: give a list, such as [KindSource(informer)]")
    if limiter is not None and (isinstance(limiter, type) or not callable(getattr(limiter, "when", None))):
        raise InvalidCall(f"the controller {name} has limiter={limiter!r}: give one, such as ExponentialRateLimiter()")


def _check(name: object, workers: object, **seconds: object) -> None:
    """Raises InvalidCall, with what to give instead."""
    if not isinstance(name, str) or not name:
        raise InvalidCall(f"a controller needs a name, for logs and metrics, not {name!r}")
    if not isinstance(workers, int) or workers < 1:
        raise InvalidCall(f"the controller {name} has workers={workers!r}: give a whole number, at least 1")
    for option, value in seconds.items():
        if value is not None and not (isinstance(value, int | float) and 0 < value < inf):
            raise InvalidCall(f"the controller {name} has {option}={value!r}: give seconds, more than 0, or None")
