"""Workers that take requests from the queue, reconcile them, and handle the outcome of each."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from informerd.clock import Clock
from informerd.controller.counters import Outcome
from informerd.controller.reconcile_call import ReconcileCall, outcome_of
from informerd.controller.reconcile_stats import ReconcileStats, format_error
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import InformerdError, QueueShutDown, TerminalError
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.workqueue.work_queue import WorkQueue

log = logging.getLogger(__name__)

TURN_SECONDS = 0.01
"""Seconds for which workers may keep the event loop before it gets its turn."""

TURN_REQUESTS = 100
"""Requests after which the event loop gets its turn, however few seconds they took."""

RESTART_DELAY = 10.0
"""Seconds until a request is tried again whose rate limiter raised."""


class Workers:
    """Runs `count` workers. Source of the rules: controller-runtime's internal/controller/controller.go.

    An exception of a reconcile, SystemExit included, is that reconcile's failure, and no worker ends by it; so is a
    cancellation that does not come from `run`, such as of something that it awaits. KeyboardInterrupt is the exception.
    """

    def __init__(
        self,
        count: int,
        queue: WorkQueue[Request],
        attempt: ReconcileCall,
        stats: ReconcileStats,
        *,
        name: str,
        clock: Clock,
    ) -> None:
        self._count = count
        self._queue = queue
        self._attempt = attempt
        self._stats = stats
        self._name = name
        self._clock = clock
        self._repeats = LogThrottle(clock)
        self._ending = False
        self._runner: asyncio.Task[object] | None = None
        self._turn_began = clock.now()
        self._in_turn = 0

    def end(self) -> None:
        """End after the reconciles in progress; waiting requests are left."""
        self._ending = True
        self._queue.shut_down()

    async def run(self) -> None:
        """Work until `end`, and then until the last reconcile is over; cancelled, these are cancelled too."""
        self._runner = asyncio.current_task()
        names = (f"worker {number + 1} of the controller {self._name}" for number in range(self._count))
        tasks = [asyncio.create_task(self._work(), name=name) for name in names]
        try:
            _, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self._ending and rest:
                await asyncio.wait(rest)
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            self.end()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _work(self) -> None:
        queue, running, now = self._queue, self._stats.started_at, self._clock.now
        while not self._ending:
            try:
                request = await queue.get()
            except QueueShutDown:
                return
            began = running[request] = now()
            try:
                if not self._ending:
                    await self._reconcile(request, began)
            finally:
                del running[request]
                queue.done(request)
            await self._take_back_cancellation()
            await self._take_turns()

    async def _reconcile(self, request: Request, began: float) -> None:
        try:
            result = await self._attempt(request)
        except asyncio.CancelledError as error:
            if self._is_ending:
                raise
            self._failed(request, error, began)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - no exception of a reconcile ends its worker
            self._failed(request, error, began)
        else:
            outcome = self._went_well(request, result)
            self._stats.record_end(outcome, self._clock.now() - began)

    def _went_well(self, request: Request, result: Result | None) -> Outcome:
        self._stats.record_success(request)
        if result is not None and result.requeue_after is not None:
            self._forget(request)
            self._queue.add_after(request, result.requeue_after, priority=result.priority)
            return "requeue_after"
        if result is not None and result.requeue:
            self._add_rate_limited(request, result.priority)
            return "requeue"
        self._forget(request)
        return "success"

    def _failed(self, request: Request, error: BaseException, began: float) -> None:
        outcome = outcome_of(error)
        self._stats.record_end(outcome, self._clock.now() - began)
        if outcome == "terminal":
            self._forget(request)
            retry_in = None
        else:
            retry_in = self._add_rate_limited(request)
        self._stats.record_failure(request, error, retry_in)
        self._say(request, error, retry_in)

    def _add_rate_limited(self, request: Request, priority: int | None = None) -> float:
        """Add the request after the limiter's delay, or RESTART_DELAY where it raises; returns those seconds."""
        try:
            return self._queue.add_rate_limited(request, priority=priority)
        except Exception as error:  # noqa: BLE001 - a rate limiter that raises ends no worker
            self._say_limiter(request, error)
            self._queue.add_after(request, RESTART_DELAY, priority=priority)
            return RESTART_DELAY

    def _forget(self, request: Request) -> None:
        try:
            self._queue.forget(request)
        except Exception as error:  # noqa: BLE001 - a rate limiter that raises ends no worker
            self._say_limiter(request, error)

    def _say_limiter(self, request: Request, error: Exception) -> None:
        if number := self._repeats.count("limiter"):
            fields = {"controller": self._name, "object": request.key, "failures": number}
            text = "the rate limiter of the controller %s failed on %s%s"
            log.error(text, self._name, request.key, repeat_suffix(number), exc_info=error, extra=fields)

    def _say(self, request: Request, error: BaseException, retry_in: float | None) -> None:
        """Log one line for an error of the API server or of the reconcile itself, and a traceback for any other."""
        number = self._repeats.count(type(error).__name__)
        if not number:
            return
        expected = isinstance(error, InformerdError) and (type(error) is not TerminalError or error.__cause__ is None)
        again = "no further try until it changes" if retry_in is None else f"next try in {retry_in:.3g} s"
        fields = {"controller": self._name, "object": request.key, "failures": number, "retry_in": retry_in}
        text = "the controller %s failed on %s: %s; %s%s"
        words = (self._name, request.key, format_error(error), again, repeat_suffix(number))
        log.error(text, *words, exc_info=None if expected else error, extra=fields)

    @property
    def _is_ending(self) -> bool:
        """Also true where the loop is closed, which cancels all tasks, a worker possibly before the end is known."""
        return self._ending or (self._runner is not None and self._runner.cancelling() > 0)

    async def _take_back_cancellation(self) -> None:
        """A reconcile may have cancelled the current task, which is its worker, and ended before that came to it."""
        task = asyncio.current_task()
        if task is None or self._is_ending or not task.cancelling():
            return
        while task.uncancel():
            pass
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)

    async def _take_turns(self) -> None:
        """Give the event loop its turn: reconciles that never wait would keep it."""
        self._in_turn += 1
        if self._in_turn >= TURN_REQUESTS or self._clock.now() - self._turn_began >= TURN_SECONDS:
            await asyncio.sleep(0)
            self._in_turn = 0
            self._turn_began = self._clock.now()
