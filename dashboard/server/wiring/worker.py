"""Wiring of the worker: the connection to the cluster, informers and controllers, from the settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard.cluster.choice import ClusterChoice
from dashboard.cluster.connection import Connection, cluster_name
from dashboard.live.history.recorder import Recorder
from dashboard.live.object_counts.collector import ObjectCountsCollector
from dashboard.live.replication.channel_layer import ChannelLayer, ChannelLayerHealth
from dashboard.live.replication.delta_traces import DeltaTraces
from dashboard.live.replication.rejected_messages import RejectedMessages
from dashboard.live.usage.metrics_api import is_served
from dashboard.live.usage.prometheus import Prometheus
from dashboard.live.usage.usage_collector import UsageCollector
from dashboard.live.worker.namespace_access import ACCESS_INTERVAL, NamespaceAccess, near_namespaces
from dashboard.live.worker.namespace_counts import NamespaceCounts
from dashboard.live.worker.shard_claim import ShardClaim, shard_election
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import KindInfo, parse_kinds
from dashboard.pages.controllers.builtin_controllers import DEMO_CONTROLLERS, check_names, new_manager
from dashboard.pages.controllers.runner import ControllerRunner
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.log_context import LogContext, set_log_context
from dashboard.runtime.loop_delay import LoopDelay
from dashboard.runtime.shard import WHOLE, Shard
from dashboard.runtime.tracing import Traces, open_traces
from dashboard.server.wiring.channel_layer import build_channel_layer
from dashboard.server.wiring.history import build_recorder, kinds_recorded, secret_hash_key
from devcluster.workload_size import WorkloadSize
from informerd.clock import Clock, SystemClock, within
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.testing.demo_process import DemoProcess

VERSION_WAIT = 2.0
"""Seconds to wait for the API server's version before its kinds are listed."""

logger = logging.getLogger(__name__)


