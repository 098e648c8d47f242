"""Tests of a shared informer's handlers: the order of notifications, and isolation of slow or broken handlers."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.handler import FilteringHandler, HandlerFunctions
from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import AlreadyStarted, InformerStopped
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.informerd.relist import Running, relist
from tests.support.scripted_api_server import ScriptedServer, pod
from tests.support.wait import eventually


async def test_a_handler_added_late_gets_what_is_cached_and_then_everything_once(running: Running) -> None:
    setup, stream = running
    late = Recorder()
    await stream.send("MODIFIED", pod("a", "11"))
    registration = setup.informer.add_handler(late)
    await stream.send("MODIFIED", pod("b", "12"))
    await registration.wait_for_sync()
    await eventually(lambda: late.words[-1:] == ["update default/b@12"])
    assert late.told[:2] == [("add", "default/a", late.told[0][2], True), ("add", "default/b", "2", True)]
    folded = {key: version for _, key, version, _ in late.told}
    assert folded == setup.keys


async def test_a_handler_has_synced_when_each_initial_add_has_returned_or_raised(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    gate = asyncio.Event()

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        await gate.wait()
        raise RuntimeError("no")

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await (await server.take_streaming_list()).send_list([pod("a", "1"), pod("b", "2")], "10")
    await setup.informer.wait_for_sync()
    await run_ready_tasks()
    assert setup.informer.has_synced
    assert not registration.has_synced
    gate.set()
    await registration.wait_for_sync()
    assert registration.failures == 2


async def test_a_blocked_handler_delays_neither_the_store_nor_the_others(running: Running) -> None:
    setup, stream = running
    blocked = []

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        blocked.append(obj.key)
        await asyncio.Event().wait()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await stream.send("MODIFIED", pod("a", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "update default/a@11")
    assert setup.keys["default/a"] == "11"
    assert blocked == ["default/a"]
    await eventually(lambda: registration.depth == 3)


async def test_a_handler_that_raises_is_logged_and_counted_and_delivery_goes_on(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    setup, stream = running
    seen = []

    def on_update(old: Object, new: Object) -> None:
        seen.append(new.metadata.resource_version)
        raise ValueError("broken handler")

    registration = setup.informer.add_handler(HandlerFunctions(on_update=on_update))
    await stream.send("MODIFIED", pod("a", "11"))
    await stream.send("MODIFIED", pod("a", "12"))
    await eventually(lambda: seen == ["11", "12"])
    assert registration.failures == 2
    assert "broken handler" in caplog.text


async def test_a_cancelled_thing_inside_a_handler_is_a_failure_of_that_handler(running: Running) -> None:
    setup, stream = running
    seen = []

    async def on_update(old: Object, new: Object) -> None:
        seen.append(new.metadata.resource_version)
        inner = asyncio.create_task(asyncio.Event().wait())
        inner.cancel()
        await inner

    registration = setup.informer.add_handler(HandlerFunctions(on_update=on_update))
    await stream.send("MODIFIED", pod("a", "11"))
    await stream.send("MODIFIED", pod("a", "12"))
    await eventually(lambda: seen == ["11", "12"])
    assert registration.failures == 2


async def test_a_removed_handler_is_told_nothing_more(running: Running) -> None:
    setup, stream = running
    told: list[str] = []

    def on_add(obj: Object, is_in_initial_list: bool) -> None:
        told.append(obj.key)
        registration.remove()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await eventually(lambda: told)
    registration.remove()
    await stream.send("ADDED", pod("c", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "add default/c@11")
    assert told == ["default/a"]


async def test_a_handler_added_after_the_end_is_an_error(start: StartInformer, server: ScriptedServer) -> None:
    async with server.client(FakeClock()) as client:
        informer = SharedInformer(ListWatch(client, PODS, projection=Object), clock=FakeClock())
        running = asyncio.create_task(informer.run())
        await server.take()
        waiting = asyncio.create_task(informer.wait_for_sync())
        await run_ready_tasks()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        with pytest.raises(InformerStopped):
            await waiting
        with pytest.raises(InformerStopped):
            informer.add_handler(Recorder())
        with pytest.raises(InformerStopped):
            await informer.wait_for("7")
        with pytest.raises(AlreadyStarted):
            await informer.run()


async def test_updates_that_repeat_a_version_reach_only_handlers_that_ask_for_them(running: Running) -> None:
    setup, stream = running
    all_of_it = Recorder()
    setup.informer.add_handler(all_of_it, same_version_updates=True)
    await relist(setup, stream, pod("a", "1"), pod("b", "12"), version="15")
    await eventually(lambda: all_of_it.words[2:] == ["update default/a@1", "update default/b@12"])
    assert setup.recorder.words[2:] == ["update default/b@12"]


async def test_a_resync_tells_every_object_again_at_each_handlers_own_period(running: Running) -> None:
    setup, _ = running
    two, three = Recorder(), Recorder()
    setup.informer.add_handler(two, resync=2)
    setup.informer.add_handler(three, resync=3)
    await eventually(lambda: len(two.told) == len(three.told) == 2)
    counts = []
    for _ in range(6):
        await setup.clock.advance(1)
        counts.append((len(two.told) // 2 - 1, len(three.told) // 2 - 1))
    assert counts == [(0, 0), (1, 0), (1, 1), (2, 1), (2, 1), (3, 2)]
    assert len(setup.recorder.told) == 2
    assert setup.server.waiting == 0


async def test_a_resync_under_a_second_is_raised_to_one(running: Running) -> None:
    setup, _ = running
    recorder = Recorder()
    assert setup.informer.add_handler(recorder, resync=0.1).resync == 1


async def test_filtering_makes_adds_of_what_enters_and_deletes_of_what_leaves(running: Running) -> None:
    setup, stream = running
    inner = Recorder()
    setup.informer.add_handler(FilteringHandler(lambda obj: "in" in obj.metadata.labels, inner))
    for event, version, labels in [
        ("MODIFIED", "11", {"in": "1"}),
        ("MODIFIED", "12", {"in": "2"}),
        ("MODIFIED", "13", {}),
        ("MODIFIED", "14", {"in": "1"}),
        ("DELETED", "15", {"in": "1"}),
        ("DELETED", "16", {}),
    ]:
        await stream.send(event, pod("b" if version == "16" else "a", version, labels=labels))
    await eventually(lambda: len(setup.recorder.told) == 8)
    await eventually(
        lambda: (
            inner.words
            == [
                "add default/a@11",
                "update default/a@12",
                "delete default/a@12",
                "add default/a@14",
                "delete default/a@15",
            ]
        )
    )


async def test_a_handler_buffer_that_grows_too_long_is_logged_once_and_counted(
    running: Running, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("informerd.cache.listener.BUFFER_WARNING", 3)
    setup, stream = running
    gate = asyncio.Event()

    async def slow(obj: Object, is_in_initial_list: bool) -> None:
        await gate.wait()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=slow))
    for number in range(20):
        await stream.send("ADDED", pod(f"p{number}", str(100 + number)))
    await eventually(lambda: registration.depth == 22)
    assert registration.overflows == 1
    assert caplog.text.count(f"notifications wait for the handler {registration.name}") == 1
    gate.set()
    await eventually(lambda: registration.depth == 0)
