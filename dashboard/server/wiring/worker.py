"""The side towards the cluster, joined from the settings: all of the worker process, a part of a web process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from channels.layers import get_channel_layer
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard.census.taker import CensusTaker
from dashboard.cluster_choice import ClusterChoice
from dashboard.connection import Connection
from dashboard.controllers.managing import new_manager
from dashboard.controllers.registry import DEMO, checked_names
from dashboard.controllers.runner import ControllerRunner
from dashboard.live.layer import Layer, Trouble
from dashboard.live.tasks import cancelled, kept_running
from dashboard.live.worker import Worker
from dashboard.resources.kinds import KindInfo, kinds_named
from devcluster.size import Size
from informerd.clock import Clock, SystemClock
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.testing.demo_process import DemoProcess


class Upstream:
    """The connection and, where it is this process's task, the worker that watches the cluster and runs controllers."""

    def __init__(
        self,
        choice: ClusterChoice,
        kinds: tuple[KindInfo, ...],
        layer: Layer,
        clock: Clock,
        *,
        with_worker: bool,
        controllers: tuple[str, ...] | None = None,
        demo: DemoProcess | None = None,
    ) -> None:
        self.connection = Connection(choice, clock, on_switch=self._switched, demo=demo)
        self.worker: Worker | None = None
        self.controllers: ControllerRunner | None = None
        self.kinds = kinds
        self._census: list[asyncio.Task[None]] = []
        self._layer = layer
        self._trouble = Trouble()
        self._clock = clock
        self._with_worker = with_worker
        self._wanted = controllers

    @property
    def cannot_watch(self) -> bool:
        """Whether this process's own worker cannot begin, because the cluster's configuration cannot be used."""
        return self._with_worker and self.connection.chosen.is_set() and self.connection.client is None

    async def run(self) -> None:
        """Choose, connect, watch, until cancelled; then everything is closed and the demo cluster ended."""
        try:
            await self.connection.run()
        finally:
            await self._stop_worker()
            await self.connection.close()

    async def _switched(self, client: Client, discovery: Discovery) -> None:
        """Another client: another worker, whose new epoch the replicas follow."""
        await self._stop_worker()
        if self._with_worker:
            self.worker = Worker(
                client, self._layer, self.kinds, self._clock, discovery=discovery, trouble=self._trouble
            )
            self.worker.start()
            self._census = [self._take_census(self.worker, client)]
            self.controllers = self._new_controllers()
            self.controllers.start()

    def _take_census(self, worker: Worker, client: Client) -> asyncio.Task[None]:
        """With a discovery of its own, which it has ask anew each minute while somebody looks."""
        discovery = Discovery(client, clock=self._clock)
        taker = CensusTaker(
            client,
            discovery,
            self._layer,
            self._clock,
            epoch=worker.epoch,
            follows=worker.follows,
            trouble=self._trouble,
        )
        return asyncio.create_task(kept_running("the counting of kinds", taker.run, self._clock), name="census")

    def _new_controllers(self) -> ControllerRunner:
        """Elected wherever another process may run them too, which is everywhere but on the demo cluster."""
        cluster, is_demo = self.connection.cluster, self.connection.is_demo
        wanted = self._wanted if self._wanted is not None else DEMO if is_demo else ()
        make = partial(new_manager, wanted, cluster, self._clock, elected=not is_demo)
        return ControllerRunner(wanted, make, self._layer, self._clock, trouble=self._trouble)

    async def _stop_worker(self) -> None:
        controllers, self.controllers = self.controllers, None
        if controllers is not None:
            await controllers.stop()
        census, self._census = self._census, []
        await cancelled(census)
        worker, self.worker = self.worker, None
        if worker is not None:
            await worker.stop()


def choice_from_settings(*, context: str = "") -> ClusterChoice:
    """What the settings say about the cluster; `context` (a command's --context) wins."""
    environ: Mapping[str, str] = settings.CLUSTER_ENVIRON
    return ClusterChoice(
        environ=environ,
        home=Path(environ.get("HOME") or Path.home()),
        context=context or settings.DELTABOARD_CONTEXT,
        demo=not context and settings.DELTABOARD_CLUSTER == "demo",
        demo_allowed=not settings.REDIS_URL,
    )


def kinds_from_settings() -> tuple[KindInfo, ...]:
    """DELTABOARD_KINDS. Raises ImproperlyConfigured for a name that means nothing."""
    try:
        return kinds_named(settings.DELTABOARD_KINDS)
    except ValueError as error:
        raise ImproperlyConfigured(f"DELTABOARD_KINDS: {error}") from None


def controllers_from_settings() -> tuple[str, ...] | None:
    """DELTABOARD_CONTROLLERS, None where it is not set. Raises ImproperlyConfigured for a name that means nothing."""
    if settings.DELTABOARD_CONTROLLERS is None:
        return None
    try:
        return checked_names(settings.DELTABOARD_CONTROLLERS)
    except ValueError as error:
        raise ImproperlyConfigured(f"DELTABOARD_CONTROLLERS: {error}") from None


def build_upstream(*, context: str = "", with_worker: bool, clock: Clock | None = None) -> Upstream:
    """The side towards the cluster, as the settings say."""
    clock = clock or SystemClock()
    size = Size(pods=settings.DEMO_PODS, rate=settings.DEMO_RATE, seed=settings.DEMO_SEED)
    return Upstream(
        choice_from_settings(context=context),
        kinds_from_settings(),
        get_channel_layer(),
        clock,
        with_worker=with_worker,
        controllers=controllers_from_settings(),
        demo=DemoProcess(clock, options=size.flags, kubeconfig=settings.VAR_DIR / "demo.kubeconfig"),
    )
