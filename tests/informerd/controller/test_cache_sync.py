"""Tests of a controller's start: the caches that it waits for, and its log lines meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import SharedInformer
from informerd.controller.controller import Controller
from informerd.controller.handlers import EnqueueMapped
from informerd.controller.predicates import ResourceVersionChanged
from informerd.controller.request import Request
from informerd.controller.sources import KindSource
from informerd.errors import CacheSyncTimeout, InformerStopped, InvalidCall
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import Script, running
from tests.support.scripted_api_server import ScriptedServer, pod, status
from tests.support.wait import eventually


@pytest.fixture
async def idle(server: ScriptedServer, clock: FakeClock) -> AsyncIterator[SharedInformer[Object]]:
    """An informer of pods that nobody has started."""
    async with server.client(clock) as client:
        yield SharedInformer(ListWatch(client, PODS, projection=Object, namespace="shop"), clock=clock)


async def test_no_reconcile_before_all_handlers_processed_the_initial_objects(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The reference's test of that name; and news go before what was there at first."""
    script = Script()
    first, second = await start(), await start()
    sources = [KindSource(first.informer), KindSource(second.informer)]
    async with running(script, clock, sources=sources) as controller:
        stream = await server.take_streaming_list()
        await stream.send_list([pod("a", "1"), pod("b", "2")], "10")
        await first.informer.wait_for_sync()
        await stream.send("ADDED", pod("c", "11"))
        await eventually(lambda: controller.state().queue.depth == 3)
        assert (script.called, controller.phase) == ([], "waiting for caches")
        await (await server.take_streaming_list()).send_list([pod("z", "5")], "10")
        await eventually(lambda: len(script.called) == 4)
        assert script.names == "cabz"
        assert controller.phase == "running"


async def test_updates_that_repeat_a_version_come_after_news(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    gate = asyncio.Event()
    script = Script()
    script.answers[Request("default", "b")] = gate.wait
    setup = await start()
    async with running(script, clock, sources=[KindSource(setup.informer, resync=30)]):
        stream = await server.take_streaming_list()
        await stream.send_list([pod("b", "1"), pod("c", "2")], "10")
        await eventually(lambda: script.names == "b")
        await clock.advance(31)
        await stream.send("MODIFIED", pod("c", "11"))
        await eventually(lambda: setup.recorder.words[-1] == "update default/c@11")
        await stream.send("ADDED", pod("d", "12"))
        await eventually(lambda: setup.recorder.words[-1] == "add default/d@12")
        await run_ready_tasks()
        gate.set()
        await eventually(lambda: len(script.called) >= 4)
        assert script.names[:4] == "bcdb"


async def test_a_resync_brings_every_object_unless_a_predicate_leaves_it_out(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    seen, filtered = Script(), Script()
    changed = KindSource(setup.informer, None, ResourceVersionChanged(), resync=30)
    async with (
        running(seen, clock, sources=[KindSource(setup.informer, resync=30)]),
        running(filtered, clock, sources=[changed]),
    ):
        await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
        await eventually(lambda: (seen.names, filtered.names) == ("a", "a"))
        await clock.advance(31)
        await eventually(lambda: seen.names == "aa")
        assert filtered.names == "a"


async def test_caches_that_do_not_sync_in_time_fail_the_start_by_name_and_with_the_reason(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, idle: SharedInformer[Object]
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take()).fail(status(403, "Forbidden", 'pods is forbidden: User "u" cannot list'))
    await eventually(lambda: setup.state == "forbidden")
    controller = Controller("demo", Script(), sources=[KindSource(setup.informer), KindSource(idle)], clock=clock)
    run = asyncio.create_task(controller.run())
    await run_ready_tasks()
    assert controller.state().phase == "waiting for caches"
    assert controller.state().problem.startswith("pods is forbidden: ")
    await clock.advance(119)
    assert not run.done()
    await clock.advance(1)
    with pytest.raises(CacheSyncTimeout) as caught:
        await run
    assert str(caught.value).startswith("the caches of the controller demo have not synced within 120 s: pods is forb")
    assert caught.value.pending["pods in shop"] == "not started: factory.start() does that, or a manager"
    state = controller.state()
    assert (state.phase, state.problem) == ("failed", str(caught.value))
    assert idle.registrations == []


async def test_without_a_time_out_it_waits_for_ever_and_says_once_what_for(
    clock: FakeClock, idle: SharedInformer[Object], caplog: pytest.LogCaptureFixture
) -> None:
    async with running(Script(), clock, sources=[KindSource(idle)], sync_timeout=None) as controller:
        await clock.advance(9)
        assert "no worker yet" not in caplog.text
        await clock.advance(1_000_000)
        assert controller.phase == "waiting for caches"
        assert caplog.text.count("the controller demo has no worker yet, because pods in shop is not started") == 1
    assert clock.pending_sleeps == []


async def test_it_says_how_many_objects_its_handler_has_still_to_look_at(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    source = KindSource(setup.informer, EnqueueMapped(lambda _: []))
    async with running(Script(), clock, sources=[source]) as controller:
        registration = setup.informer.registrations[-1]
        waiting = asyncio.create_task(registration.wait_for_sync())
        await (await server.take_streaming_list()).send_list([pod(f"p{number}", "1") for number in range(2000)], "10")
        await setup.informer.wait_for_sync()
        if not registration.has_synced:
            assert (
                controller.state().problem == f"pods is listed, with {registration.depth} objects still to be handled"
            )
        await waiting


@pytest.mark.parametrize("how", ["stopped", "cancelled"])
async def test_one_that_waits_for_its_caches_can_be_ended(
    clock: FakeClock, idle: SharedInformer[Object], how: str
) -> None:
    controller = Controller("demo", Script(), sources=[KindSource(idle)], clock=clock)
    run = asyncio.create_task(controller.run())
    await run_ready_tasks()
    if how == "stopped":
        controller.stop()
    else:
        run.cancel()
    await asyncio.wait((run,))
    assert run.cancelled() is (how == "cancelled")
    assert controller.phase == "stopped"
    assert idle.registrations == []
    assert clock.pending_sleeps == []


async def test_an_informer_that_stops_meanwhile_fails_the_start(clock: FakeClock, idle: SharedInformer[Object]) -> None:
    controller = Controller("demo", Script(), sources=[KindSource(idle)], clock=clock)
    run = asyncio.create_task(controller.run())
    await run_ready_tasks()
    await idle.close()
    with pytest.raises(InformerStopped):
        await run
    assert controller.phase == "failed"
    again = Controller("demo", Script(), sources=[KindSource(idle)], clock=clock)
    with pytest.raises(InformerStopped):
        await again.run()


async def test_a_source_that_cannot_start_ends_those_that_have(
    start: StartInformer, clock: FakeClock, idle: SharedInformer[Object]
) -> None:
    setup = await start()
    await idle.close()
    controller = Controller("demo", Script(), sources=[KindSource(setup.informer), KindSource(idle)], clock=clock)
    with pytest.raises(InformerStopped):
        await controller.run()
    assert [each.name for each in setup.informer.registrations] == ["Recorder"]


async def test_a_source_that_is_added_while_it_runs_begins_at_once(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    script = Script()
    async with running(script, clock) as controller:
        setup = await start()
        controller.watch(KindSource(setup.informer))
        assert len(controller.sources) == 1
        await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
        await eventually(lambda: script.names == "a")
    with pytest.raises(InvalidCall, match="the controller demo has been stopped and takes no more sources"):
        controller.watch(KindSource(setup.informer))
    assert [each.name for each in setup.informer.registrations] == ["Recorder"]
