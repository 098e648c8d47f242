"""Tests of cancellation: tasks end, also when the awaited result comes at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import pytest

from devcluster.server.api_server_core import ApiServer
from devcluster.server.storage.watch import Watcher, WatchQuery
from devcluster.workload.cluster_client import Cluster
from devcluster.workload.random_source import RandomSource
from informerd.clock import sleep_or
from informerd.rest.client import Client
from tests.support.clock import FakeClock, run_ready_tasks

TURNS = range(8)
"""Turns of the event loop between what is waited for and the cancellation."""


async def ends(run: Callable[[], Awaitable[object]], come: Callable[[], object], turns: int) -> bool:
    """Whether `run` ends by its cancellation so many turns after `come`."""
    task = asyncio.ensure_future(run())
    await run_ready_tasks()
    come()
    await run_ready_tasks(turns)
    task.cancel()
    await run_ready_tasks()
    ended = task.done()
    task.cancel()  # or the test's own end would wait for it
    await asyncio.wait([task])
    return ended


@pytest.mark.parametrize("turns", TURNS)
async def test_the_garbage_collector_as_something_is_deleted(core: ApiServer, turns: int) -> None:
    assert await ends(core.garbage_collector.run, core.garbage_collector._woken.set, turns)


@pytest.mark.parametrize("turns", TURNS)
async def test_a_watch_as_something_changes(core: ApiServer, turns: int) -> None:
    kind = core.kind("configmaps")
    watcher = Watcher(core.store, kind, WatchQuery(version=core.store.revision))

    async def send() -> None:
        async for _ in watcher.lines():
            pass

    metadata = {"name": "a", "namespace": "t", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"}
    assert await ends(send, lambda: core.put_seed_object(kind, {"metadata": metadata}), turns)
    watcher.close()


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    """The controllers' view of a cluster, without a server."""
    clock = FakeClock()
    cluster = Cluster(cast("Client", None), clock=clock, random_source=RandomSource(1))
    yield cluster
    await cluster.stop()


@pytest.mark.parametrize("turns", TURNS)
async def test_a_controller_as_its_own_write_comes_back(cluster: Cluster, turns: int) -> None:
    informer = cluster.pods.informer
    written: dict[str, Any] = {"metadata": {"resourceVersion": "5"}}

    async def control() -> None:
        while True:
            await cluster.pods.wait_until_cached(written)
            await asyncio.Event().wait()

    def come() -> None:
        informer.store.resource_version = "5"
        informer._after_batch()

    assert await ends(control, come, turns)


@pytest.mark.parametrize("turns", TURNS)
async def test_a_wait_for_an_event_or_a_time_as_the_event_comes(turns: int) -> None:
    event = asyncio.Event()

    async def wait() -> None:
        while True:
            await sleep_or(event, 5.0, FakeClock())
            event.clear()

    assert await ends(wait, event.set, turns)
