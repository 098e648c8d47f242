"""Dashboard without a cluster: real hub, replicas, views, templates and addresses, fed by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.test import AsyncClient

from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.index.usage_lookup import NO_USAGE, UsageLookup
from dashboard.live.object_counts.worker_client import ObjectCountsClient
from dashboard.live.replication.messages import InterestMessage
from dashboard.live.replication.replica import Replica
from dashboard.objects.kinds.catalog import KINDS, KindInfo, find_kind
from dashboard.objects.kinds.row import Row, TableDefinition
from dashboard.objects.printers import register_columns
from dashboard.pages.controllers.worker_client import ControllersClient
from dashboard.runtime.app_state import SCOPE_KEY
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import ClusterConfig
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import Feeder
from tests.support.objects.rows import Json, row_of
from tests.support.pages.app_state import AttributeState

CLUSTER = ClusterConfig(name="test", server="https://test.example", why="a test says so")
WATCHED = ("pods", "mydemos.crddemo.k8s.io", "events", "namespaces", "nodes", "secrets", "deployments.apps")


class Feeds:
    """The replicas of a site, by kind."""

    channel_problem = ""

    def __init__(self, feeders: dict[str, Feeder], silent: Iterable[str], clock: FakeClock) -> None:
        self.feeders = feeders
        self.wants: list[InterestMessage] = []
        self.described: TableDefinition | None = TableDefinition(True)
        """What is known of the columns of a kind as soon as it is followed."""
        self._clock = clock
        self.kinds: tuple[KindInfo, ...] = tuple(KINDS[key] for key in [*feeders, *silent])
        self._silent = {key: Replica(key, clock) for key in silent}

    def follow(self, kind: KindInfo) -> None:
        replica = self._silent[kind.key] = Replica(kind.key, self._clock)
        replica.table = self.described
        replica.on_change(lambda change: self._register_columns(replica) if change.has_new_columns else None)
        self.kinds += (kind,)

    def _register_columns(self, replica: Replica) -> None:
        """What a KindReplica does."""
        if replica.table is not None:
            register_columns(replica.key, replica.table)

    def unfollow(self, key: str) -> None:
        del self._silent[key]
        self.kinds = tuple(kind for kind in self.kinds if kind.key != key)

    async def send_interest(self, want: InterestMessage) -> None:
        self.wants.append(want)

    def __iter__(self) -> Iterator[Replica]:
        return iter([self.get(kind.key) for kind in self.kinds])

    def __contains__(self, key: str) -> bool:
        return any(kind.key == key for kind in self.kinds)

    def get(self, key: str) -> Replica:
        return self._silent[key] if key in self._silent else self.feeders[key].replica


@dataclass
class Parts:
    """What views find in the scope, see dashboard.runtime.app_state."""

    replicas: Feeds
    hub: Hub
    controllers: ControllersClient
    interest: Interest
    object_counts: ObjectCountsClient
    clock: FakeClock
    cluster: ClusterConfig
    client: Client | None = None
    discovery: Discovery | None = None
    problem: str = ""
    kubeconfig: str = ""
    cannot_watch: bool = False
    history_problem: Callable[[], str] = lambda: ""
    version: str = "v1.37.1"

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return self.replicas.kinds


class WiredClient(AsyncClient):
    """A test client whose requests carry the live parts, as dashboard/server/wiring/web.py has it."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        scope: dict[str, Any] = super()._base_scope(**request)  # type: ignore[misc]
        return {**scope, SCOPE_KEY: AttributeState(self._parts)}


class Site:
    """Pages of a cluster with these objects. Kinds named in `silent` have not been heard of yet."""

    def __init__(
        self,
        *objects: tuple[str, Json],
        silent: Iterable[str] = (),
        watched: Iterable[str] = WATCHED,
        usage: UsageLookup = NO_USAGE,
    ) -> None:
        self.clock = FakeClock()
        rows: dict[str, list[Row]] = {key: [] for key in watched if key not in silent}
        for key, obj in objects:
            rows[key].append(row_of(key, obj))
        self.feeds = Feeds({key: Feeder(key, self.clock, found) for key, found in rows.items()}, silent, self.clock)
        self.layer = RecordingLayer()
        link = ControllersClient(self.layer, self.clock)
        hub = Hub(self.feeds, self.clock, sources=(link.reports,), usage=usage)
        self.interest = Interest(self.feeds, hub, self.clock)
        self.census = ObjectCountsClient(self.layer, self.clock)
        self.parts = Parts(self.feeds, hub, link, self.interest, self.census, self.clock, CLUSTER)
        self.client = WiredClient(self.parts)

    def feeder(self, name: str) -> Feeder:
        """What feeds the kind of that name."""
        kind = find_kind(name)
        assert kind is not None
        return self.feeds.feeders[kind.key]
