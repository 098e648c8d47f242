"""Fixtures: objects for a write of each address, and the parts of a web process that can make all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from types import SimpleNamespace

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.runner import BulkRunner
from dashboard.pages.bulk.store import RunStore
from dashboard.pages.controllers.worker_client import ControllersClient
from dashboard.pages.drains.runner import DrainRunner
from dashboard.pages.drains.store import DrainStore
from dashboard.pages.followed_kinds.store import FollowedKindStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.rest.discovery import Discovery
from tests.dashboard.pages.conftest import parts_for
from tests.support.controllers.report_samples import controller, failed, report
from tests.support.controlplane import ControlPlane
from tests.support.databases import in_file
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.pages.writing_addresses import World

ALIAS = "writes"


@pytest.fixture(scope="session")
def runs_database(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated SQLite file that keeps runs and drains."""
    with in_file(ALIAS, tmp_path_factory.mktemp(ALIAS), django_db_blocker) as alias:
        yield alias


@pytest.fixture
async def world(cluster: ControlPlane, namespace: str, runs_database: str, drafts: str) -> AsyncIterator[World]:
    async for parts in parts_for(cluster.kubeconfig):
        complete(parts, runs_database)
        made = World(cluster, namespace, parts)
        yield made
        await parts.drain_runs.stop()
        await parts.bulk_runs.stop()
        made.remove()


def complete(parts: SimpleNamespace, alias: str) -> None:
    """Add discovery, runners and a worker with a failed key to the parts."""
    client = partial(getattr, parts, "client")
    parts.discovery = Discovery(parts.client)
    executor = DatabaseExecutor(parts.clock, alias=alias, time_limit=60)
    parts.drain_runs = DrainRunner(DrainStore(executor), parts.clock, client)
    factory = item_executor_factory(parts.schemas, parts.authors, parts.clock)
    parts.bulk_runs = BulkRunner(RunStore(executor), parts.clock, client, factory)
    parts.followed_kinds = FollowedKindStore(parts.clock, parts.interest.follow_always, executor)
    parts.layer = RecordingLayer()
    parts.controllers = ControllersClient(parts.layer, parts.clock)
    parts.controllers.reports.receive(report(controller(failed=(failed("default/poison"),))))
