"""Tests of a controller's metrics, as Prometheus reads them."""

from __future__ import annotations

import asyncio

from informerd.controller.controller import Controller
from informerd.controller.result import Result
from informerd.errors import TerminalError
from informerd.manager.manager import Manager
from informerd.metrics import ControllerCollector
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, B, C, Script, running
from tests.support.informerd.metrics_scrape import Scrape


async def test_reconciles_are_counted_by_outcome_from_zero_on(clock: FakeClock) -> None:
    script = Script()
    script.answers = {A: ValueError("no"), B: Result(requeue_after=60), C: TerminalError("never")}
    async with running(script, clock) as controller:
        collector = ControllerCollector(controller)
        assert Scrape(collector).get("controller_reconciles_total", controller="demo", outcome="error") == 0
        for request in (A, B, C):
            controller.requeue(request)
        await run_ready_tasks()
        scrape = Scrape(collector)
        outcomes = {
            each["outcome"]: scrape.get("controller_reconciles_total", outcome=each["outcome"])
            for each in scrape.labels("controller_reconciles_total")
        }
        assert outcomes == {
            "success": 0,
            "requeue": 0,
            "requeue_after": 1,
            "error": 1,
            "terminal": 1,
            "panic": 0,
            "timeout": 0,
        }
        assert scrape.get("controller_reconcile_errors_total") == 2
        assert scrape.get("controller_failed_keys") == 2
        assert scrape.get("controller_last_reconcile_timestamp_seconds") == clock.time()
        assert scrape.get("workqueue_adds_total", queue="demo") == 3
        assert scrape.get("workqueue_retries_total", queue="demo") == 2


async def test_workers_and_how_long_they_take_are_shown(clock: FakeClock) -> None:
    script = Script()
    gate = asyncio.Event()

    async def wait() -> None:
        await gate.wait()

    script.answers = {A: wait}
    async with running(script, clock, workers=3, stuck_after=60) as controller:
        collector = ControllerCollector(controller)
        controller.requeue(A)
        await run_ready_tasks()
        await clock.advance(70)
        scrape = Scrape(collector)
        assert (scrape.get("controller_workers"), scrape.get("controller_active_workers")) == (3, 1)
        assert scrape.get("controller_stuck_keys") == 1
        assert scrape.get("controller_last_reconcile_timestamp_seconds") is None
        gate.set()
        await run_ready_tasks()
        scrape = Scrape(collector)
        assert (scrape.get("controller_active_workers"), scrape.get("controller_stuck_keys")) == (0, 0)
        assert scrape.get("controller_reconcile_duration_seconds_sum") == 70
        assert scrape.get("controller_reconcile_duration_seconds_count") == 1


async def test_the_phase_is_1_for_one_of_all_phases(clock: FakeClock) -> None:
    controller = Controller("demo", Script(), clock=clock)
    collector = ControllerCollector(controller)
    assert Scrape(collector).get("controller_phase", phase="created") == 1
    async with running(Script(), clock) as controller:
        scrape = Scrape(ControllerCollector(controller))
        phases = [each["phase"] for each in scrape.labels("controller_phase")]
        assert [phase for phase in phases if scrape.get("controller_phase", phase=phase)] == ["running"]
        assert len(phases) == 7


async def test_controllers_of_one_name_are_told_apart(clock: FakeClock) -> None:
    controllers = [Controller("demo", Script(), clock=clock) for _ in range(2)]
    scrape = Scrape(ControllerCollector(*controllers))
    assert [each["controller"] for each in scrape.labels("controller_workers")] == ["demo", "demo (2)"]
    assert [each["queue"] for each in scrape.labels("workqueue_depth")] == ["demo", "demo (2)"]


async def test_a_manager_stands_for_all_its_controllers_also_those_added_later(clock: FakeClock) -> None:
    async with Client(ClusterConfig(name="none", server="http://127.0.0.1:1")) as client:
        manager = Manager(client, clock=clock)
        collector = ControllerCollector(manager, cluster="main")
        assert Scrape(collector).labels("controller_workers") == []
        manager.add(Controller("late", Script(), workers=2, clock=clock))
        assert Scrape(collector).get("controller_workers", controller="late", cluster="main") == 2
        text, _ = manager.metrics.text()
        assert b'informerd_controller_workers{cluster="",controller="late"} 2.0' in text


async def test_a_scrape_may_come_from_another_thread_at_any_time(clock: FakeClock) -> None:
    script = Script()
    async with running(script, clock, workers=2) as controller:
        collector = ControllerCollector(controller)
        scraping = asyncio.create_task(asyncio.to_thread(scrapes, collector))
        while not scraping.done():
            for request in (A, B, C):
                controller.requeue(request)
            await asyncio.sleep(0)
        assert len(await scraping) == 3


def scrapes(collector: ControllerCollector) -> list[Scrape]:
    return [Scrape(collector) for _ in range(3)]
