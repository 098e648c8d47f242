"""A dashboard without a cluster: real hub, replicas, views, templates and addresses, fed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.test import AsyncClient

from dashboard.census.link import CensusLink
from dashboard.controllers.link import ControllerLink
from dashboard.live.context import SCOPE_KEY
from dashboard.live.hub import Hub
from dashboard.live.interest import Interest
from dashboard.live.messages import Described, Row, Want
from dashboard.live.replica import Replica
from dashboard.resources.kinds import KINDS, KindInfo, find_kind
from informerd.rest.client import Client
from informerd.rest.cluster import ClusterConfig
from informerd.rest.discovery import Discovery
from tests.clock import FakeClock
from tests.live.fake_layer import RecordingLayer
from tests.live.feeder import Feeder
from tests.resources.made import Json, row_of

CLUSTER = ClusterConfig(name="test", server="https://test.example", why="a test says so")
WATCHED = ("pods", "mydemos.crddemo.k8s.io", "events", "namespaces", "nodes", "secrets", "deployments.apps")


class Feeds:
    """The replicas of a site, by kind."""

    channel_problem = ""

    def __init__(self, feeders: dict[str, Feeder], silent: Iterable[str], clock: FakeClock) -> None:
        self.feeders = feeders
        self.wants: list[Want] = []
        self.described: Described | None = Described(True)
        """What is known of the columns of a kind as soon as it is followed."""
        self._clock = clock
        self.kinds: tuple[KindInfo, ...] = tuple(KINDS[key] for key in [*feeders, *silent])
        self._silent = {key: Replica(key, clock) for key in silent}

    def follow(self, kind: KindInfo) -> None:
        self._silent[kind.key] = Replica(kind.key, self._clock)
        self._silent[kind.key].described = self.described
        self.kinds += (kind,)

    def unfollow(self, key: str) -> None:
        del self._silent[key]
        self.kinds = tuple(kind for kind in self.kinds if kind.key != key)

    async def want(self, want: Want) -> None:
        self.wants.append(want)

    def __iter__(self) -> Iterator[Replica]:
        return iter([self.get(kind.key) for kind in self.kinds])

    def __contains__(self, key: str) -> bool:
        return any(kind.key == key for kind in self.kinds)

    def get(self, key: str) -> Replica:
        return self._silent[key] if key in self._silent else self.feeders[key].replica


@dataclass
class Parts:
    """What views find in the scope, see dashboard.live.context.LiveParts."""

    replicas: Feeds
    hub: Hub
    controllers: ControllerLink
    interest: Interest
    census: CensusLink
    clock: FakeClock
    cluster: ClusterConfig
    client: Client | None = None
    discovery: Discovery | None = None
    problem: str = ""
    kubeconfig: str = ""
    cannot_watch: bool = False
    version: str = "v1.37.1"

    @property
    def kinds(self) -> tuple[KindInfo, ...]:
        return self.replicas.kinds


class WiredClient(AsyncClient):
    """A test client whose requests carry the live parts, as dashboard/wiring.py has it."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        scope: dict[str, Any] = super()._base_scope(**request)  # type: ignore[misc]
        return {**scope, SCOPE_KEY: self._parts}


class Site:
    """Pages of a cluster with these objects. Kinds named in `silent` have not been heard of yet."""

    def __init__(
        self, *objects: tuple[str, Json], silent: Iterable[str] = (), watched: Iterable[str] = WATCHED
    ) -> None:
        self.clock = FakeClock()
        rows: dict[str, list[Row]] = {key: [] for key in watched if key not in silent}
        for key, obj in objects:
            rows[key].append(row_of(key, obj))
        self.feeds = Feeds({key: Feeder(key, self.clock, found) for key, found in rows.items()}, silent, self.clock)
        self.layer = RecordingLayer()
        link = ControllerLink(self.layer, self.clock)
        hub = Hub(self.feeds, self.clock, board=link.board)
        self.interest = Interest(self.feeds, hub, self.clock)
        self.census = CensusLink(self.layer, self.clock)
        self.parts = Parts(self.feeds, hub, link, self.interest, self.census, self.clock, CLUSTER)
        self.client = WiredClient(self.parts)

    def feeder(self, name: str) -> Feeder:
        """What feeds the kind of that name."""
        kind = find_kind(name)
        assert kind is not None
        return self.feeds.feeders[kind.key]
