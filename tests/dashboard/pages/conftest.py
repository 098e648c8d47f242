"""Fixtures with edit pages over the run's real API server, requested as by a browser without scripts."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.cluster.access_reviews import AccessReviews
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.object_counts.worker_client import ObjectCountsClient
from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.schemas.schema_store import SchemaStore
from dashboard.pages.authors.store import AuthorStore
from dashboard.pages.create.many.cached_parse_results import MAX_CHARACTERS
from dashboard.pages.drafts.store import DraftStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from informerd.lru_cache import LruCache
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import load_kubeconfig
from tests.e2e.conftest import cluster, dashboard
from tests.support.controlplane import ControlPlane
from tests.support.databases import in_file
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser
from tests.support.edit.precondition_checking_client import CheckedClient
from tests.support.live.fake_channel_layer import RecordingLayer

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
    """What request handlers find in the state, with a feed that nobody fills."""
    clock = SystemClock()
    replicas = Replicas(RecordingLayer(), parse_kinds(["pods", "mydemos"]), clock)
    async with CheckedClient(config) as client:
        rights = AccessReviews(clock, lambda: client)
        hub = Hub(replicas, clock, denial_of=rights.cached_denial)
        authors = AuthorStore(clock, DatabaseExecutor(clock, alias=DRAFTS, time_limit=60))
        yield SimpleNamespace(
            replicas=replicas,
            hub=hub,
            access_reviews=rights,
            interest=Interest(replicas, hub, clock),
            object_counts=ObjectCountsClient(RecordingLayer(), clock),
            client=client,
            discovery=None,
            cluster=config,
            schemas=SchemaStore(clock),
            parse_cache=LruCache(MAX_CHARACTERS),
            drafts=DraftStore(clock, DatabaseExecutor(clock, alias=DRAFTS, time_limit=60)),
            authors=authors,
            clock=clock,
            problem="",
            kubeconfig="",
            version="v1.37.1",
        )
        await rights.stop()
        await authors.stop()


@pytest.fixture
async def parts(cluster: ControlPlane, drafts: str) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(cluster.kubeconfig):
        yield made


@pytest.fixture
async def browser(parts: SimpleNamespace) -> Browser:
    """A browser in front of the dashboard that speaks as the administrator."""
    return Browser(parts)


@pytest.fixture
async def bob(cluster: ControlPlane, drafts: str) -> AsyncIterator[Browser]:
    """A browser in front of a dashboard that speaks as bob, who has only the rights that a test gives him."""
    async for made in parts_for(cluster.kubeconfig_of("bob")):
        yield Browser(made)
