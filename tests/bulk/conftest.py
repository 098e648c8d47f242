"""Mydemos on the run's API server, the parts of a web process that lists them, and a database of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from dashboard.bulk.attempt import attempt
from dashboard.bulk.records import Records
from dashboard.bulk.runner import Bulks
from dashboard.drafts.database import Database
from informerd.clock import SystemClock
from tests.controlplane import ControlPlane
from tests.drafts.databases import migrated
from tests.drains.conftest import empty_database
from tests.edits.browsing import Browser, Page
from tests.edits.conftest import cluster, collection, namespace, parts_for
from tests.live.feeder import Feeder
from tests.resources.made import row_of
from tests.wait import eventually

__all__ = ["cluster", "collection", "empty_database", "namespace"]

ALIAS = "bulk"
KEY = "mydemos.crddemo.k8s.io"
PAGE = f"/resources/{KEY}/bulk/"


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated SQLite file, which every thread reaches."""
    url = f"sqlite:///{tmp_path_factory.mktemp('bulk') / 'bulk.sqlite3'}"
    with django_db_blocker.unblock(), migrated(ALIAS, url) as alias:
        yield alias


def bulks_for(parts: SimpleNamespace, alias: str = ALIAS) -> Bulks:
    """What runs in one web process."""
    records = Records(Database(SystemClock(), alias=alias, time_limit=60))
    return Bulks(records, parts.clock, partial(getattr, parts, "client"), attempt)


@pytest.fixture
async def parts(cluster: ControlPlane, database: str) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(cluster.kubeconfig):
        made.bulks = bulks_for(made, database)
        yield made
        await made.bulks.stop()


@dataclass
class Demos:
    """Mydemos of a namespace, and the browser that changes them."""

    cluster: ControlPlane
    collection: str
    parts: SimpleNamespace
    browser: Browser
    run: str = ""
    """Address of the run that `choose` began."""

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
        feeder = Feeder(KEY, self.parts.clock, [row_of(KEY, each) for each in made])
        self.parts.replicas._replicas[KEY] = feeder.replica

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
        page = await self.browser.press(await self.browser.open(PAGE), "all")
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
