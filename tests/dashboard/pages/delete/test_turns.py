"""Tests that other tasks run while a deletion's page looks for many dependents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dashboard.live.replication.replicas import Replicas
from dashboard.objects.kinds.catalog import KINDS, parse_kinds
from dashboard.pages.delete.dependents import find_dependents, find_direct_dependents, find_shared_dependents
from dashboard.pages.delete.used_by import find_used_by
from dashboard.pages.writes.target import Target
from dashboard.runtime import time_slicing
from informerd.clock import SystemClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of

COUNT = 100
WEB = Target(KINDS["deployments.apps"], "default", "web")
SEARCHES: dict[str, Callable[[Replicas], Awaitable[Any]]] = {
    "dependents and shared ones": lambda replicas: find_shared_dependents(WEB, "web", replicas),
    "what it waits for": lambda replicas: find_dependents(WEB, "web", replicas, only_blocking=True),
    "direct ones": lambda replicas: find_direct_dependents("web", replicas),
    "contents": lambda replicas: find_dependents(Target(KINDS["namespaces"], "", "default"), "uid", replicas),
    "users": lambda replicas: find_used_by(Target(KINDS["nodes"], "", "node"), replicas),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
async def test_other_tasks_run_after_each_slice(
    monkeypatch: pytest.MonkeyPatch, search: Callable[[Replicas], Awaitable[Any]]
) -> None:
    clock = SystemClock()
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web"}
    shared = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "other"}
    rows = [
        row_of("pods", {"metadata": {"name": uid, "namespace": "default", "uid": uid, "ownerReferences": owners}})
        for number in range(COUNT)
        for uid, owners in [(f"pod-{number}", [owner] if number % 2 else [owner, shared])]
    ]
    replicas = Replicas(RecordingLayer(), parse_kinds(["pods"]), clock)
    put_feeders(replicas, Feeder("pods", clock, rows))
    monkeypatch.setattr(time_slicing, "SLICE_SECONDS", 0.0)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    running = asyncio.create_task(others())
    try:
        await search(replicas)
    finally:
        running.cancel()
    assert turns >= COUNT - 1
