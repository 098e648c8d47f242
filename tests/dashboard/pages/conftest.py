"""Edit pages over the run's real API server, asked through Django as a browser without scripts would ask."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.access.rights import Rights
from dashboard.authors.authors import Authors
from dashboard.census.link import CensusLink
from dashboard.drafts.database import Database
from dashboard.drafts.shelf import Shelf
from dashboard.edits.remembered import Remembered
from dashboard.edits.schemas import Schemas
from dashboard.live.hub import Hub
from dashboard.live.interest import Interest
from dashboard.live.replicas import Replicas
from dashboard.resources.kinds import kinds_named
from informerd.clock import SystemClock
from informerd.rest.cluster import load_kubeconfig
from informerd.rest.cluster_config import ClusterConfig
from tests.controlplane import ControlPlane
from tests.drafts.databases import in_file
from tests.e2e.conftest import cluster, dashboard
from tests.edits.browsing import Browser
from tests.edits.careful import CarefulClient
from tests.edits.objects import mydemo
from tests.live.fake_layer import RecordingLayer

__all__ = ["cluster", "dashboard"]

DRAFTS = "edits_drafts"
_numbers = itertools.count(1)


@pytest.fixture(scope="session", autouse=True)
def drafts(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The database that keeps these tests' drafts: its alias."""
    with in_file(DRAFTS, tmp_path_factory.mktemp(DRAFTS), django_db_blocker) as alias:
        yield alias


@pytest.fixture
def namespace(cluster: ControlPlane) -> str:
    """A namespace of the test's own."""
    return cluster.create_namespace(f"edits-{next(_numbers)}")


@pytest.fixture
def collection(namespace: str) -> str:
    """Path of the namespace's Mydemos."""
    return f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos"


@pytest.fixture
def path(namespace: str) -> str:
    """Address of Mydemo ``one``."""
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    """Mydemo ``one`` in the API server: its path there."""
    cluster.create(collection, mydemo("one", labels={"team": "a"}))
    return f"{collection}/one"


async def parts_for(kubeconfig: Path) -> AsyncIterator[SimpleNamespace]:
    """`parts_at` the cluster of a kubeconfig."""
    async for made in parts_at(load_kubeconfig(kubeconfig)):
        yield made


async def parts_at(config: ClusterConfig) -> AsyncIterator[SimpleNamespace]:
    """What dashboard.live.context.LiveParts names, with a feed that nobody fills."""
    clock = SystemClock()
    replicas = Replicas(RecordingLayer(), kinds_named(["pods", "mydemos"]), clock)
    async with CarefulClient(config) as client:
        rights = Rights(clock, lambda: client)
        hub = Hub(replicas, clock, denied=rights.denied)
        authors = Authors(clock, Database(clock, alias=DRAFTS, time_limit=60))
        yield SimpleNamespace(
            replicas=replicas,
            hub=hub,
            rights=rights,
            interest=Interest(replicas, hub, clock),
            census=CensusLink(RecordingLayer(), clock),
            client=client,
            discovery=None,
            cluster=config,
            kinds=replicas.kinds,
            schemas=Schemas(clock),
            texts=Remembered(),
            drafts=Shelf(clock, Database(clock, alias=DRAFTS, time_limit=60)),
            authors=authors,
            clock=clock,
            problem="",
            kubeconfig="",
            version="v1.37.1",
        )
        await rights.stop()
        await authors.stop()


@pytest.fixture
async def parts(cluster: ControlPlane) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(cluster.kubeconfig):
        yield made


@pytest.fixture
async def browser(parts: SimpleNamespace) -> Browser:
    """A browser in front of the dashboard that speaks as the administrator."""
    return Browser(parts)


@pytest.fixture
async def bob(cluster: ControlPlane) -> AsyncIterator[Browser]:
    """A browser in front of a dashboard that speaks as bob, who has only the rights that a test gives him."""
    async for made in parts_for(cluster.kubeconfig_of("bob")):
        yield Browser(made)
