"""Shared informer: one reflector, one store, any number of handlers."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from informerd.cache.api_server_probe import Probe
from informerd.cache.backoff import Backoff
from informerd.cache.condition_waiters import ConditionWaiters
from informerd.cache.counters import InformerCounters
from informerd.cache.delta_fifo import DeltaFifo
from informerd.cache.delta_processor import DeltaProcessor
from informerd.cache.handler import Handler, check_handler
from informerd.cache.health import Health, HealthMonitor, not_synced_reason
from informerd.cache.index import IndexFunction
from informerd.cache.list_watch import ListWatch
from informerd.cache.listener import Listener, is_cancelled
from informerd.cache.lister import Lister
from informerd.cache.mutation_detector import MutationDetector, MutationHandler
from informerd.cache.notification import Add
from informerd.cache.reflector import Reflector
from informerd.cache.reflector_failures import WatchErrorHandler
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_processor import SharedProcessor
from informerd.cache.store import Store
from informerd.cache.version_waiters import VersionWaiters
from informerd.clock import Clock, SystemClock, within
from informerd.decoding.decode_error_counts import FaultListener
from informerd.errors import AlreadyStarted, InformerStopped, InvalidCall, NotFound, NotInTime, Unreadable
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.objects import Object
from informerd.resource import Resource
from informerd.resource_version import has_reached, parse_resource_version

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)
R = TypeVar("R")

Registration = Listener
"""The result of add_handler: `has_synced`, `wait_for_sync()`, `remove()`, `failures`, `depth`."""

MINIMUM_RESYNC = 1.0
"""Seconds; a shorter resync period is raised to it."""


class SharedInformer(Generic[T]):
    """Keeps `store` equal to the API server's objects and notifies handlers of changes.

    Handlers are notified in order, at least once, each from a task of its own: see `handler.Handler`. The store changes
    before they are notified. `health()` says how fresh the store is.
    """

    def __init__(
        self,
        list_watch: ListWatch[T],
        *,
        clock: Clock | None = None,
        probe: Probe | None = None,
        resync: float = 0.0,
        indexes: Mapping[str, IndexFunction[T]] | None = None,
        settings: ReflectorSettings | None = None,
        on_mutation: MutationHandler | None = None,
    ) -> None:
        self.resource: Resource = list_watch.resource
        self.namespace = list_watch.namespace
        self.selector = list_watch.selector
        self.list_watch = list_watch
        """Which objects these are, and how they are asked for."""
        self.store: Store[T] = Store(indexes)
        self.lister = Lister(self.resource, self.store, list_watch.projection, self._pending)
        """Answers by name, namespace, selectors and indexes from the store."""
        self._clock = clock or SystemClock()
        self._monitor = HealthMonitor(self._clock, self.resource.key)
        self._fifo: DeltaFifo[T] = DeltaFifo(self._clock)
        self._reflector = Reflector(
            list_watch, self._fifo, clock=self._clock, monitor=self._monitor, probe=probe, settings=settings
        )
        self._faults = list_watch.faults
        self.counters = InformerCounters(self._reflector.counters, self._faults.counts, self._monitor.states_entered)
        """The counts so far, for metrics."""
        self._repeats = LogThrottle(self._clock)
        self._default_resync = resync
        self._handlers: SharedProcessor[T] = SharedProcessor(self._clock, self.counters.handlers)
        self._version_waiters = VersionWaiters()
        self._condition_waiters = ConditionWaiters()
        self._synced = False
        self._settled = asyncio.Event()
        self._started = False
        self._stopped = False
        self._backoff = Backoff(self._clock)
        self._monitor.subscribe(self._works)
        self.mutations: MutationDetector[T] | None = None
        """Detector of changes to the store's objects, where there is an `on_mutation`."""
        if on_mutation is not None:
            key = self.resource.key
            self.mutations = MutationDetector(key, self.store, clock=self._clock, on_mutation=on_mutation)
        self._processor = DeltaProcessor(
            self._fifo,
            self.store,
            self._handlers,
            counters=self.counters,
            mutations=self.mutations,
            on_batch=self._after_batch,
        )

    @property
    def has_synced(self) -> bool:
        """Whether the store has held a first complete list. Handlers may still process it, see Registration."""
        return self._synced

    @property
    def last_resource_version(self) -> str:
        """The version up to which the API server's word was read; the store's own is `store.resource_version`."""
        return self._reflector.last_resource_version

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """By key the objects that exist and whose present state cannot be read: nested too deeply, or broken.

        The store has no older state of them. Where it had one, handlers got a delete of unknown final state; once the
        object can be read again, they get an add.
        """
        return self.store.unreadable

    @property
    def registrations(self) -> list[Registration[T]]:
        """The handlers' registrations, in the order in which they were added."""
        return self._handlers.listeners

    @property
    def queue_length(self) -> tuple[int, float]:
        """The number of deltas on their way into the store, and the age of the oldest in seconds."""
        return len(self._fifo), self._fifo.oldest_age

    def health(self) -> Health:
        """Present health of the store, see `Health`."""
        return self._monitor.snapshot()

    def on_health(self, listener: Callable[[Health], None]) -> Callable[[], None]:
        """Call `listener` at each change of state, problem or next try; returns a function that ends this."""
        return self._monitor.subscribe(listener)

    def on_fault(self, listener: FaultListener) -> Callable[[], None]:
        """Call `listener` with the error of each object that could not be decoded as it came; returns a function that
        ends this.

        The informer continues: an object of another kind, or one on which the transform failed, is left out; one that
        cannot be read (UnreadableObject) is taken out, see `unreadable`; one that the projection does not fit
        (ProjectionMismatch) is stored with nothing but its metadata.
        """
        return self._faults.subscribe(listener)

    def set_watch_error_handler(self, handler: WatchErrorHandler) -> None:
        """Call `handler` with each failure of a list or watch. Raises AlreadyStarted after `run`."""
        if self._started:
            raise AlreadyStarted("the watch-error handler must be set before the informer starts")
        self._reflector.recovery.on_error = handler

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Add an index, at any time. Raises IndexExists."""
        self.store.add_index(name, function)

    def add_handler(
        self,
        handler: Handler[T],
        *,
        resync: float | None = None,
        same_version_updates: bool | None = None,
        name: str = "",
        in_thread: bool = False,
    ) -> Registration[T]:
        """Notify `handler` of everything in the store, as adds of the initial list, and then of every change.

        `resync`: seconds between updates for every object although nothing changed (0 for none, at least 1; default is
        the informer's). `same_version_updates`: whether updates that repeat a resource version (resync, relist) are
        delivered; by default only with a resync. `name` is the handler's name in logs and metrics, by default its class
        or function; handlers of one name are counted together. `in_thread`: the handler's functions are plain ones that
        block, and are called in a thread of their own. Raises InformerStopped, and InvalidCall for an object that is
        not a handler.
        """
        if self._stopped:
            raise self._stopped_error()
        check_handler(handler)
        period = self._default_resync if resync is None else resync
        listener = Listener(
            handler,
            clock=self._clock,
            resync=max(period, MINIMUM_RESYNC) if period > 0 else 0.0,
            same_version_updates=period > 0 if same_version_updates is None else same_version_updates,
            on_remove=self._handlers.forget,
            name=name,
            resource=self.resource.key,
            in_thread=in_thread,
        )
        self._handlers.add(listener)
        if len(self.store):
            listener.enqueue([Add(obj, True) for obj in self.store])
        if self.has_synced:
            listener.enqueue_end_of_initial_list()
        if self._started:
            listener.start()
        return listener

    async def wait_for_sync(self) -> None:
        """Wait until `has_synced`. Raises InformerStopped."""
        await self._settled.wait()
        if not self._synced:
            raise self._stopped_error()

    async def wait_for(self, resource_version: str) -> None:
        """Wait until the store has seen `resource_version`, such as that of one's own write.

        Raises InformerStopped, and MalformedResourceVersion for what the store could never reach.
        """
        parse_resource_version(resource_version)
        if has_reached(self.store.resource_version, resource_version):
            return
        if self._stopped:
            raise self._stopped_error()
        await self._version_waiters.wait(resource_version)

    async def wait_until(self, predicate: Callable[[Lister[T]], R], timeout: float | None = None) -> R:
        """Wait until `predicate` of the lister is true; returns its answer, at once where it is true already.

        It is asked after each batch of changes that reaches the store, and never in between; it must be plain and
        quick. Before the first complete list, and where it raises NotFound, the answer is not yet. Raises NotInTime, a
        TimeoutError, after `timeout` seconds (None: never), which says its last answer and how fresh the store is; what
        the predicate raises; and InformerStopped.
        """
        if inspect.iscoroutinefunction(predicate):
            raise InvalidCall("the predicate must be a plain function, not an async one")
        last = "never asked"

        def condition() -> R | None:
            nonlocal last
            if not self._synced:
                return None
            try:
                answer = predicate(self.lister)
            except NotFound as error:
                last = str(error)
                return None
            last = f"its last answer was {answer!r:.500}"
            return answer or None

        if self._stopped:
            raise self._stopped_error()
        try:
            async with within(timeout, self._clock):
                return await self._condition_waiters.wait(condition)
        except TimeoutError:
            state = not_synced_reason(self.health())
            problem = f"waited {timeout:g} s for a condition of {self.resource.key}, which are {state}: {last}"
            raise NotInTime(problem) from None

    async def run(self) -> None:
        """Run until cancelled. Raises AlreadyStarted the second time, InformerStopped after `close`.

        A fault of the informer's own is logged, and the store becomes stale; after the reflector's backoff it lists
        again, which notifies handlers exactly of what they missed. Waiters for a version or the sync continue to wait.
        (client-go lets the process crash.)
        """
        if self._started:
            raise AlreadyStarted(f"the informer of {self.resource.key} was started before")
        if self._stopped:
            raise self._stopped_error()
        self._started = True
        self._handlers.start()
        try:
            while True:
                await self._say_and_wait(await self._run_until_fault())
        finally:
            await self.close()

    async def _run_until_fault(self) -> Exception:
        """Run until something fails that must not, then drop what is queued: the next list has it."""
        try:
            await asyncio.create_task(self._work(), name=f"work of the informer {self.resource.key}")
        except ExceptionGroup as group:
            self._fifo.clear()
            self._say_restart(group.exceptions[0])
            if is_cancelled():  # the group had a fault to raise and forgot that it was cancelled as well
                raise asyncio.CancelledError from group
            return group.exceptions[0]
        raise AssertionError("none of these ends by itself")

    async def _work(self) -> None:
        """All that runs. In a task of its own, because a TaskGroup that meets a fault cancels the task it is in."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._reflector.run(), name=f"reflector {self.resource.key}")
            tasks.create_task(self._processor.run(), name=f"processor {self.resource.key}")
            tasks.create_task(self._handlers.resync(self._fifo), name=f"resync {self.resource.key}")
            if self.mutations is not None:
                tasks.create_task(self.mutations.run(), name=f"mutation detector {self.resource.key}")

    def _say_restart(self, fault: Exception) -> None:
        self.counters.restarts += 1
        if number := self._repeats.count(type(fault).__name__):
            fields = {"resource": self.resource.key, "failures": number}
            text = "the informer of %s has failed and will list again%s"
            log.error(text, self.resource.key, repeat_suffix(number), exc_info=fault, extra=fields)

    async def _say_and_wait(self, fault: Exception) -> None:
        delay = self._backoff.next()
        problem = f"the informer of {self.resource.key} has failed and will list again: {fault}"
        self._reflector.recovery.declare_stale(problem, has_answer=True, retry_at=self._clock.time() + delay)
        await self._clock.sleep(delay)

    async def close(self) -> None:
        """End the handlers and wait for that; all waiters get InformerStopped.

        For an informer that never ran; one that runs does this at its end.
        """
        self._stopped = True
        self._settled.set()
        self._fifo.close()
        self._version_waiters.fail(self._stopped_error())
        self._condition_waiters.fail(self._stopped_error())
        await self._handlers.stop()
        if self.mutations is not None:
            self.mutations.compare_all()

    def _stopped_error(self) -> InformerStopped:
        return InformerStopped(f"the informer of {self.resource.key} has stopped")

    def _works(self, health: Health) -> None:
        if health.state == "live":
            self._backoff.record_success()

    def _after_batch(self) -> None:
        if self._fifo.has_synced and not self._synced:
            self._synced = True
            self._settled.set()
            self._handlers.distribute_end_of_initial_list()
        self._monitor.set_unreadable(self.store.unreadable)
        self._version_waiters.release(self.store.resource_version)
        self._condition_waiters.ask()

    def _pending(self) -> str:
        """Why no complete list is in the store yet; empty once one is."""
        return "" if self.store.has_list else not_synced_reason(self.health())
