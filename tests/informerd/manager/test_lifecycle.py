"""Tests of a manager's lifecycle: the order of start and stop, and the causes of its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.controller.request import Request
from informerd.errors import (
    AlreadyStarted,
    InvalidCall,
    StillRunning,
)
from informerd.manager.manager import Manager
from informerd.record.event import EVENTS
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.response import Response
from tests.informerd.manager.conftest import MAPS, Diary, Place, Run
from tests.support.clock import FakeClock
from tests.support.informerd.manager_lease import election, free_lease, lease
from tests.support.wait import eventually


async def test_it_starts_probes_caches_others_and_the_leaders_work_in_this_order(
    demo: Place, run: Run, diary: Diary
) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo), probes="127.0.0.1:0")
    maps = manager.kind(MAPS)

    async def other() -> None:
        assert manager.probes_address
        assert maps.has_synced
        assert not manager.state().leads
        diary.lines.append("other")

    async def leader() -> None:
        assert manager.state().leads
        diary.lines.append("leader")

    manager.add(leader)
    manager.add(other, needs_leader=False)
    run(manager)
    await eventually(lambda: len(diary.lines) == 2)
    assert diary.lines == ["other", "leader"]
    assert [each.phase for each in manager.state().runnables] == ["stopped", "stopped"]


async def test_it_stops_others_the_leaders_work_caches_and_probes_in_this_order_and_then_has_released_the_lease(
    place: Place, run: Run, diary: Diary
) -> None:
    await free_lease(place)
    terms = election(place, identity="me")
    manager = Manager(place.config, election=terms, probes="127.0.0.1:0")
    maps = manager.kind(MAPS)

    async def leader() -> None:
        diary.lines.append("leader begins")
        try:
            await asyncio.Event().wait()
        finally:
            assert "other ends" in diary.lines
            await maps.create({"metadata": {"name": "last", "namespace": place.namespace}}, wait=True)
            assert maps.get(Request(place.namespace, "last")) is not None
            assert (await lease(place)).holder == "me"
            assert manager.probes_address
            diary.lines.append("leader ends")

    manager.add(leader)
    manager.add(diary.runnable("other", needs_leader=False))
    task = run(manager)
    await eventually(lambda: "leader begins" in diary.lines)
    manager.stop()
    await task
    assert diary.lines == ["other begins", "leader begins", "other ends", "leader ends"]
    assert (await lease(place)).is_released
    assert manager.probes_address == ""
    assert manager.state().phase == "stopped"


@pytest.mark.slow
async def test_what_does_not_end_in_time_is_cancelled_and_then_named_and_the_lease_is_left_to_expire(
    demo: Place, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo, identity="me"), graceful=0.2)
    let_go, cancelled, begun = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                cancelled.set()

    manager.add(stubborn, name="stubborn")
    task = run(manager)
    await begun.wait()
    manager.stop()
    with pytest.raises(StillRunning, match=r"not ended within 0\.2 s: stubborn"):
        await task
    assert cancelled.is_set()
    assert (await lease(demo)).holder == "me"
    assert "not ended within 0.2 s: stubborn" in caplog.text
    let_go.set()


@pytest.mark.slow
async def test_what_does_not_end_but_needs_no_leader_keeps_no_lease(demo: Place, run: Run) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo, identity="me"), graceful=0.2)
    let_go, begun = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        while not let_go.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await let_go.wait()

    manager.add(stubborn, name="stubborn", needs_leader=False)
    task = run(manager)
    await begun.wait()
    await eventually(lambda: manager.state().leads)
    manager.stop()
    with pytest.raises(StillRunning, match="stubborn"):
        await task
    let_go.set()
    assert (await lease(demo)).is_released


async def test_reconciles_under_way_are_finished_within_the_time_for_stopping(demo: Place, run: Run) -> None:
    clock = FakeClock()
    factory = SharedInformerFactory(demo.client)
    manager = Manager(demo.client, factory=factory, clock=clock)
    await demo.map("a")
    begun, finish, done = asyncio.Event(), asyncio.Event(), []

    @manager.controller("slow", manager.kind(MAPS, namespaces=[demo.namespace]))
    async def reconcile(request: Request) -> None:
        begun.set()
        await finish.wait()
        done.append(request.name)

    task = run(manager)
    await begun.wait()
    manager.stop()
    await clock.wait_for_sleeper(30, below=31)
    assert not task.done()
    finish.set()
    await task
    assert done == ["a"]
    await factory.stop()


async def test_reconciles_that_do_not_finish_are_cancelled_after_thirty_seconds(demo: Place, run: Run) -> None:
    clock = FakeClock()
    factory = SharedInformerFactory(demo.client)
    manager = Manager(demo.client, factory=factory, clock=clock)
    await demo.map("a")
    begun, ended = asyncio.Event(), asyncio.Event()

    @manager.controller("stuck", manager.kind(MAPS, namespaces=[demo.namespace]))
    async def reconcile(_: Request) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = run(manager)
    await begun.wait()
    manager.stop()
    await clock.wait_for_sleeper(30, below=31)
    await clock.advance(30)
    await task
    assert ended.is_set()
    await factory.stop()


async def test_cancelling_it_stops_it_in_order_too(demo: Place, run: Run, diary: Diary) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo))
    manager.add(diary.runnable("work"))
    task = run(manager)
    await eventually(lambda: diary.lines)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert diary.lines == ["work begins", "work ends"]
    assert (await lease(demo)).is_released


async def test_a_second_cancellation_waits_for_nothing_more_and_this_process_leads_no_more(
    demo: Place, run: Run, diary: Diary
) -> None:
    await free_lease(demo)
    manager = Manager(demo.config, election=election(demo))
    let_go = asyncio.Event()

    class Slow:
        async def run(self) -> None:
            diary.lines.append("work begins")
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                diary.lines.append("work is cut short")

        def stop(self) -> None:
            diary.lines.append("work is asked to stop")

    manager.add(Slow())
    task = run(manager)
    await eventually(lambda: diary.lines)
    task.cancel()
    await eventually(lambda: diary.lines[-1] == "work is asked to stop")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not manager.state().leads
    await eventually(lambda: diary.lines[-1] == "work is cut short")


async def test_it_runs_once_and_not_at_all_when_stopped_before(demo: Place, diary: Diary) -> None:
    manager = Manager(demo.config)
    manager.add(diary.runnable("work"))
    manager.stop()
    await manager.run()
    assert diary.lines == []
    with pytest.raises(AlreadyStarted, match="a manager runs only once"):
        await manager.run()
    with pytest.raises(InvalidCall, match="has been stopped: make another one"):
        manager.add(diary.runnable("more"))


async def test_events_that_were_said_last_are_written_before_it_ends(demo: Place, run: Run) -> None:
    manager = Manager(demo.config)
    events = manager.recorder("worker")
    made = await demo.map("a")

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            events.event(made, "Normal", "Ended", "that was all")

    manager.add(work)
    task = run(manager)
    await eventually(lambda: manager.state().phase == "running")
    manager.stop()
    await task
    events_of = demo.dynamic.resource(Resource(version="v1", plural="events", kind="Event"), demo.namespace)
    assert [each["message"] for each in await events_of.list()] == ["that was all"]


class SlowEvents(Client):
    """Takes `seconds` of the clock to write each Event."""

    def __init__(self, config: ClusterConfig, clock: FakeClock, seconds: float) -> None:
        super().__init__(config)
        self.writing = clock
        self.seconds = seconds

    async def create(self, resource: Resource, *arguments: Any, **options: Any) -> Response:
        if resource == EVENTS:
            await self.writing.sleep(self.seconds)
        return await super().create(resource, *arguments, **options)


@pytest.mark.parametrize(
    ("each", "graceful", "written", "took"),
    [
        pytest.param(4, 30, 3, 12, id="all, though they take long"),
        pytest.param(4, 10, 2, 10, id="those for which there is time"),
        pytest.param(11, 30, 0, 5, id="none, where none is written for five seconds"),
    ],
)
async def test_events_are_waited_for_while_they_are_being_written(
    demo: Place, run: Run, each: float, graceful: float, written: int, took: float
) -> None:
    clock = FakeClock()
    async with SlowEvents(demo.config, clock, each) as client:
        manager = Manager(client, clock=clock, graceful=graceful)
        task = run(manager)
        await eventually(lambda: manager.state().phase == "running")
        for name in ("a", "b", "c"):
            manager.recorder("worker").event(await demo.map(name), "Normal", "Made", "it is there")
        began = clock.now()
        manager.stop()
        while not task.done():
            await eventually(lambda: task.done() or each in clock.pending_sleeps)
            await clock.advance(1)
        await task
    events = manager.state().events
    assert (events.created, events.dropped) == (written, 3 - written)
    assert clock.now() - began == pytest.approx(took, abs=1)


async def test_its_own_state_says_what_it_is_at(demo: Place, run: Run, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    manager = Manager(demo.config)
    assert (manager.state().phase, manager.state().leads) == ("created", True)
    task = run(manager)
    await eventually(lambda: manager.state().phase == "running")
    manager.stop()
    await task
    assert manager.state().phase == "stopped"
