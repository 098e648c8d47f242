"""Tests of a work queue's metrics, as Prometheus reads them."""

from __future__ import annotations

import gc

import pytest

from informerd.metrics import ControllerCollector
from informerd.workqueue.work_queue import WorkQueue
from tests.support.clock import FakeClock
from tests.support.informerd.metrics_scrape import Scrape


@pytest.fixture
def queue(clock: FakeClock) -> WorkQueue[str]:
    return WorkQueue("pods", clock=clock)


async def test_what_waits_is_delayed_and_is_worked_on_is_shown(queue: WorkQueue[str], clock: FakeClock) -> None:
    collector = ControllerCollector(queue)
    queue.add("a")
    queue.add("b")
    queue.add("b")
    queue.add_after("c", 60)
    await clock.advance(2)
    await queue.get()
    queue.add("a")
    await clock.advance(3)
    scrape = Scrape(collector)
    shown = {
        name: scrape.get(f"workqueue_{name}", queue="pods", cluster="")
        for name in ("depth", "oldest_age_seconds", "delayed", "processing", "adds_total", "retries_total")
    }
    assert shown == {
        "depth": 2,
        "oldest_age_seconds": 5,
        "delayed": 1,
        "processing": 1,
        "adds_total": 3,
        "retries_total": 1,
    }


async def test_work_that_goes_on_is_shown_and_the_longest(queue: WorkQueue[str], clock: FakeClock) -> None:
    collector = ControllerCollector(queue)
    queue.add("a")
    queue.add("b")
    await queue.get()
    await clock.advance(2)
    await queue.get()
    await clock.advance(3)
    scrape = Scrape(collector)
    assert scrape.get("workqueue_unfinished_work_seconds") == 8
    assert scrape.get("workqueue_longest_running_processor_seconds") == 5
    queue.done("a")
    assert Scrape(collector).get("workqueue_unfinished_work_seconds") == 3


async def test_how_long_keys_waited_and_were_worked_on_is_a_histogram(queue: WorkQueue[str], clock: FakeClock) -> None:
    """A key that is added while it is worked on waits from then on (client-go's metrics do the same)."""
    queue.add("a")
    await clock.advance(0.05)
    await queue.get()
    queue.add("a")
    await clock.advance(4)
    queue.done("a")
    await queue.get()
    scrape = Scrape(ControllerCollector(queue))
    waited, worked = "workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"
    assert scrape.get(f"{waited}_sum") == pytest.approx(4.05)
    assert [scrape.get(f"{waited}_bucket", le=le) for le in ("0.01", "0.1", "10.0", "+Inf")] == [0, 1, 2, 2]
    assert (scrape.get(f"{worked}_sum"), scrape.get(f"{worked}_count")) == (4, 1)


async def test_a_delay_does_not_count_as_waiting(queue: WorkQueue[str], clock: FakeClock) -> None:
    queue.add_after("a", 60)
    await clock.advance(61)
    await queue.get()
    assert Scrape(ControllerCollector(queue)).get("workqueue_queue_duration_seconds_sum") == 1


async def test_queues_of_one_name_are_told_apart_for_as_long_as_both_are_shown(clock: FakeClock) -> None:
    first, second = (WorkQueue[str]("pods", clock=clock) for _ in range(2))
    second.add("a")
    collector = ControllerCollector(first, second)
    assert Scrape(collector).get("workqueue_depth", queue="pods") == 0
    assert Scrape(collector).get("workqueue_depth", queue="pods (2)") == 1
    collector.remove(first)
    collector.remove(first)
    assert Scrape(collector).labels("workqueue_depth") == [{"cluster": "", "queue": "pods (2)"}]
    collector.add(first, cluster="other")
    assert Scrape(collector).get("workqueue_depth", queue="pods", cluster="other") == 0


async def test_what_is_shown_no_more_is_kept_by_nobody(clock: FakeClock) -> None:
    collector = ControllerCollector()
    queue = WorkQueue[str]("pods", clock=clock)
    collector.add(queue)
    Scrape(collector)
    collector.remove(queue)
    del queue
    gc.collect()
    assert not collector._queues._numbers


def test_a_registry_is_told_the_names_before_there_is_anything_to_show() -> None:
    names = {family.name for family in ControllerCollector().describe()}
    assert {"informerd_workqueue_depth", "informerd_controller_reconciles"} <= names
    assert Scrape(ControllerCollector()).labels("workqueue_depth") == []
