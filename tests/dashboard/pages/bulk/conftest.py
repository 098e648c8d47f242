"""Fixtures: Mydemos on the run's API server, the parts of a web process that lists them, and a database of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.access.identity import Identity
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.models import BulkRun
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import Item
from dashboard.pages.bulk.runner import BulkRunner
from dashboard.pages.bulk.store import Checkpoint, NewRun, RunStore
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from tests.dashboard.pages.conftest import parts_for
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.controlplane import ControlPlane
from tests.support.databases import in_file
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of
from tests.support.wait import eventually

__all__ = ["empty_database"]

ALIAS = "bulk"
KEY = "mydemos.crddemo.k8s.io"
PAGE = f"/resources/{KEY}/bulk/"


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated SQLite file, which every thread reaches."""
    with in_file(ALIAS, tmp_path_factory.mktemp(ALIAS), django_db_blocker) as alias:
        yield alias


def bulks_for(parts: SimpleNamespace, alias: str = ALIAS) -> BulkRunner:
    """What runs in one web process."""
    records = RunStore(DatabaseExecutor(SystemClock(), alias=alias, time_limit=60))
    return BulkRunner(
        records,
        parts.clock,
        lambda _: parts.client,
        item_executor_factory(parts.schemas, parts.authors, parts.clock),
    )


@pytest.fixture
async def parts(cluster: ControlPlane, database: str, drafts: str) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(cluster.kubeconfig):
        made.bulk_runs = bulks_for(made, database)
        # what an ended test left running would have its share of the requests until its process is taken for dead
        await DatabaseExecutor(made.clock, alias=database, time_limit=60).ask(_without_runs)
        yield made
        await made.bulk_runs.stop()


@dataclass
class Demos:
    """Mydemos of a namespace, and the browser that changes them."""

    cluster: ControlPlane
    collection: str
    parts: SimpleNamespace
    browser: Browser
    run: str = ""
    """Address of the run that `choose` began."""
    page: str = PAGE
    """Address where one is begun."""

    def make(self, *names: str, port: int = 8080, **metadata: Any) -> None:
        """In the cluster, and in the list."""
        made = [
            self.cluster.create(
                self.collection,
                {
                    "apiVersion": "crddemo.k8s.io/v1",
                    "kind": "Mydemo",
                    "metadata": {"name": name, **metadata},
                    "spec": {"ip": "10.0.0.1", "port": port},
                },
            )
            for name in names
        ]
        self.list(KEY, made)

    def list(self, key: str, made: list[Any]) -> None:
        """These objects of a kind are what its list has."""
        put_feeders(self.parts.replicas, Feeder(key, self.parts.clock, [row_of(key, each) for each in made]))

    def get(self, name: str) -> Any:
        return self.cluster.get(f"{self.collection}/{name}")

    def patch(self, name: str, patch: dict[str, Any]) -> None:
        self.cluster.patch(f"{self.collection}/{name}", patch)

    def labels(self, name: str) -> dict[str, str]:
        found: dict[str, str] = self.get(name)["metadata"].get("labels") or {}
        return found

    def names(self) -> set[str]:
        return {each["metadata"]["name"] for each in self.cluster.get(self.collection)["items"]}

    async def choose(self, **typed: str) -> Page:
        """All that match are selected and this is asked for: the answer."""
        page = await self.browser.press(await self.browser.open(self.page), "all")
        assert page.status == 303, page.text
        self.run = page.location
        return await self.browser.send(self.run, {**typed, "try": ""})

    async def review(self, **typed: str) -> Page:
        """The same once all are tried."""
        page = await self.choose(**typed)
        assert page.status == 303, page.text
        return await self.shows("Review: ")

    async def press(self, button: str) -> Page:
        return await self.browser.send(self.run, {button: ""})

    async def shows(self, words: str) -> Page:
        """The run's page once it says so."""

        async def said() -> Page | None:
            page = await self.browser.open(self.run)
            return page if words in page.text else None

        found = await eventually(said, within=60, what=words)
        assert found is not None
        return found


@pytest.fixture
def demos(cluster: ControlPlane, collection: str, parts: SimpleNamespace) -> Demos:
    return Demos(cluster, collection, parts, Browser(parts))


@dataclass
class Held:
    """What a run asks for first of each object, as soon as it is its turn, until `free` is set."""

    free: asyncio.Event
    now: int = 0
    most: int = 0
    """Of them at a time."""
    begun: int = 0


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    read, found = ObjectClient.read, Held(asyncio.Event())

    async def counted(exchange: ObjectClient) -> Any:
        found.begun += 1
        found.now += 1
        found.most = max(found.most, found.now)
        await found.free.wait()
        try:
            return await read(exchange)
        finally:
            found.now -= 1

    monkeypatch.setattr(ObjectClient, "read", counted)
    return found


RunningElsewhere = Callable[[str], Awaitable[None]]


@pytest.fixture
async def running_elsewhere(demos: Demos, database: str) -> AsyncIterator[RunningElsewhere]:
    """Makes a run of another process that has heard this wish; no others run."""
    records, clock, whose = demos.parts.bulk_runs.store, demos.parts.clock, Identity("", "another")
    server = demos.parts.client.config.server
    begin = NewRun(KINDS[KEY].resource, (Item("x", "a", "1"),), "", is_over_all_matches=False)
    kept, processes = DatabaseExecutor(clock, alias=database, time_limit=60), count()

    async def runs_there(heard: str) -> None:
        process = f"process {next(processes)}"
        run = await records.find(whose, await records.create(whose, server, begin, clock.time()), server)
        assert await records.claim(run, "trying", BulkOperation("label"), process, clock.time())
        beat = Checkpoint("trying", heard, "", 0.0, {}, {}, None, clock.time() + 600)
        assert await records.save_checkpoint(run.key, process, beat) is not None

    await kept.ask(_without_runs)
    yield runs_there
    await kept.ask(_without_runs)


def _without_runs(alias: str) -> None:
    BulkRun.objects.using(alias).all().delete()
