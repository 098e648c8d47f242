"""The side towards the cluster, joined from the settings: all of the worker process, a part of a web process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from channels.layers import get_channel_layer
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard.cluster_choice import ClusterChoice
from dashboard.connection import Connection
from dashboard.live.layer import Layer
from dashboard.live.worker import Worker
from dashboard.resources.kinds import KindInfo, kinds_named
from informerd.clock import Clock, SystemClock
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery


class Upstream:
    """The connection and, where it is this process's task, the worker that watches the cluster."""

    def __init__(
        self, choice: ClusterChoice, kinds: tuple[KindInfo, ...], layer: Layer, clock: Clock, *, with_worker: bool
    ) -> None:
        self.connection = Connection(choice, clock, on_switch=self._switched)
        self.worker: Worker | None = None
        self.kinds = kinds
        self._layer = layer
        self._clock = clock
        self._with_worker = with_worker

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
            self.worker = Worker(client, self._layer, self.kinds, self._clock, discovery=discovery)
            self.worker.start()

    async def _stop_worker(self) -> None:
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


def build_upstream(*, context: str = "", with_worker: bool, clock: Clock | None = None) -> Upstream:
    """The side towards the cluster, as the settings say."""
    return Upstream(
        choice_from_settings(context=context),
        kinds_from_settings(),
        get_channel_layer(),
        clock or SystemClock(),
        with_worker=with_worker,
    )