class WorkerProcess:
    """The connection and, where this process has one, the worker that watches the cluster and runs controllers."""

    def __init__(
        self,
        choice: ClusterChoice,
        kinds: tuple[KindInfo, ...],
        layer: ChannelLayer,
        clock: Clock,
        *,
        with_worker: bool,
        only_records: bool = False,
        controllers: tuple[str, ...] | None = None,
        demo: DemoProcess | None = None,
        rejected: RejectedMessages | None = None,
        traces: Traces | None = None,
    ) -> None:
        self.connection = Connection(
            choice, clock, on_switch=self._switched, demo=demo, read_only=settings.DELTABOARD_READ_ONLY
        )
        self.worker: Worker | None = None
        self.access: NamespaceAccess | None = None
        """Namespaces that the account may list; None while there is no cluster."""
        self.controllers: ControllerRunner | None = None
        self.kinds = kinds
        self.usage: UsageCollector | None = None
        """What polls the metrics API; None where nothing does."""
        self.history: Recorder | None = None
        """What records history; None where nothing does."""
        self._census: list[asyncio.Task[None]] = []
        self._claiming: asyncio.Task[None] | None = None
        """What takes a shard and watches it, where that is decided by a Lease."""
        self.layer = layer
        self.rejected_messages = rejected or RejectedMessages(clock)
        """What was dropped of the messages that `layer` brought."""
        self.layer_health = ChannelLayerHealth()
        self.traces = traces
        self.delta_traces = DeltaTraces(traces) if traces is not None else None
        self.loop_delay = LoopDelay(clock)
        self._clock = clock
        self._with_worker = with_worker
        self._only_records = only_records
        self._controllers = controllers

    @property
    def history_problem(self) -> str:
        """Why this process's worker cannot write history; empty where it can."""
        return self.history.problem if self.history is not None else ""

    @property
    def cannot_watch(self) -> bool:
        """Whether this process's own worker cannot start, because the cluster's configuration cannot be used."""
        return self._with_worker and self.connection.cluster_chosen.is_set() and self.connection.client is None

    async def close_traces(self) -> None:
        """Send the traces that are recorded; nothing is recorded any more."""
        if self.traces is not None:
            await self.traces.close()

    async def run(self) -> None:
        """Choose, connect, watch, until cancelled; then close everything and end the demo cluster."""
        set_log_context(LogContext(partial(cluster_name, self.connection)))
        measuring = asyncio.create_task(self.loop_delay.run(), name="delay of the event loop")
        try:
            await self.connection.run()
        finally:
            await cancel_all([measuring])
            await self._stop_worker()
            await self.connection.close()

    async def _switched(self, client: Client, discovery: Discovery) -> None:
        """The client has changed: start another worker, whose new epoch the replicas follow."""
        production, name = settings.DELTABOARD_PRODUCTION, self.connection.cluster.name
        if production.names and name not in production.names:
            logger.info("cluster %s is not production: DELTABOARD_PRODUCTION does not name it", name)
        await self._stop_worker()
        access = self.access = NamespaceAccess(
            client,
            self._clock,
            chosen=settings.DELTABOARD_NAMESPACES,
            near=near_namespaces(self.connection.cluster.namespace),
        )
        if self._with_worker:
            start = partial(self._start_worker, client, access, discovery)
            if settings.DELTABOARD_SHARD.is_any:
                run = partial(self._run_claimed, client, start)
                name = "a worker of a shard"
                self._claiming = asyncio.create_task(keep_running(name, run, self._clock), name=name)
            else:
                await start(settings.DELTABOARD_SHARD)

    async def _run_claimed(self, client: Client, start: Callable[[Shard], Awaitable[None]]) -> None:
        """Watch a shard that no other worker has. While its Lease is lost, and none is to be had, go on with it."""
        election_of = partial(shard_election, settings.DELTABOARD_CHANNEL_PREFIX)
        claim, shard = ShardClaim(client, settings.DELTABOARD_SHARD.count, self._clock, election_of), None
        try:
            while True:
                claimed = await claim.acquire(shard)
                if claimed != shard:
                    await self._stop_watching()
                    logger.info("this worker watches shard %s", claimed)
                    await start(claimed)
                    shard = claimed
                await claim.wait_until_lost()
                logger.warning("the lease of shard %s is lost", shard)
        finally:
            await self._stop_watching()
            await claim.release()

    async def _start_worker(self, client: Client, access: NamespaceAccess, discovery: Discovery, shard: Shard) -> None:
        """Start a worker of a shard, and what it does beside."""
        await _ask_version(client, self._clock)
        self.history = build_recorder(client, self.connection.cluster, self._clock)
        self.worker = Worker(
            client,
            self.layer,
            self.kinds,
            self._clock,
            discovery=discovery,
            layer_health=self.layer_health,
            limits=settings.DELTABOARD_ON_DEMAND,
            access=access if shard == WHOLE else None,
            history=self.history,
            hash_key=secret_hash_key() if self.history is not None else b"",
            traces=self.delta_traces,
            shard=shard,
            publishes=not self._only_records,
        )
        self.worker.start()
        if not self._only_records:
            self._start_beside(self.worker, client, access, discovery)

    def _start_beside(self, worker: Worker, client: Client, access: NamespaceAccess, discovery: Discovery) -> None:
        """Start what else a worker does: counting, measuring, and controllers."""
        self._census = [self._start_counting(worker, client, access)]
        if settings.DELTABOARD_USAGE_SECONDS:
            self._census.append(self._start_measuring(worker, client, access, discovery))
        self.controllers = self._new_controllers()
        self.controllers.start()

    def _start_counting(self, worker: Worker, client: Client, access: NamespaceAccess) -> asyncio.Task[None]:
        """Count objects with a discovery of its own, which it refreshes each minute while pages show counts."""
        discovery = Discovery(client, clock=self._clock)
        taker = ObjectCountsCollector(
            client,
            discovery,
            self.layer,
            self._clock,
            epoch=worker.epoch,
            is_followed=worker.is_published,
            layer_health=self.layer_health,
            count_objects=NamespaceCounts(client, access, self._clock).count,
        )
        return asyncio.create_task(keep_running("counting objects", taker.run, self._clock), name="census")

    def _start_measuring(
        self, worker: Worker, client: Client, access: NamespaceAccess, discovery: Discovery
    ) -> asyncio.Task[None]:
        """Poll the metrics API, for all pages."""

        async def allowed(resource: Resource) -> tuple[str, ...]:
            return (await access.allowed(resource, after=self._clock.now() - ACCESS_INTERVAL)).namespaces

        address = settings.DELTABOARD_PROMETHEUS
        prometheus = Prometheus(address, settings.DELTABOARD_PROMETHEUS_TOKEN) if address else None
        self.usage = UsageCollector(
            client,
            self.layer,
            self._clock,
            epoch=worker.epoch,
            rows=worker.rows,
            allowed=allowed,
            is_served=partial(is_served, discovery),
            layer_health=self.layer_health,
            is_connected=worker.is_connected,
            interval=settings.DELTABOARD_USAGE_SECONDS,
            namespaces=settings.DELTABOARD_NAMESPACES,
            prometheus=prometheus,
            shard=worker.shard,
        )
        return asyncio.create_task(keep_running("measuring usage", self.usage.run, self._clock), name="usage")

    def _new_controllers(self) -> ControllerRunner:
        """The controllers, with leader election wherever another process may run them too: everywhere but on the demo
        cluster.
        """
        cluster, is_demo = self.connection.cluster, self.connection.is_demo
        default = DEMO_CONTROLLERS if is_demo and not settings.DELTABOARD_READ_ONLY else ()
        wanted = self._controllers if self._controllers is not None else default
        make = partial(
            new_manager,
            wanted,
            cluster,
            self._clock,
            leader_election=not is_demo,
            namespaces=settings.DELTABOARD_NAMESPACES,
        )
        return ControllerRunner(wanted, make, self.layer, self._clock, layer_health=self.layer_health)

    async def _stop_worker(self) -> None:
        claiming, self._claiming = self._claiming, None
        if claiming is not None:
            await cancel_all([claiming])
        await self._stop_watching()

    async def _stop_watching(self) -> None:
        controllers, self.controllers = self.controllers, None
        if controllers is not None:
            await controllers.stop()
        census, self._census, self.usage = self._census, [], None
        await cancel_all(census)
        worker, self.worker, self.history = self.worker, None, None
        if worker is not None:
            await worker.stop()


