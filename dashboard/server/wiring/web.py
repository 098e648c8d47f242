"""The one place that joins objects together: settings in, an ASGI application out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from channels.layers import get_channel_layer
from django.conf import settings
from django.template.loader import render_to_string

from dashboard.access.guard import Application, Guard, Receive, Scope, Send
from dashboard.access.rights import Rights
from dashboard.authors.authors import Authors
from dashboard.bulk.attempt import attempt
from dashboard.bulk.records import Records as BulkRecords
from dashboard.bulk.runner import Bulks
from dashboard.census.link import CensusLink
from dashboard.connection import Connection
from dashboard.controllers.link import ControllerLink
from dashboard.drafts.database import Database
from dashboard.drafts.shelf import Shelf
from dashboard.drains.records import Records
from dashboard.drains.runner import Drains
from dashboard.edits.remembered import Remembered
from dashboard.edits.schemas import Schemas
from dashboard.handler import LoopHandler
from dashboard.live.consumer import LiveConsumer
from dashboard.live.context import SCOPE_KEY
from dashboard.live.hub import Hub
from dashboard.live.interest import Interest
from dashboard.live.layer import Layer, Trouble
from dashboard.live.naming import Naming
from dashboard.live.replicas import Replicas
from dashboard.live.tasks import cancelled, kept_running
from dashboard.metrics import PagesCollector, exposition
from dashboard.resources.kinds import KindInfo
from dashboard.resources.page_info import cluster_info
from dashboard.serving import start_with_reactor, stop_with_reactor
from dashboard.upstream import Upstream, build_upstream
from informerd.clock import Clock, SystemClock
from informerd.rest.client import Client
from informerd.rest.cluster import ClusterConfig
from informerd.rest.discovery import Discovery

logger = logging.getLogger(__name__)


class Live:
    """Everything of one web process that lives as long as it does; see dashboard.live.context.LiveParts."""

    def __init__(self, upstream: Upstream, kinds: tuple[KindInfo, ...], layer: Layer, clock: Clock) -> None:
        self.clock = clock
        self.upstream = upstream
        trouble = Trouble()
        self.replicas = Replicas(layer, kinds, clock, trouble=trouble)
        self.controllers = ControllerLink(layer, clock, trouble=trouble)
        self.census = CensusLink(layer, clock, trouble=trouble)
        self.rights = Rights(clock, lambda: self.client)
        self.hub = Hub(
            self.replicas,
            clock,
            render_to_string,
            problem=lambda: self.problem,
            cluster=lambda: asdict(cluster_info(self)),
            board=self.controllers.board,
            denied=self.rights.denied,
        )
        self.interest = Interest(self.replicas, self.hub, clock)
        self.naming = Naming(self.replicas, self.hub, lambda: self.discovery, clock)
        self.schemas = Schemas(clock)
        self.texts: Remembered[Any] = Remembered()
        self.drafts = Shelf(clock)
        self.authors = Authors(clock)
        self.drains = Drains(Records(Database(clock, keeps="drains")), clock, lambda: self.client)
        runs = BulkRecords(Database(clock, keeps="bulk runs"))
        self.bulks = Bulks(runs, clock, lambda: self.client, attempt(self.schemas, self.authors, clock))
        self._tasks: list[asyncio.Task[None]] = []
        self._started = False

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return self.replicas.kinds

    @property
    def connection(self) -> Connection:
        return self.upstream.connection

    @property
    def client(self) -> Client | None:
        return self.connection.client

    @property
    def discovery(self) -> Discovery | None:
        return self.connection.discovery

    @property
    def cluster(self) -> ClusterConfig:
        return self.connection.cluster

    @property
    def version(self) -> str:
        return self.connection.version

    @property
    def kubeconfig(self) -> str:
        return self.connection.kubeconfig

    @property
    def problem(self) -> str:
        if channel_problem := self.replicas.channel_problem:
            return f"The worker cannot be heard, because Redis fails: {channel_problem}. Tried again every second."
        return self.connection.problem

    @property
    def cannot_watch(self) -> bool:
        return self.upstream.cannot_watch

    @property
    def started(self) -> bool:
        """Whether it was begun; what was stopped stays so, whatever page connects again meanwhile."""
        return self._started

    def metrics(self) -> tuple[bytes, str]:
        """What this process counts, for Prometheus, and its content type."""
        return exposition(self.upstream, PagesCollector(self.hub, self.replicas))

    def start(self, *, say: bool = False) -> None:
        """Begin, on the running event loop; returns at once. A second call changes nothing, nor does one after `stop`.

        `say` has the log say which cluster was chosen and why, for servers that are no command of ours.
        """
        if self._started:
            return
        self._started = True
        if say:
            self._keep("the saying of the cluster", self._say_cluster)
        self._keep("the feed's replicas", self.replicas.run)
        self._keep("the reports of controllers", self.controllers.run)
        self._keep("the counts of kinds that nobody watches", self.census.run)
        self._keep("the hub", self.hub.run)
        self._keep("the wanting of kinds", self.interest.run)
        self._keep("the connection to the cluster", self.upstream.run)
        self._keep("the naming of kinds", self.naming.run)

    async def stop(self) -> None:
        """End all tasks, watches and children for good; returns when they have ended."""
        self._started = True
        await self.drains.stop()
        await self.bulks.stop()
        await self.authors.stop()
        tasks, self._tasks = self._tasks, []
        await cancelled(tasks)
        await self.rights.stop()  # after those that draw views, which ask

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(kept_running(name, run, self.clock), name=name))

    async def _say_cluster(self) -> None:
        await self.connection.chosen.wait()
        if self.client is not None:  # why there is none has been said already
            logger.info("%s", self.connection.said)


class WiredApplication:
    """Puts the live parts in every scope; starts them with the first request or socket if nobody has before."""

    def __init__(self, inner: Application, live: Live) -> None:
        self._inner = inner
        self.live = live

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.start()
        await self._inner({**scope, SCOPE_KEY: self.live}, receive, send)

    def start(self) -> None:
        """Begin, on the running event loop, and say in the log which cluster it is. A second call changes nothing."""
        if not self.live.started:
            self.live.start(say=True)
            stop_with_reactor(self.live.stop)


class ByProtocol:
    """Pages to Django, /live/ to the consumer; any other socket is turned away."""

    def __init__(self, pages: Any, sockets: Any) -> None:
        self._pages = pages
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._pages(scope, receive, send)
        elif scope["type"] != "websocket":
            raise ValueError(f"nothing here speaks {scope['type']}")
        elif scope["path"] == "/live/":
            await self._sockets(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 4404})


def build_live(*, context: str = "", clock: Clock | None = None) -> Live:
    """The live parts of a web process; with a worker inside unless REDIS_URL says that workers are elsewhere."""
    clock = clock or SystemClock()
    upstream = build_upstream(context=context, with_worker=not settings.REDIS_URL, clock=clock)
    return Live(upstream, upstream.kinds, get_channel_layer(), clock)


def build_application(live: Live | None = None) -> Application:
    """The ASGI application: guard, then live parts, then pages or socket.

    `live` is its maker's to start; without it, live parts are made that start with daphne.
    """
    wired = WiredApplication(ByProtocol(LoopHandler(), LiveConsumer.as_asgi()), live or build_live())
    if live is None:
        start_with_reactor(wired.start)
    return Guard(
        wired,
        allowed_hosts=settings.ALLOWED_HOSTS,
        proxy_user_header=settings.DELTABOARD_TRUST_PROXY_USER,
    )
