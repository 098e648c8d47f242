"""Application state of a web process for tests: typed keys, backed by the attributes of a test's own object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

from dashboard.access.oidc.providers import PROVIDERS, Providers
from dashboard.access.rights import RIGHTS
from dashboard.access.rights import UNLIMITED as EVERY_RIGHT
from dashboard.cluster.access_reviews import ACCESS_REVIEWS
from dashboard.cluster.connection import CONNECTION
from dashboard.cluster.kubectl_commands import kubectl_call
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.on_demand_kinds import INTEREST
from dashboard.live.logs.container_streams import LOG_STREAMS, LogStreams
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.moments.list_comparisons import LIST_COMPARISONS
from dashboard.live.moments.moments import MOMENT, MOMENTS
from dashboard.live.object_counts.scoped_counts import OBJECT_COUNTS
from dashboard.live.replication.replicas import REPLICAS, Replicas
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.objects.schemas.version_warnings import VERSION_WARNINGS, VersionWarnings
from dashboard.pages.audit.recorder import AUDIT, AuditRecorder
from dashboard.pages.authors.store import AUTHORS, AuthorStore, Write
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.controllers.worker_client import CONTROLLERS_CLIENT
from dashboard.pages.create.many.cached_parse_results import PARSE_CACHE
from dashboard.pages.drafts.store import DRAFTS
from dashboard.pages.drains.runner import DRAIN_RUNNER
from dashboard.pages.followed_kinds.store import FOLLOWED_KINDS
from dashboard.pages.incident.lines_around import LINES_AROUND, MAX_CACHED
from dashboard.pages.sessions.registry import SESSIONS
from dashboard.runtime.app_state import CLOCK, AppState, Key
from dashboard.runtime.compute_process_pool import WORK_PROCESSES, WorkProcesses
from dashboard.runtime.concurrency_limit import Limits
from dashboard.runtime.quotas import QUOTAS, Quotas
from dashboard.server.live_view_quotas import VIEW_QUOTAS, ViewQuotas
from dashboard.server.monitoring_views import HISTORY_PROBLEM, METRICS, WORKER_BLOCKED
from dashboard.server.socket_limits import SOCKET_LIMITS
from dashboard.server.status_views import STATUS
from informerd.clock import SystemClock
from informerd.lru_cache import LruCache

T = TypeVar("T")


class NoAuthors(AuthorStore):
    """Knows of no write, and needs no database."""

    async def writes_of(self, uid: str) -> tuple[Write, ...]:
        return ()


ATTRIBUTES: dict[Key[Any], str] = {
    ACCESS_REVIEWS: "access_reviews",
    BULK_RUNNER: "bulk_runs",
    CLOCK: "clock",
    CONTROLLERS_CLIENT: "controllers",
    DRAFTS: "drafts",
    DRAIN_RUNNER: "drain_runs",
    FOLLOWED_KINDS: "followed_kinds",
    HUB: "hub",
    INTEREST: "interest",
    OBJECT_COUNTS: "object_counts",
    PARSE_CACHE: "parse_cache",
    REPLICAS: "replicas",
    SCHEMAS: "schemas",
    SESSIONS: "sessions",
    SOCKET_LIMITS: "socket_limits",
}
DEFAULTS: dict[Key[Any], tuple[str, Callable[[], Any]]] = {
    AUDIT: ("audit", lambda: AuditRecorder(SystemClock())),
    HISTORY: ("history", lambda: None),
    LIST_COMPARISONS: ("list_comparisons", lambda: None),
    HISTORY_PROBLEM: ("history_problem", lambda: lambda: ""),
    AUTHORS: ("authors", lambda: NoAuthors(SystemClock())),
    LINES_AROUND: ("lines_around", lambda: LruCache(MAX_CACHED)),
    LOG_STREAMS: ("log_streams", lambda: LogStreams(cast("Replicas", {}), SystemClock())),
    MOMENT: ("moment", lambda: None),
    MOMENTS: ("moments", lambda: None),
    METRICS: ("metrics", lambda: lambda: (b"", "text/plain")),
    PROVIDERS: ("providers", lambda: Providers((), SystemClock())),
    QUOTAS: ("quotas", lambda: Quotas({}, SystemClock())),
    RIGHTS: ("rights", lambda: EVERY_RIGHT),
    STATUS: ("status", lambda: tuple),
    VERSION_WARNINGS: ("version_warnings", lambda: VersionWarnings(SystemClock())),
    WORK_PROCESSES: ("work_processes", WorkProcesses),
}
"""Attributes that a test's object may lack, and what is there then."""
UNLIMITED = Limits(1_000_000, 1_000_000)


class _StateOver(AppState):
    """The objects of another state, but for some."""

    def __init__(self, below: AppState, objects: Mapping[Key[Any], object]) -> None:
        super().__init__(objects)
        self._below = below

    def __getitem__(self, key: Key[T]) -> T:
        return super().__getitem__(key) if key in self._objects else self._below[key]

    def with_objects(self, objects: Mapping[Key[Any], object]) -> AppState:
        return _StateOver(self, objects)


class AttributeState(AppState):
    """Reads each attribute when it is asked for, so that a test may change one at any time.

    The connection is made of `client`, `discovery`, `cluster`, `kubectl`, `version` and `problem`. With a `kubeconfig`
    it is the dashboard's own cluster.
    """

    def __init__(self, parts: object) -> None:
        super().__init__({})
        self._parts = parts

    def __getitem__(self, key: Key[T]) -> T:
        if key is CONNECTION:
            return cast("T", self._connection())
        if key is WORKER_BLOCKED:
            return cast("T", lambda: bool(getattr(self._parts, "cannot_watch", False)))
        if key is VIEW_QUOTAS:
            return cast("T", self._view_quotas())
        if key in DEFAULTS:
            name, make = DEFAULTS[key]
            given = getattr(self._parts, name, None)
            return cast("T", given if given is not None else make())
        found = getattr(self._parts, ATTRIBUTES[key])
        problem: str = getattr(self._parts, "problem", "")
        if key is HUB and problem:
            found.connection_problem = lambda: cast("Any", self._parts).problem
        return cast("T", found)

    def with_objects(self, objects: Mapping[Key[Any], object]) -> AppState:
        return _StateOver(self, objects)

    def _view_quotas(self) -> ViewQuotas:
        """The test's own; without any, sockets take turns and nothing else limits them."""
        if getattr(self._parts, "view_quotas", None) is None:
            cast("Any", self._parts).view_quotas = ViewQuotas(UNLIMITED, SystemClock(), Counter(), timer=lambda: 0.0)
        return cast("ViewQuotas", cast("Any", self._parts).view_quotas)

    def _connection(self) -> SimpleNamespace:
        defaults = {"client": None, "discovery": None, "kubectl": "", "version": "", "problem": "", "cluster": None}
        found = SimpleNamespace(**{name: getattr(self._parts, name, value) for name, value in defaults.items()})
        kubeconfig = getattr(self._parts, "kubeconfig", "")
        found.is_demo = bool(kubeconfig)
        found.kubectl = kubectl_call([Path(kubeconfig)]) if kubeconfig else found.kubectl
        return found
