"""Wiring of a web process: from the settings to the ASGI application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from dashboard.access.oidc.providers import PROVIDERS, Providers
from dashboard.access.rights import RIGHTS, UNLIMITED
from dashboard.access.sessions.session import lifetime_from_settings
from dashboard.cluster.access_probe import AccessProbe
from dashboard.cluster.access_reviews import ACCESS_REVIEWS, AccessReviews
from dashboard.cluster.connection import CONNECTION, Connection, cluster_name
from dashboard.cluster.impersonation_check import log_impersonation_form
from dashboard.cluster.people_rights import PeopleRights
from dashboard.cluster.person_clients import PersonClients
from dashboard.live.hub.hub import HUB, Hub
from dashboard.live.hub.kind_discovery import KindDiscovery
from dashboard.live.hub.on_demand_kinds import INTEREST, Interest
from dashboard.live.hub.rights_groups import RightsGroups
from dashboard.live.logs.container_streams import LOG_STREAMS, LogStreams
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.moments.list_comparisons import LIST_COMPARISONS
from dashboard.live.moments.moments import MOMENT, MOMENTS
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.object_counts.worker_client import ObjectCountsClient
from dashboard.live.replication.channel_layer import ChannelLayer, ChannelLayerHealth
from dashboard.live.replication.replicas import REPLICAS, Replicas
from dashboard.live.usage.usage_client import SWITCHED_OFF, UsageClient
from dashboard.live.worker.object_reader import ObjectReader
from dashboard.objects.kinds.catalog import KindInfo, find_builtin_kind, kind_of
from dashboard.objects.schemas.schema_store import SCHEMAS, SchemaStore
from dashboard.objects.schemas.version_warnings import VERSION_WARNINGS, VersionWarnings
from dashboard.pages.audit.recorder import AUDIT
from dashboard.pages.authors.store import AUTHORS, AuthorStore
from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.runner import BULK_RUNNER, BulkRunner
from dashboard.pages.bulk.store import RunStore as BulkRecords
from dashboard.pages.controllers.worker_client import CONTROLLERS_CLIENT, ControllersClient
from dashboard.pages.create.many.cached_parse_results import MAX_CHARACTERS, PARSE_CACHE
from dashboard.pages.drafts.store import DRAFTS, DraftStore
from dashboard.pages.drains.runner import DRAIN_RUNNER, DrainRunner
from dashboard.pages.drains.store import DrainStore
from dashboard.pages.followed_kinds.store import FOLLOWED_KINDS, FollowedKindStore
from dashboard.pages.incident.lines_around import LINES_AROUND, MAX_CACHED
from dashboard.pages.layout.page import cluster_info
from dashboard.pages.sessions.registry import SESSIONS, SessionRegistry
from dashboard.pages.terminal.views import SOCKET_PATH
from dashboard.runtime.app_state import CLOCK, SCOPE_KEY, AppState
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.compute_process_pool import WORK_PROCESSES, WorkProcesses
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits
from dashboard.runtime.database_executor import DatabaseExecutor
from dashboard.runtime.log_context import LogContext, set_log_context
from dashboard.runtime.malloc_tuning import tune_process
from dashboard.runtime.open_files_limit import raise_open_files_limit
from dashboard.runtime.process_watchdog import watch_process
from dashboard.runtime.quotas import QUOTAS, Quotas
from dashboard.server.access_token import AccessToken
from dashboard.server.audit_layer import AuditLayer
from dashboard.server.body_limits import MIB, BodyLimitLayer, BodyLimits, BodyRoom
from dashboard.server.connection_limits import OpenConnections
from dashboard.server.consumers import LiveConsumer
from dashboard.server.daphne import limit_websockets, start_with_reactor, stop_with_reactor
from dashboard.server.daphne_request_limits import ArrivalLimits, install_arrival_limits
from dashboard.server.django_handler import LoopHandler
from dashboard.server.guard import Application, Guard, Receive, Scope, Send
from dashboard.server.live_view_quotas import VIEW_QUOTAS, ViewQuotas
from dashboard.server.log_context_layer import LogContextLayer
from dashboard.server.metrics.web_metrics import WebNumbers
from dashboard.server.moment_layer import MomentLayer
from dashboard.server.monitoring_views import HISTORY_PROBLEM, METRICS, WORKER_BLOCKED
from dashboard.server.person_states import PersonStates
from dashboard.server.process_status import StatusPart
from dashboard.server.request_quotas import RequestQuotas
from dashboard.server.rights_layer import RightsLayer
from dashboard.server.session_layer import SessionLayer, identify_by_cookie
from dashboard.server.socket_limits import SOCKET_LIMITS, SocketLimits, SocketRates
from dashboard.server.status_views import STATUS
from dashboard.server.terminal_consumer import TERMINALS, TerminalConsumer
from dashboard.server.traces_layer import TracesLayer
from dashboard.server.trusted_proxy import load_trusted_proxy
from dashboard.server.wiring.audit import build_audit_recorder
from dashboard.server.wiring.metrics import exposition
from dashboard.server.wiring.moments import build_moments
from dashboard.server.wiring.status import status_parts
from dashboard.server.wiring.worker import WorkerProcess, build_worker_process
from informerd.clock import Clock, SystemClock
from informerd.errors import ConfigError
from informerd.lru_cache import LruCache
from informerd.manager.probe_server import ProbeServer
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import ClusterConfig

logger = logging.getLogger(__name__)

NAMESPACES = "namespaces"


class WebProcess:
    """All objects of one web process; `state` is the part that request handlers get."""

    def __init__(self, upstream: WorkerProcess, kinds: tuple[KindInfo, ...], layer: ChannelLayer, clock: Clock) -> None:
        self.clock = clock
        self.worker_process = upstream
        self.layer_health = layer_health = ChannelLayerHealth()
        rejected = upstream.rejected_messages
        traces = upstream.delta_traces
        self.replicas = Replicas(layer, kinds, clock, layer_health=layer_health, rejected=rejected, traces=traces)
        self.controllers = ControllersClient(layer, clock, layer_health=layer_health)
        self.object_counts = ObjectCountsClient(layer, clock, layer_health=layer_health)
        no_usage = "" if settings.DELTABOARD_USAGE_SECONDS else SWITCHED_OFF
        self.usage = UsageClient(layer, clock, layer_health=layer_health, problem=no_usage)
        self.sessions = SessionRegistry(layer, clock, lifetime_from_settings(), layer_health=layer_health)
        self.access_reviews = AccessReviews(clock, lambda: self.client)
        self.person_clients = PersonClients(lambda: self.client, impersonates=settings.DELTABOARD_RIGHTS == "person")
        self.hub = Hub(
            self.replicas,
            clock,
            render_to_string,
            connection_problem=lambda: self.problem,
            note=lambda: self.past.note if self.past is not None else "",
            cluster=lambda: asdict(cluster_info(self.state)),
            sources=(self.controllers.reports,),
            denial_of=self.access_reviews.cached_denial,
            usage=self.usage,
            traces=traces,
        )
        self.interest = Interest(
            self.replicas, self.hub, clock, limits=settings.DELTABOARD_ON_DEMAND, reader=self._object_reader
        )
        self.followed_kinds = FollowedKindStore(clock, self.interest.follow_always)
        self.kind_discovery = KindDiscovery(
            self.replicas,
            self.hub,
            lambda: self.discovery,
            clock,
            shared_names=lambda: self.object_counts.shared_names,
        )
        self.log_streams = LogStreams(self.replicas, clock)
        schemas = SchemaStore(clock, lambda: self.client)
        self.authors = AuthorStore(clock)
        client_of = self.person_clients.client_of
        self.audit = build_audit_recorder(clock)
        drains = DrainStore(DatabaseExecutor(clock, content="drains"))
        self.drain_runs = DrainRunner(drains, clock, client_of, audit=self.audit)
        self.quotas = Quotas(
            {
                "checks": settings.DELTABOARD_LIMIT_CHECKS,
                "forms": settings.DELTABOARD_LIMIT_FORMS,
                "exports": settings.DELTABOARD_LIMIT_EXPORTS,
                "pages": settings.DELTABOARD_LIMIT_PAGES,
            },
            clock,
        )
        self.work_processes = WorkProcesses()
        self.providers = Providers(settings.DELTABOARD_OIDC, clock)
        self.past = build_moments(
            self.connection,
            self.replicas,
            clock,
            cluster=lambda: asdict(cluster_info(self.state)),
            find_kind=self._find_kind,
            drop_views=self.hub.drop_views,
        )
        history = self.past.history if self.past is not None else None
        runs = BulkRecords(DatabaseExecutor(clock, content="bulk runs"))
        executors = item_executor_factory(schemas, self.authors, clock, history)
        self.bulk_runs = BulkRunner(runs, clock, client_of, executors, audit=self.audit)
        self.state = AppState(
            {
                CLOCK: clock,
                MOMENTS: self.past.moments if self.past is not None else None,
                MOMENT: None,
                HISTORY: history,
                LIST_COMPARISONS: self.past.list_comparisons if self.past is not None else None,
                RIGHTS: UNLIMITED,
                CONNECTION: self.connection,
                REPLICAS: self.replicas,
                HUB: self.hub,
                INTEREST: self.interest,
                OBJECT_COUNTS: self.object_counts,
                ACCESS_REVIEWS: self.access_reviews,
                SCHEMAS: schemas,
                VERSION_WARNINGS: VersionWarnings(clock, lambda: self.client),
                PARSE_CACHE: LruCache(MAX_CHARACTERS),
                DRAFTS: DraftStore(clock),
                FOLLOWED_KINDS: self.followed_kinds,
                AUDIT: self.audit,
                AUTHORS: self.authors,
                LOG_STREAMS: self.log_streams,
                CONTROLLERS_CLIENT: self.controllers,
                DRAIN_RUNNER: self.drain_runs,
                BULK_RUNNER: self.bulk_runs,
                SESSIONS: self.sessions,
                PROVIDERS: self.providers,
                METRICS: self.metrics,
                STATUS: self.status,
                SOCKET_LIMITS: SocketLimits(settings.DELTABOARD_SOCKETS, settings.DELTABOARD_SOCKETS_PER_USER),
                QUOTAS: self.quotas,
                WORK_PROCESSES: self.work_processes,
                VIEW_QUOTAS: ViewQuotas(settings.DELTABOARD_LIMIT_VIEWS, clock, self.quotas.refused),
                TERMINALS: ConcurrencyLimit(
                    settings.DELTABOARD_LIMIT_TERMINALS, clock, queue_seconds=None, max_waiting=0
                ),
                LINES_AROUND: LruCache(MAX_CACHED),
                WORKER_BLOCKED: lambda: self.cannot_watch,
                HISTORY_PROBLEM: lambda: self.worker_process.history_problem,
            }
        )
        """Objects for pages and sockets of whoever acts with the rights of the account."""
        self.people_rights = PeopleRights(
            lambda: self.client,
            client_of,
            clock,
            namespaces=self._namespaces,
            probe=AccessProbe(lambda: self.kinds),
        )
        self.rights_groups = RightsGroups(self.replicas, self.hub, clock, find_kind=self._find_kind, usage=self.usage)
        self.person_states = PersonStates(self.state, self.people_rights, self.rights_groups, self.person_clients)
        self.object_counts.on_new_kinds = self.person_states.kinds_changed
        self._tasks: list[asyncio.Task[None]] = []
        self._started = False

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return self.replicas.kinds

    def _namespaces(self) -> list[str]:
        """The namespaces that are known."""
        return [row.name for row in self.replicas.get(NAMESPACES).rows.values()] if NAMESPACES in self.replicas else []

    def _find_kind(self, kind: str, group: str) -> KindInfo | None:
        """What is known of a Kind, in any case, of an API group."""
        builtin = find_builtin_kind(kind, group)
        if builtin is not None:
            return builtin
        resources = (counted.resource for counted in self.object_counts.counts_by_key.values())
        found = (each for each in resources if each.group == group and each.kind.lower() == kind.lower())
        return next(map(kind_of, found), None)

    def _object_reader(self) -> ObjectReader | None:
        """Reads kinds that no worker follows; None while there is no cluster."""
        if self.client is None or self.discovery is None:
            return None
        return ObjectReader(self.client, self.discovery, self.clock, self.worker_process.access)

    @property
    def connection(self) -> Connection:
        return self.worker_process.connection

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
    def problem(self) -> str:
        if redis_problem := self.layer_health.problem:
            return f"Redis fails, so the worker cannot be heard: {redis_problem}. Deltaboard tries again every second."
        return self.worker_process.rejected_messages.problem or self.connection.problem

    @property
    def cannot_watch(self) -> bool:
        return self.worker_process.cannot_watch

    @property
    def is_started(self) -> bool:
        """Whether it was started; a stopped process stays stopped, even if a page connects again."""
        return self._started

    def metrics(self) -> tuple[bytes, str]:
        """Metrics of this process for Prometheus, and their content type."""
        return exposition(self.worker_process, self._numbers(), self.layer_health)

    def status(self) -> tuple[StatusPart, ...]:
        """The parts of the page /status/."""
        return status_parts(self.worker_process, self._numbers(), self.layer_health, self.clock.time())

    def _numbers(self) -> WebNumbers:
        max_sockets, refused = settings.DELTABOARD_SOCKETS, self.quotas.refused
        return WebNumbers(self.hub, self.replicas, max_sockets, refused, self.log_streams, self.replicas.frame_delays)

    def start(self, *, log_cluster: bool = False) -> None:
        """Start, on the running event loop; returns at once. A second call has no effect, nor does one after `stop`.

        `log_cluster` logs which cluster was chosen and why, for servers that are no command of ours.
        """
        if self._started:
            return
        self._started = True
        set_log_context(LogContext(partial(cluster_name, self.connection)))
        if log_cluster:
            self._keep("logging the cluster", self._say_cluster)
        if settings.DELTABOARD_METRICS:
            self._keep("serving metrics", self._serve_metrics)
        self._keep("the feed's replicas", self._receive_changes)
        self._keep("receiving the controllers' reports", self.controllers.run)
        self._keep("receiving object counts", self.object_counts.run)
        self._keep("receiving what objects use", self.usage.run)
        self._keep("the hub", self.hub.run)
        self._keep("following logs", self.log_streams.run)
        self._keep("following kinds on demand", self.interest.run)
        self._keep("the connection to the cluster", self.worker_process.run)
        self._keep("reading the kinds that are followed always", self.followed_kinds.run)
        self._keep("resolving kinds", self.kind_discovery.run)
        if self.past is not None:
            self._keep("moments of the past", self.past.run)
        if self.person_clients.impersonates:
            self._keep("people's rights", self.people_rights.run)
            self._keep("groups of people with equal rights", self.rights_groups.run)
            self._keep("the check of impersonation", partial(log_impersonation_form, lambda: self.client, self.clock))
        if settings.DELTABOARD_SIGN_IN == "oidc":
            self._keep("hearing of ended sessions", self.sessions.run)
            self._keep("the check of issuers", self.providers.check)

    async def stop(self) -> None:
        """End all tasks, watches and children for good; returns when they have ended."""
        self._started = True
        self.work_processes.stop()
        await self.drain_runs.stop()
        await self.bulk_runs.stop()
        await self.authors.stop()
        await self.audit.stop()
        tasks, self._tasks = self._tasks, []
        await cancel_all(tasks)
        await self.access_reviews.stop()  # after those that draw views, which ask
        await self.person_states.stop()
        await self.worker_process.close_traces()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(keep_running(name, run, self.clock), name=name))

    async def _receive_changes(self) -> None:
        """A page that has changes names all kinds whose changes are not known yet, those of the table included."""
        await self.followed_kinds.first_read_ended.wait()
        await self.replicas.run()

    async def _serve_metrics(self) -> None:
        server = ProbeServer(settings.DELTABOARD_METRICS, (), self.metrics)
        try:
            await server.start()
            await asyncio.Event().wait()
        except ConfigError as error:
            logger.warning("DELTABOARD_METRICS: %s", error)
        finally:
            await server.stop()

    async def _say_cluster(self) -> None:
        await self.connection.cluster_chosen.wait()
        if self.client is not None:  # why there is none has been said already
            logger.info("%s", self.connection.summary)


class WiredApplication:
    """Puts the shared objects in every scope; starts them with the first request or socket if nothing has before."""

    def __init__(self, inner: Application, live: WebProcess) -> None:
        self._inner = inner
        self.live = live

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.start()
        await self._inner({**scope, SCOPE_KEY: self.live.state}, receive, send)

    def start(self) -> None:
        """Start, on the running event loop, and log the cluster. A second call has no effect."""
        if not self.live.is_started:
            self.live.start(log_cluster=True)
            stop_with_reactor(self.live.stop)


class ProtocolRouter:
    """Passes pages to Django and sockets to the consumers, by their paths; any other socket is refused."""

    def __init__(self, pages: Any, sockets: Mapping[str, Any]) -> None:
        self._pages = pages
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._pages(scope, receive, send)
        elif scope["type"] != "websocket":
            raise ValueError(f"there is no handler for the protocol {scope['type']}")
        elif scope["path"] in self._sockets:
            await self._sockets[scope["path"]](scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 4404})


def build_web_process(*, context: str = "", clock: Clock | None = None) -> WebProcess:
    """The objects of a web process; with a worker inside unless REDIS_URL says that workers are separate processes."""
    clock = clock or SystemClock()
    upstream = build_worker_process(context=context, with_worker=not settings.REDIS_URL, clock=clock)
    return WebProcess(upstream, upstream.kinds, upstream.layer, clock)


def build_application(web_process: WebProcess | None = None, *, token: AccessToken | None) -> Application:
    """The ASGI application: guard, then shared objects, then pages or socket. Without `token` none is asked for.

    The caller starts the `web_process` that it gives; without one, a new one is created that starts with
    daphne.
    """
    live = web_process or build_web_process()
    limits = _body_limits()
    django_pages: Any = LoopHandler()  # its stub asks for a dict where ASGI has any mapping
    pages = BodyLimitLayer(RequestQuotas(django_pages), limits)
    sockets = {"/live/": LiveConsumer.as_asgi(), SOCKET_PATH: TerminalConsumer.as_asgi()}
    served: Application = ProtocolRouter(pages, sockets)
    if live.audit.is_on:
        served = AuditLayer(served)
    past, people = served, None
    if live.person_clients.impersonates:
        served, people = RightsLayer(served, live.person_states), live.people_rights
    served = MomentLayer(served, past, live.state, live.state[MOMENTS], people)
    if live.worker_process.traces is not None:
        served = TracesLayer(served, live.worker_process.traces)
    wired = WiredApplication(LogContextLayer(served), live)
    if web_process is None:
        tune_process()
        start_with_reactor(partial(watch_process, settings.DELTABOARD_BLOCKED_SECONDS))
        start_with_reactor(wired.start)
    knows_sessions = settings.DELTABOARD_SIGN_IN == "oidc"
    guard = Guard(
        SessionLayer(wired, live.sessions) if knows_sessions else wired,
        allowed_hosts=settings.ALLOWED_HOSTS,
        proxy=load_trusted_proxy(),
        token=token,
        knows_sessions=knows_sessions,
    )
    refused = live.quotas.refused
    is_near = (lambda _: True) if knows_sessions else settings.DELTABOARD_TRUST_PROXY_PEERS.includes
    connections = OpenConnections(raise_open_files_limit(), is_near, refused)
    room = BodyRoom(limits.together)
    socket_rates = SocketRates(settings.DELTABOARD_SOCKETS_PER_USER, live.clock)
    identify = identify_by_cookie(guard.identify) if knows_sessions else guard.identify
    install_arrival_limits(ArrivalLimits(limits, room, socket_rates, connections, identify, refused))
    limit_websockets()
    return guard


def _body_limits() -> BodyLimits:
    per_owner, in_all = settings.DELTABOARD_LIMIT_BODIES.per_owner, settings.DELTABOARD_LIMIT_BODIES.in_all
    return BodyLimits(settings.DELTABOARD_MAX_BODY * MIB, Limits(per_owner * MIB, in_all * MIB))
