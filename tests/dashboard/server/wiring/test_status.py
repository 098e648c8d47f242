"""Tests of what the page /status/ says of history."""

from __future__ import annotations

from pathlib import Path

from django.test import override_settings

from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.hub.hub import Hub
from dashboard.live.replication.channel_layer import ChannelLayerHealth
from dashboard.server.metrics.web_metrics import WebNumbers
from dashboard.server.wiring.status import status_parts
from dashboard.server.wiring.worker import WorkerProcess, build_worker_process
from tests.support.clock import FakeClock
from tests.support.live.history import ListedPods, recorded, recording
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.wait import eventually


def figures_of_history(process: WorkerProcess) -> dict[str, str] | None:
    """Words by name; None where the page has no part about history."""
    clock = FakeClock()
    feeders = Feeders(Feeder("pods", clock))
    web = WebNumbers(Hub(feeders, clock), feeders, 2000)
    parts = {each.title: each for each in status_parts(process, web, ChannelLayerHealth(), clock.time())}
    assert {"This process", "Pages", "Feed of changes", "Cluster"} <= parts.keys()
    history = parts.get("History")
    return None if history is None else {each.name: each.words for each in history.figures}


async def test_history_is_told_of_where_it_is_on() -> None:
    assert figures_of_history(build_worker_process(with_worker=False)) is None
    with override_settings(DELTABOARD_HISTORY=True):
        figures = figures_of_history(build_worker_process(with_worker=False))
    assert figures == {"Recorded by": "a worker in another process: manage.py history"}


async def test_a_worker_that_records_says_since_when_and_how_much(tmp_path: Path) -> None:
    process, pods = build_worker_process(with_worker=True), ListedPods()
    listed = pods.put("a")
    async with recording(SqliteParts(tmp_path), ("pods", pods)) as process.history:
        history = process.history
        await recorded(SqliteParts(tmp_path), listed)
        await eventually(lambda: history.size is not None, what="the size of history is known")
        with override_settings(DELTABOARD_HISTORY=True):
            figures = figures_of_history(process)
    assert figures is not None
    assert figures.pop("State").startswith("recording since 20")
    assert figures.pop("Size").endswith(" of 2,048 MiB")
    assert figures == {"Changes that wait": "0", "Versions written": "1", "Changes lost, which are in gaps": "0"}
