"""Tests of the runner in the worker: managers, reports each second, requeues, and isolated failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.pages.controllers.runner import REPORT_INTERVAL, RESTART_DELAY, ControllerRunner, ManagerLike
from dashboard.pages.controllers.worker_messages import (
    REPORT_GROUP,
    Report,
    RequeueRequest,
    RequeueResult,
    encoder,
    report_decoder,
    requeue_result_decoder,
)
from informerd.controller.state import ControllerState
from informerd.errors import LeaderElectionLost
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.controllers.fake_manager import FakeManager
from tests.support.controllers.report_samples import controller, failed
from tests.support.live.fake_channel_layer import Message, RecordingLayer


class HearingLayer(RecordingLayer):
    """Also hands out what the test puts into its inbox."""

    def __init__(self) -> None:
        super().__init__()
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()

    async def receive(self, channel: str) -> Message:
        return await self.inbox.get()


class Running:
    """A runner whose managers the test makes."""

    def __init__(
        self, *controllers: ControllerState, wanted: tuple[str, ...] = ("crddemo",), **changes: object
    ) -> None:
        self.clock = FakeClock()
        self.layer = HearingLayer()
        self.made: list[FakeManager] = []
        self.fault: Exception | None = None
        self._controllers, self._changes = controllers or (controller(),), changes
        self.runner = ControllerRunner(wanted, self._make, self._checked(self.layer), self.clock)

    def _make(self) -> ManagerLike:
        if self.fault is not None:
            raise self.fault
        self.made.append(FakeManager(*self._controllers, **self._changes))
        return self.made[-1]

    def _checked(self, layer: ChannelLayer) -> ChannelLayer:
        return layer

    @property
    def reports(self) -> list[Report]:
        return [report_decoder.decode(each["data"]) for group, each in self.layer.sent if group == REPORT_GROUP]

    @property
    def answers(self) -> list[RequeueResult]:
        return [requeue_result_decoder.decode(each["data"]) for channel, each in self.layer.sent if channel == "web"]

    async def start(self) -> Running:
        self.runner.start()
        await run_ready_tasks()
        return self

    async def ask(self, controller: str, key: str) -> list[RequeueResult]:
        asked = RequeueRequest("q1", controller, key, "web", "alice")
        await self.layer.inbox.put({"type": "controllers.requeue", "data": encoder.encode(asked)})
        await run_ready_tasks()
        return self.answers


@pytest.fixture
async def running() -> AsyncIterator[list[Running]]:
    """Runners to be stopped after the test."""
    started: list[Running] = []
    yield started
    for each in started:
        await each.runner.stop()


async def begin(running: list[Running], *controllers: ControllerState, **changes: object) -> Running:
    running.append(Running(*controllers, **changes))  # type: ignore[arg-type]
    return await running[-1].start()


async def test_it_runs_a_manager_and_reports_each_second(running: list[Running]) -> None:
    one = await begin(running)
    assert one.made[0].running
    first = one.reports[-1]
    assert (first.wanted, first.manager.controllers[0].name, first.problem) == (("crddemo",), "crddemo", "")
    assert first.epoch == one.runner.epoch
    before = len(one.reports)
    await one.clock.advance(3 * REPORT_INTERVAL)
    assert len(one.reports) == before + 3
    assert one.reports[-1].history["crddemo"].reconciles[-1] >= 0


async def test_with_nothing_to_run_it_says_so_and_makes_no_manager(running: list[Running]) -> None:
    one = await begin(running, wanted=())
    assert one.made == []
    assert (one.reports[0].wanted, one.reports[0].manager.controllers) == ((), ())


async def test_a_manager_that_ends_is_said_and_another_one_is_made(
    running: list[Running], caplog: pytest.LogCaptureFixture
) -> None:
    one = await begin(running)
    one.made[0].ended.set_exception(LeaderElectionLost("default/l", "the API server is away"))
    await run_ready_tasks()
    await one.clock.advance(REPORT_INTERVAL)
    said = "The controllers ended: lost the lease default/l: the API server is away. They restart in 10 s."
    assert one.reports[-1].problem == said
    assert "the controllers ended and restart in 10 s: lost the lease default/l" in caplog.text
    assert "Traceback" not in caplog.text
    await one.clock.advance(RESTART_DELAY)
    assert len(one.made) == 2
    assert one.reports[-1].problem == ""


async def test_a_manager_that_cannot_be_made_is_tried_again_and_its_fault_told_with_a_trace(
    running: list[Running], caplog: pytest.LogCaptureFixture
) -> None:
    one = Running()
    running.append(one)
    one.fault = ImportError("no module named crddemo")
    await one.start()
    await one.clock.advance(REPORT_INTERVAL)
    assert one.reports[-1].problem.startswith("The controllers ended: no module named crddemo.")
    assert one.reports[-1].manager.leads is False
    assert "Traceback" in caplog.text
    one.fault = None
    await one.clock.advance(RESTART_DELAY)
    assert one.made[0].running


async def test_a_key_that_failed_is_requeued_and_a_report_follows_at_once(
    running: list[Running], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    one = await begin(running, controller(failed=(failed("default/a"),)))
    before = len(one.reports)
    assert await one.ask("crddemo", "default/a") == [RequeueResult("q1", done=True)]
    assert one.made[0].controllers[0].requeued == ["default/a"]
    assert len(one.reports) == before + 1
    assert "default/a of crddemo is requeued, requested by alice" in caplog.text


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("nobody", "default/a", "The controller 'nobody' does not run here. Running controllers: crddemo."),
        ("crddemo", "default/b", "'default/b' is not a failed key of crddemo"),
    ],
)
async def test_what_is_not_there_is_refused_with_a_sentence(
    running: list[Running], name: str, key: str, words: str
) -> None:
    one = await begin(running, controller(failed=(failed("default/a"),)))
    (answer,) = await one.ask(name, key)
    assert not answer.done
    assert answer.words.startswith(words)
    assert one.made[0].controllers[0].requeued == []


async def test_a_worker_that_does_not_lead_leaves_the_answer_to_the_one_that_does(running: list[Running]) -> None:
    one = await begin(running, controller(failed=(failed("default/a"),)), leads=False)
    assert await one.ask("crddemo", "default/a") == []


async def test_a_question_that_cannot_be_read_is_dropped_with_one_warning(
    running: list[Running], caplog: pytest.LogCaptureFixture
) -> None:
    one = await begin(running, controller(failed=(failed("default/a"),)))
    for data in (b"nonsense", b"\xc1"):
        await one.layer.inbox.put({"type": "controllers.requeue", "data": data})
    await run_ready_tasks()
    assert caplog.text.count("does a web process run another version?") == 1
    assert (await one.ask("crddemo", "default/a"))[0].done


async def test_a_layer_that_fails_stops_nothing(running: list[Running]) -> None:
    one = await begin(running)
    one.layer.broken = True
    await one.clock.advance(5 * REPORT_INTERVAL)
    assert one.made[0].running
    one.layer.broken = False
    before = len(one.reports)
    await one.clock.advance(REPORT_INTERVAL)
    assert len(one.reports) == before + 1


async def test_stopped_it_ends_its_manager(running: list[Running]) -> None:
    one = await begin(running)
    await one.runner.stop()
    assert not one.made[0].running
