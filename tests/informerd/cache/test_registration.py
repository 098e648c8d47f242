"""Tests of registrations: handlers that are added, removed and fail at any moment of an informer's life."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.handler import HandlerFunctions
from informerd.cache.list_watch import ListWatch
from informerd.cache.notification import Add
from informerd.cache.shared_informer import SharedInformer
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import ScriptedServer, bookmark, pod
from tests.support.wait import eventually


async def test_a_handler_added_while_running_has_synced_once_it_has_had_what_is_cached(
    start: StartInformer, server: ScriptedServer
) -> None:
    """The reference's AddWhileActive."""
    setup = await start()
    first = setup.informer.add_handler(Recorder())
    assert not first.has_synced
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await first.wait_for_sync()
    gate = asyncio.Event()
    told: list[str] = []

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        await gate.wait()
        told.append(obj.key)

    second = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    await run_ready_tasks()
    assert not second.has_synced
    await stream.send("ADDED", pod("b", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "add default/b@11")
    gate.set()
    await second.wait_for_sync()
    await eventually(lambda: told == ["default/a", "default/b"])


async def test_handlers_removed_before_the_start_are_told_nothing(server: ScriptedServer, clock: FakeClock) -> None:
    """The reference's ShutDownEventHandler, where the informer was never started."""
    async with server.client(clock) as client:
        informer = SharedInformer(ListWatch(client, PODS, projection=Object), clock=clock)
        removed, kept = Recorder(), Recorder()
        registration = informer.add_handler(removed)
        informer.add_handler(kept)
        registration.remove()
        registration.remove()
        running = asyncio.create_task(informer.run())
        await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
        await eventually(lambda: kept.words == ["add default/a@1"])
        assert removed.told == []
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("added", ["before the start", "after the sync"])
async def test_a_removed_handlers_task_ends_and_the_others_go_on(
    start: StartInformer, server: ScriptedServer, added: str
) -> None:
    """The reference's ShutDownEventHandler, added and started in either order."""
    setup = await start()
    handler = Recorder()
    registration = setup.informer.add_handler(handler) if added == "before the start" else None
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await setup.informer.wait_for_sync()
    registration = registration or setup.informer.add_handler(handler)
    await registration.wait_for_sync()
    registration.remove()
    await eventually(lambda: not registration.is_running)
    await stream.send("ADDED", pod("b", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "add default/b@11")
    assert handler.words == ["add default/a@1"]


async def test_what_a_removed_handler_has_not_been_told_is_dropped_while_the_call_under_way_ends_by_itself(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    gate = asyncio.Event()
    began: list[str] = []
    ended: list[str] = []

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        began.append(obj.key)
        await gate.wait()
        ended.append(obj.key)

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add))
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1"), pod("b", "2"), pod("c", "3")], "10")
    await eventually(lambda: began == ["default/a"])
    registration.remove()
    assert registration.depth == 0
    gate.set()
    await eventually(lambda: not registration.is_running)
    assert began == ended == ["default/a"]


async def test_many_handlers_that_always_raise_have_synced_and_hold_up_nobody(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The reference's EventPanics, where client-go's handler would never have synced."""

    def fail(*_: object) -> None:
        raise RuntimeError("fake panic")

    setup = await start()
    handlers = [
        setup.informer.add_handler(HandlerFunctions(on_add=fail, on_update=fail, on_delete=fail)) for _ in range(2)
    ]
    stream = await server.take_streaming_list()
    await stream.send_list([pod(f"p{number}", str(number)) for number in range(5)], "10")
    for registration in handlers:
        await registration.wait_for_sync()
    await stream.send("MODIFIED", pod("p1", "11"))
    await stream.send("DELETED", pod("p2", "12"))
    await eventually(lambda: setup.recorder.words[-2:] == ["update default/p1@11", "delete default/p2@12"])
    await eventually(lambda: [registration.failures for registration in handlers] == [7, 7])
    assert "RuntimeError: fake panic" in caplog.text


async def test_a_handler_added_late_may_shorten_the_resync_of_nobody_but_itself(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """client-go would raise its period to the informer's."""
    setup = await start()
    slow, quick = Recorder(), Recorder()
    setup.informer.add_handler(slow, resync=3)
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await eventually(lambda: len(slow.told) == 1)
    setup.informer.add_handler(quick, resync=1)
    await eventually(lambda: len(quick.told) == 1)
    counts = []
    for _ in range(6):
        await clock.advance(1)
        counts.append((len(quick.told) - 1, len(slow.told) - 1))
    assert counts == [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (6, 2)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, 0),
        ({"resync": 60}, 1),
        ({"same_version_updates": True}, 1),
        ({"resync": 60, "same_version_updates": False}, 0),
    ],
    ids=["plain", "with a resync", "asked for", "asked not to"],
)
async def test_updates_that_repeat_a_version_are_off_for_plain_handlers_and_on_with_a_resync(
    start: StartInformer, server: ScriptedServer, options: dict[str, object], told: int
) -> None:
    setup = await start()
    recorder = Recorder()
    setup.informer.add_handler(recorder, **options)
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await stream.send_all([("MODIFIED", pod("a", "1")), ("BOOKMARK", bookmark("11")), ("ADDED", pod("b", "12"))])
    await eventually(lambda: recorder.words[-1:] == ["add default/b@12"])
    assert len([word for word in recorder.words if word.startswith("update")]) == told


async def test_what_is_given_to_a_removed_handler_is_not_kept(start: StartInformer) -> None:
    setup = await start()
    registration = setup.informer.add_handler(Recorder())
    registration.remove()
    registration.enqueue([Add(Object(), False)] * 5)
    registration.enqueue_end_of_initial_list()
    assert not registration._batches
    assert (registration.depth, registration.oldest_age) == (0, 0.0)


async def test_a_wait_for_a_version_that_is_given_up_is_forgotten(start: StartInformer) -> None:
    setup = await start()
    waiting = [asyncio.create_task(setup.informer.wait_for("99")) for _ in range(100)]
    await run_ready_tasks()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert len(setup.informer._version_waiters) == 0


async def test_the_wait_after_a_fault_starts_over_once_it_has_been_live_for_long(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    backoff = setup.informer._backoff
    assert backoff.next() < backoff.next()
    await (await server.take_streaming_list()).send_list([], "10")
    await eventually(lambda: setup.state == "live")
    await clock.advance(121)
    assert backoff.next() <= 1.6
