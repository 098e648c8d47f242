"""Fixtures with a demo cluster for each test, in this process, and one process shared by the run."""

from __future__ import annotations

import asyncio
import itertools
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from devcluster.demo_server import DemoServer
from devcluster.kubeconfig import write_kubeconfig
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints.faults import Faults
from devcluster.server.storage.store import Store
from tests.support.devcluster.gadget_crd import GADGETS
from tests.support.devcluster.http_client import Api, Reply
from tests.support.program import ROOT
from tests.support.wait import until

_numbers = itertools.count(1)
START = 1_800_000_000.0


class Moment:
    """The server's time: Unix seconds that a test sets."""

    def __init__(self) -> None:
        self.seconds = START

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
def core(moment: Moment) -> ApiServer:
    """An API server's inside, with the gadgets of the tests, a namespace ``t`` and a history of 50 changes."""
    core = ApiServer(now=moment, rng=random.Random(7), store=Store(max_changes=50))
    core.create(core.kind("customresourcedefinitions.apiextensions.k8s.io"), "", GADGETS)
    core.create(core.kind("namespaces"), "", {"metadata": {"name": "t"}})
    return core


class Demo(Api):
    """`core` over HTTP. Its calls block, so tests make them through `asyncio.to_thread`."""

    core: ApiServer

    async def ask(
        self, method: str, path: str, body: object = None, content_type: str = "application/json", **headers: str
    ) -> Reply:
        return await asyncio.to_thread(self.call, method, path, body, content_type, **headers)


@pytest.fixture
async def demo(core: ApiServer, tmp_path: Path) -> AsyncIterator[Demo]:
    """`core` served with faults allowed, bookmarks every 0.2 s and the garbage collector running."""
    faults = Faults(core.store, random.Random(7))
    async with DemoServer(core, faults=faults, bookmark_seconds=0.2) as serving:
        collector = asyncio.create_task(core.garbage_collector.run(interval=0.05))
        file = tmp_path / "kubeconfig"
        write_kubeconfig(file, server=serving.url, authority=serving.authority, token=serving.token)
        found = Api.of(file)
        demo = Demo(found.server, found.token, found.tls)
        demo.core = core
        try:
            yield demo
        finally:
            collector.cancel()


@pytest.fixture(scope="session")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A demo cluster without workload in a process of its own; the path of its kubeconfig."""
    folder = tmp_path_factory.mktemp("devcluster")
    kubeconfig, log = folder / "kubeconfig", folder / "log"
    command = [sys.executable, "-m", "devcluster", "--port", "0", "--kubeconfig", str(kubeconfig), "--no-workload"]
    with log.open("wb") as output:
        process = subprocess.Popen([*command, "--exit-with-parent"], cwd=ROOT, stdin=subprocess.PIPE, stdout=output)
    try:
        until(lambda: b"ready" in log.read_bytes(), within=60, what="the demo cluster is ready")
        Api.of(kubeconfig).post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", GADGETS)
        yield kubeconfig
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(10)


@pytest.fixture
def api(process: Path) -> Api:
    return Api.of(process)


@pytest.fixture
def namespace() -> str:
    """A name that no other test of the run uses."""
    return f"devcluster-{next(_numbers)}"
