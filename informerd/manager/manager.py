"""Manager: caches, controllers, election, probes and signals of one program, started and stopped in order.

The same as controller-runtime's pkg/manager, in one event loop that it shares with the rest of the program.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar, Unpack, overload

from informerd.cache.factory import SharedInformerFactory
from informerd.clock import Clock, SystemClock
from informerd.controller.controller import SYNC_TIMEOUT, Controller
from informerd.controller.predicates import Predicate
from informerd.controller.reconcile_call import Reconcile
from informerd.controller.sources import Source
from informerd.errors import (
    AlreadyStarted,
    DuplicateController,
    InformerdError,
    InvalidCall,
    LeaderElectionLost,
    StillRunning,
)
from informerd.leader_election.election_config import Election, own_identity
from informerd.leader_election.election_thread import ElectionThread
from informerd.manager.cache_options import CacheOptions
from informerd.manager.cached_client import CachedClient
from informerd.manager.cached_kind import CachedKind
from informerd.manager.caches import Caches
from informerd.manager.controller_builder import ControllerOptions, sources_of
from informerd.manager.healthz import Check, HealthChecks
from informerd.manager.lifecycle import Lifecycle, ManagerParts
from informerd.manager.metrics_page import MetricsPage
from informerd.manager.probe_server import ProbeServer
from informerd.manager.runnable import Runnable, make_run
from informerd.manager.runnable_group import RunnableGroup
from informerd.manager.signals import LastResort, Signals, is_in_loop
from informerd.manager.state import ManagerPhase, ManagerState
from informerd.objects import Object
from informerd.record.recorder import EventRecorder
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.leader_write_guard import guard_writes
from informerd.rest.rest_client import USER_AGENT

log = logging.getLogger(__name__)
T = TypeVar("T", bound=Object)

GRACEFUL_SHUTDOWN_TIMEOUT = 30.0
"""Seconds that an orderly end may take (controller-runtime's defaultGracefulShutdownPeriod)."""


LEFTOVERS_SECONDS = 3.0
"""Seconds that a program waits after that for tasks and threads that cannot be ended."""


class Manager:
    """Runs controllers and whatever else they need, in the order of `informerd.manager.lifecycle`.

    * Each thing that it runs is contained: what one raises is logged, counted and shown by `state()`, and the others go
      on. (controller-runtime ends the process, whose restart then tries again; here a controller whose kind is missing
      waits for it, and says so, while the others work.)
    * With an `election`, what needs the leader runs while this process holds the lease, and its writes, by whatever
      client of this library, raise NotLeading once it may not hold it any more. The lease is given up only when all of
      that has ended. A lease that is lost ends all at once: `run` raises LeaderElectionLost.
    * `stop` and the first signal let what is being reconciled be finished, within `graceful` seconds.
    """

    def __init__(
        self,
        client: Client | ClusterConfig,
        *,
        factory: SharedInformerFactory | None = None,
        clock: Clock | None = None,
        election: Election | None = None,
        probes: str | None = None,
        graceful: float = GRACEFUL_SHUTDOWN_TIMEOUT,
        sync_timeout: float | None = SYNC_TIMEOUT,
        resync: float = 0.0,
        namespaces: Sequence[str] = (),
        strip_managed_fields: bool = False,
        wait_for_own_writes: bool = False,
        user_agent: str = USER_AGENT,
    ) -> None:
        """`client`: one that is given stays the caller's to close, and a `factory` the caller's to stop.

        `probes` is where /healthz, /readyz and /metrics are served, such as ``:8081``; None for nowhere. `sync_timeout`
        (seconds) is the default of `controller`; None waits for ever. `resync` (seconds) is that of the caches, see
        SharedInformerFactory; not of a `factory` that is given. `namespaces` and `strip_managed_fields` are defaults of
        `kind`. With `wait_for_own_writes`, a write through `kind` returns when its cache shows it.
        Raises InvalidCall.
        """
        _check(client, election, graceful)
        self._clock = clock or SystemClock()
        self._own_client = isinstance(client, ClusterConfig)
        rest = client if isinstance(client, Client) else Client(client, clock=self._clock, user_agent=user_agent)
        self.factory = factory or SharedInformerFactory(rest, clock=self._clock, resync=resync)
        """Where the caches' informers come from."""
        self.client = CachedClient(
            rest,
            self.factory,
            clock=self._clock,
            shared=factory is not None,
            namespaces=namespaces,
            strip_managed_fields=strip_managed_fields,
            wait_for_own_writes=wait_for_own_writes,
        )
        self.identity = election.identity if election else own_identity()
        self._election_terms = election
        self._election: ElectionThread | None = None
        self._sync_timeout = sync_timeout
        self._graceful = graceful
        self._controllers: dict[str, Controller] = {}
        self._caches = Caches(self.client, shared=factory is not None, clock=self._clock)
        self._recorder = EventRecorder(rest, "manager", clock=self._clock)
        self._others = RunnableGroup(self._clock)
        self._leaders = RunnableGroup(self._clock, self._leader_context)
        self._health, self._ready = HealthChecks("healthz"), HealthChecks("readyz")
        self._health.add("ping", lambda: True)
        self._ready.add("caches", self._caches.check)
        self._ready.add("runnables", self._check_runnables)
        self.metrics = MetricsPage(self.client, self)
        self._probes = None if probes is None else ProbeServer(probes, (self._health, self._ready), self.metrics.text)
        self._lifecycle: Lifecycle | None = None
        self._stopped = False
        self._began: float | None = None

    @property
    def probes_address(self) -> str:
        """``host:port`` where probes are answered; "" where they are not (yet)."""
        return self._probes.address if self._probes else ""

    @property
    def controllers(self) -> tuple[Controller, ...]:
        """Its controllers, in the order in which they were added."""
        return tuple(self._controllers.values())

    def recorder(self, component: str) -> EventRecorder:
        """A recorder of Kubernetes Events for a component, whose events this manager writes while it runs."""
        return self._recorder.for_source(component)

    @overload
    def kind(self, resource: Resource, **options: Unpack[CacheOptions]) -> CachedKind[Object]: ...

    @overload
    def kind(self, resource: Resource, projection: type[T], **options: Unpack[CacheOptions]) -> CachedKind[T]: ...

    def kind(
        self, resource: Resource, projection: type[Object] = Object, **options: Unpack[CacheOptions]
    ) -> CachedKind[Any]:
        """A kind to read from a cache and to write, whose objects come as `projection`; asked for again, one cache.

        Raises InformerExists where the manager has a cache of it with another projection or transform, and what
        `SharedInformerFactory.informer` raises.
        """
        kind = self.client.kind(resource, projection, **options)
        if self._lifecycle is not None and not self._stopped:
            self._caches.start()
        return kind

    def controller(
        self,
        name: str,
        for_: CachedKind[T],
        *,
        owns: Iterable[CachedKind[Any]] = (),
        watches: Iterable[Source] = (),
        predicates: Iterable[Predicate[T]] = (),
        workers: int = 1,
        **options: Unpack[ControllerOptions],
    ) -> Callable[[Reconcile], Controller]:
        """Decorates an async function of a Request: makes it a controller that this manager runs.

        It is asked to reconcile each object of `for_` whose events pass the `predicates`, the controlling owner of each
        object of `owns`, and what `watches` say, such as ``pods.sources(EnqueueMapped(…))``. The other options are
        Controller's. Raises DuplicateController, InvalidCall and InvalidReconcile.
        """
        sources = sources_of(for_, owns, watches, predicates)
        options.setdefault("sync_timeout", self._sync_timeout)

        def decorate(reconcile: Reconcile) -> Controller:
            controller = Controller(
                name,
                reconcile,
                sources=sources,
                workers=workers,
                resource=for_.resource.key,
                clock=self._clock,
                **options,
            )
            self.add(controller)
            return controller

        return decorate

    def add(
        self,
        runnable: Runnable | Callable[[], Awaitable[Any]],
        *,
        name: str = "",
        needs_leader: bool | None = None,
    ) -> None:
        """Run it, too: a Controller, what has `async def run(self)`, or an async function; at once where this runs.

        `needs_leader`: whether only the leader runs it; by default as its attribute of that name says, else yes. It is
        stopped by its `stop()`, else by cancellation. Raises DuplicateController, and InvalidCall for what is none of
        these and where this has been running and is stopped: nothing would ever run it.
        """
        if self._stopped and self._lifecycle is not None:
            raise InvalidCall("this manager has been stopped: make another one")
        if isinstance(runnable, Controller):
            if runnable.name in self._controllers:
                raise DuplicateController(runnable.name)
            self._controllers[runnable.name] = runnable
        run = make_run(runnable, name)
        if needs_leader is None:
            needs_leader = bool(getattr(runnable, "needs_leader", True))
        if needs_leader and self._election_terms is not None and isinstance(runnable, Controller):
            runnable.phase = "waiting for leader"
        (self._leaders if needs_leader else self._others).add(run)

    def add_health_check(self, name: str, check: Check) -> None:
        """Add `check` to /healthz: when it fails, kubelet restarts the container. See `Check`."""
        self._health.add(name, check)

    def add_ready_check(self, name: str, check: Check) -> None:
        """Have /readyz ask `check`, too. It says of itself which caches and runnables are not well. See `Check`."""
        self._ready.add(name, check)

    def stop(self) -> None:
        """Have `run` end in order; also before it has begun."""
        self._stopped = True
        if self._lifecycle is not None:
            self._lifecycle.stop()

    async def run(self) -> None:
        """Run all, until `stop`, or until cancelled, which stops in order, too; a second cancellation cuts that short.

        Raises LeaderElectionLost, StillRunning where something has not ended within `graceful` seconds, ConfigError
        where the probes cannot be served, and AlreadyStarted the second time.
        """
        if self._lifecycle is not None:
            raise AlreadyStarted("a manager runs only once: make another one")
        self._began = self._clock.time()
        if self._election_terms is not None:
            config, terms = self.client.rest.config, self._election_terms
            user_agent = f"{self.client.rest.user_agent} leader-election"
            self._election = ElectionThread(config, terms, user_agent=user_agent)
        lifecycle = self._lifecycle = Lifecycle(self._parts(), graceful=self._graceful, clock=self._clock)
        if self._stopped:
            lifecycle.stop()
        lost: LeaderElectionLost | None = None
        left: tuple[str, ...] = ()
        try:
            await lifecycle.start()
            lost = await lifecycle.wait_until_end()
        finally:
            self._stopped = True
            left = await self._end(lifecycle, lost)
            if self._own_client:
                await self.client.rest.close()
            if left:
                log.error("not ended within %g s: %s", self._graceful, ", ".join(left), extra={"left": left})
        if lost is not None:
            raise lost
        if left:
            raise StillRunning(left, self._graceful)

    def run_program(self) -> int:
        """Run all as a program, in the main thread; returns the exit code: 0, or 1 after an error, which is logged.

        The first SIGINT or SIGTERM stops in order, the second one ends the process with 1 immediately. Raises
        InvalidCall in another thread and inside an event loop, where `run` must be awaited.
        """
        if is_in_loop():
            raise InvalidCall("an event loop runs here already: await run()")
        last_resort = LastResort(LEFTOVERS_SECONDS)
        with Signals() as signals:
            try:
                asyncio.run(self._run_until(signals, last_resort))
            except InformerdError as error:
                log.error("the manager has ended: %s", error, extra={"problem": str(error)})  # noqa: TRY400 - its own errors say what to do
                return 1
            finally:
                last_resort.disarm()
        return 0

    def state(self) -> ManagerState:
        """Its present state."""
        leadership = self._election.leadership if self._election else None
        return ManagerState(
            identity=self.identity,
            phase=self._phase,
            lease=leadership.lease if leadership else "",
            leads=leadership.is_leading if leadership else self._election_terms is None,
            leader=leadership.last_record.holder if leadership else self.identity,
            since=leadership.last_record.since if leadership else self._began,
            renewed_at=leadership.last_record_at if leadership else None,
            problem=leadership.problem if leadership else "",
            events=self._recorder.state(),
            controllers=tuple(each.state() for each in self._controllers.values()),
            runnables=tuple(run.state() for run in (*self._others.runs, *self._leaders.runs)),
        )

    async def _end(self, lifecycle: Lifecycle, lost: LeaderElectionLost | None) -> tuple[str, ...]:
        try:
            return await lifecycle.end(lost)
        except BaseException:  # a second cancellation
            lifecycle.abandon()
            raise

    @property
    def _phase(self) -> ManagerPhase:
        return self._lifecycle.phase if self._lifecycle else "created"

    def _parts(self) -> ManagerParts:
        return ManagerParts(
            probes=self._probes,
            caches=self._caches,
            recorder=self._recorder,
            others=self._others,
            leaders=self._leaders,
            election=self._election,
        )

    def _leader_context(self) -> AbstractContextManager[None]:
        return nullcontext() if self._election is None else guard_writes(self._election.leadership.guard)

    def _check_runnables(self) -> None:
        failed = [f"{run.name}: {run.problem}" for run in self.state().runnables if run.phase == "failed"]
        if failed:
            raise InformerdError("; ".join(failed))

    async def _run_until(self, signals: Signals, last_resort: LastResort) -> None:
        def drain(name: str) -> None:
            log.info("%s: stopping in order; a second signal ends at once", name, extra={"signal": name})
            self.stop()

        signals.on_first(drain)
        try:
            await self.run()
        finally:
            last_resort.arm()


def _check(client: object, election: object, graceful: float) -> None:
    """Raises InvalidCall, with what to give instead."""
    if not isinstance(client, Client | ClusterConfig):
        raise InvalidCall(f"a manager needs a Client or a ClusterConfig, such as current_cluster(), not {client!r}")
    if election is not None and not isinstance(election, Election):
        raise InvalidCall(f"election={election!r}: give Election('name'), the name of its Lease")
    if not graceful >= 0:
        raise InvalidCall(f"graceful={graceful!r}: give seconds, 0 for an end without any grace")
