"""Fixtures: nodes with pods on the run's API server, and the parts of a web process with a database of its own."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import environ
import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from dashboard.access.person import Person
from dashboard.pages.drains.runner import DrainRunner
from dashboard.pages.drains.store import DrainStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from informerd.rest.client import Client
from tests.dashboard.pages.conftest import parts_for
from tests.support.controlplane import ControlPlane
from tests.support.databases import in_file
from tests.support.edit.no_script_browser import Browser
from tests.support.edit.workloads_and_budgets import pod, workload

ALIAS = "drains"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a migrated SQLite file, which every thread reaches."""
    with in_file(ALIAS, tmp_path_factory.mktemp(ALIAS), django_db_blocker) as alias:
        yield alias


def records(alias: str) -> DrainStore:
    """The drains in one of Django's databases, asked with patience."""
    return DrainStore(DatabaseExecutor(SystemClock(), alias=alias, time_limit=60))


@pytest.fixture
def empty_database(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of one that nobody has migrated."""
    url = f"sqlite:///{tmp_path / 'empty.sqlite3'}"
    connections.databases["empty"] = {
        **connections.databases["default"],
        "OPTIONS": {},
        **environ.Env.db_url_config(url),
    }
    with django_db_blocker.unblock():
        yield "empty"
    del connections.databases["empty"]


@pytest.fixture
async def parts(cluster: ControlPlane, database: str, drafts: str) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(cluster.kubeconfig):
        made.drain_runs = DrainRunner(records(database), made.clock, partial(_client_of, made))
        yield made
        await made.drain_runs.stop()


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    return Browser(parts)


@dataclass
class Node:
    """A node of the test's own; `run` puts a pod on it."""

    cluster: ControlPlane
    namespace: str
    name: str

    @property
    def api(self) -> str:
        return f"/api/v1/nodes/{self.name}"

    @property
    def page(self) -> str:
        return f"/resources/nodes/-/{self.name}/do/drain/"

    @property
    def pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def run(self, name: str, kind: str = "ReplicaSet", **spec: Any) -> str:
        """A running pod with an owner of this kind (none: empty); its path. A DaemonSet is there, others are not."""
        owner = {"apiVersion": "apps/v1", "kind": kind, "name": f"{name}-owner", "uid": "1"} if kind else None
        if kind == "DaemonSet":
            self.cluster.create(f"/apis/apps/v1/namespaces/{self.namespace}/daemonsets", workload(f"{name}-owner"))
        self.cluster.create(self.pods, pod(name, self.name, owner, terminationGracePeriodSeconds=1, **spec))
        ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        self.cluster.patch(f"{self.pods}/{name}/status", {"status": ready})
        return f"{self.pods}/{name}"

    def end(self, name: str) -> None:
        """What the kubelet does once the containers have ended."""
        body = {"gracePeriodSeconds": 0}
        self.cluster.request("DELETE", f"{self.pods}/{name}", body)


@pytest.fixture
def node(cluster: ControlPlane, namespace: str) -> Iterator[Node]:
    made = Node(cluster, namespace, f"drained-{next(_numbers)}")
    cluster.create("/api/v1/nodes", {"metadata": {"name": made.name}})
    yield made
    for path in [f"{made.pods}/{each['metadata']['name']}" for each in cluster.get(made.pods)["items"]]:
        cluster.request("DELETE", path, {"gracePeriodSeconds": 0})
    cluster.delete(made.api)


def _client_of(made: SimpleNamespace, person: Person) -> Client | None:
    client: Client | None = made.client
    return client