async def _ask_version(client: Client, clock: Clock) -> None:
    """Have the client know the API server's version before its kinds are listed, where it comes at once."""
    with suppress(InformerdError, TimeoutError):
        async with within(VERSION_WAIT, clock):
            await client.version()


def choice_from_settings(*, context: str = "") -> ClusterChoice:
    """The cluster choice of the settings; `context` (a command's --context) wins."""
    environ: Mapping[str, str] = settings.CLUSTER_ENVIRON
    return ClusterChoice(
        environ=environ,
        home=Path(environ.get("HOME") or Path.home()),
        context=context or settings.DELTABOARD_CONTEXT,
        is_demo_asked=not context and settings.DELTABOARD_CLUSTER == "demo",
        demo_allowed=not settings.REDIS_URL,
    )


def kinds_from_settings() -> tuple[KindInfo, ...]:
    """DELTABOARD_KINDS. Raises ImproperlyConfigured for an unknown name."""
    try:
        return parse_kinds(settings.DELTABOARD_KINDS)
    except ValueError as error:
        raise ImproperlyConfigured(f"DELTABOARD_KINDS: {error}") from None


def controllers_from_settings() -> tuple[str, ...] | None:
    """DELTABOARD_CONTROLLERS, None where it is not set. Raises ImproperlyConfigured for an unknown name."""
    if settings.DELTABOARD_CONTROLLERS is None:
        return None
    try:
        return check_names(settings.DELTABOARD_CONTROLLERS)
    except ValueError as error:
        raise ImproperlyConfigured(f"DELTABOARD_CONTROLLERS: {error}") from None


def build_worker_process(
    *, context: str = "", with_worker: bool, only_records: bool = False, clock: Clock | None = None
) -> WorkerProcess:
    """The worker's objects, from the settings. One that only records publishes nothing and runs no controllers.

    Raises ImproperlyConfigured.
    """
    if only_records and (settings.DELTABOARD_SHARD != WHOLE or not settings.DELTABOARD_HISTORY):
        raise ImproperlyConfigured(
            "informerd --record-only records the whole cluster's history: leave DELTABOARD_SHARD out, and set "
            "DELTABOARD_HISTORY=on"
        )
    clock = clock or SystemClock()
    kinds_recorded(settings.DELTABOARD_HISTORY_KINDS)
    rejected = RejectedMessages(clock)
    size = WorkloadSize(pods=settings.DEMO_PODS, rate=settings.DEMO_RATE, seed=settings.DEMO_SEED)
    return WorkerProcess(
        choice_from_settings(context=context),
        kinds_from_settings(),
        build_channel_layer(rejected),
        clock,
        with_worker=with_worker,
        only_records=only_records,
        controllers=controllers_from_settings(),
        demo=DemoProcess(clock, options=size.flags, kubeconfig=settings.VAR_DIR / "demo.kubeconfig"),
        rejected=rejected,
        traces=open_traces(settings.DELTABOARD_TRACES, settings.DELTABOARD_TRACES_RATIO, clock),
    )
