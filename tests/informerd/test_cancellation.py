"""Tests of stopping an informer at any moment: no task and no warning is left."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.list_watch import ListWatch
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import EXPIRED, ScriptedServer, pod, status
from tests.support.wait import eventually


class Scene(msgspec.Struct):
    """A factory with an informer of pods that has been started."""

    factory: SharedInformerFactory
    informer: SharedInformer[Object]
    client: Client
    server: ScriptedServer
    clock: FakeClock


Begin = Callable[..., Scene]


def our_tasks() -> set[asyncio.Task[object]]:
    """All tasks but the one that asks and the scripted server's own."""

    def is_servers(task: asyncio.Task[object]) -> bool:
        code = getattr(task.get_coro(), "cr_code", None)
        return code is not None and "/aiohttp/web_" in code.co_filename

    return {task for task in asyncio.all_tasks() - {asyncio.current_task()} if not is_servers(task)}


@pytest.fixture
async def complaints() -> AsyncIterator[list[object]]:
    """What the event loop complains of: exceptions never retrieved, tasks destroyed while pending."""
    gc.freeze()  # what all tests before have made takes longer to look at than the test does
    found: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: found.append(context))
    yield found
    gc.collect()
    await run_ready_tasks()
    assert found == []


@pytest.fixture
async def begin(server: ScriptedServer, clock: FakeClock, complaints: list[object]) -> AsyncIterator[Begin]:
    """Starts a factory. At the test's end it must have been stopped, and nothing be left but what was there before."""
    before, threads = our_tasks(), set(threading.enumerate())
    clients: list[Client] = []

    def begin(*handlers: object, streaming: bool = True, in_thread: bool = False) -> Scene:
        client = server.client(clock)
        clients.append(client)
        settings = ReflectorSettings(streaming_lists=streaming, chance=lambda: 0.0)
        factory = SharedInformerFactory(client, clock=clock, settings=settings)
        informer = factory.informer(PODS)
        for handler in handlers:
            informer.add_handler(handler, in_thread=in_thread)  # type: ignore[arg-type]
        factory.start()
        return Scene(factory, informer, client, server, clock)

    yield begin
    left = our_tasks() - before
    for client in clients:
        await client.close()
    await run_ready_tasks()
    assert left == set()
    assert our_tasks() == before
    assert set(threading.enumerate()) <= threads


async def at_the_very_beginning(begin: Begin) -> Scene:
    return begin()


async def in_the_first_list(begin: Begin) -> Scene:
    scene = begin(streaming=False)
    await scene.server.take_list()
    return scene


async def between_two_pages(begin: Begin) -> Scene:
    scene = begin(streaming=False)
    (await scene.server.take_list()).answer_list([pod("a", "1")], "10", continue_token="more")
    await scene.server.take_list()
    return scene


async def before_a_streaming_lists_head(begin: Begin) -> Scene:
    scene = begin()
    await scene.server.take_streaming_list()
    return scene


async def in_a_streaming_list(begin: Begin) -> Scene:
    scene = begin()
    stream = await scene.server.take_streaming_list()
    await stream.send("ADDED", pod("a", "1"))
    await eventually(lambda: scene.informer.health().listed == 1)
    return scene


async def in_a_watch(begin: Begin) -> Scene:
    scene = begin(Recorder())
    await (await scene.server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await eventually(lambda: scene.informer.health().state == "live")
    return scene


async def between_two_watches(begin: Begin) -> Scene:
    scene = begin()
    stream = await scene.server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await stream.send("MODIFIED", pod("a", "11"))
    await scene.informer.wait_for("11")
    stream.end()
    await scene.clock.wait_for_sleeper(0.01, 1.01)
    return scene


async def before_a_second_watchs_head(begin: Begin) -> Scene:
    scene = await between_two_watches(begin)
    await scene.clock.advance(1)
    await scene.server.take_watch()
    return scene


async def in_backoff(begin: Begin) -> Scene:
    scene = begin()
    stream = await scene.server.take_streaming_list()
    await stream.send_list([pod("a", "1")], "10")
    await stream.send("ERROR", EXPIRED)
    await scene.clock.wait_for_sleeper(0.8, 1.6)
    return scene


async def in_the_wait_for_a_kind_that_does_not_exist(begin: Begin) -> Scene:
    scene = begin(streaming=False)
    (await scene.server.take_list()).fail(status(404, "NotFound"))
    await eventually(lambda: scene.informer.health().state == "absent")
    return scene


async def in_the_wait_after_a_fault_of_ours(begin: Begin) -> Scene:
    scene = begin()
    scene.informer._processor._on_batch = lambda: 1 / 0  # type: ignore[assignment]
    await (await scene.server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await eventually(lambda: scene.informer.counters.restarts == 1)
    return scene


async def in_an_async_handler(begin: Begin) -> Scene:
    called = asyncio.Event()

    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        called.set()
        await asyncio.Event().wait()

    scene = begin(HandlerFunctions(on_add=on_add))
    await (await scene.server.take_streaming_list()).send_list([pod("a", "1"), pod("b", "2")], "10")
    await called.wait()
    return scene


async def in_a_removed_handlers_last_call(begin: Begin) -> Scene:
    scene = await in_an_async_handler(begin)
    for registration in scene.informer.registrations:
        registration.remove()
    await run_ready_tasks()
    return scene


async def between_the_calls_of_a_thread(begin: Begin) -> Scene:
    recorder = Recorder()
    scene = begin(recorder, in_thread=True)
    await (await scene.server.take_streaming_list()).send_list([pod("a", "1"), pod("b", "2")], "10")
    await eventually(lambda: len(recorder.told) == 2)
    return scene


POINTS = [
    at_the_very_beginning,
    in_the_first_list,
    between_two_pages,
    before_a_streaming_lists_head,
    in_a_streaming_list,
    in_a_watch,
    between_two_watches,
    before_a_second_watchs_head,
    in_backoff,
    in_the_wait_for_a_kind_that_does_not_exist,
    in_the_wait_after_a_fault_of_ours,
    in_an_async_handler,
    in_a_removed_handlers_last_call,
    between_the_calls_of_a_thread,
]
Reach = Callable[[Begin], Awaitable[Scene]]
at_each_point = pytest.mark.parametrize("reach", POINTS, ids=lambda reach: reach.__name__)


@at_each_point
async def test_stopping_leaves_nothing_behind(begin: Begin, reach: Reach) -> None:
    scene = await reach(begin)
    await scene.factory.stop()


@at_each_point
async def test_stopping_that_is_itself_cut_short_goes_on_and_can_be_waited_for(begin: Begin, reach: Reach) -> None:
    scene = await reach(begin)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await scene.factory.stop()
    await scene.factory.stop()


@at_each_point
async def test_a_client_that_is_closed_first_does_no_harm(begin: Begin, reach: Reach) -> None:
    scene = await reach(begin)
    await scene.client.close()
    await run_ready_tasks()
    await scene.factory.stop()


@pytest.mark.slow
@at_each_point
@pytest.mark.parametrize("turns", range(8))
async def test_a_second_cancellation_during_the_end_leaves_nothing_behind(
    begin: Begin, reach: Reach, turns: int
) -> None:
    scene = await reach(begin)
    tasks = [*scene.factory._tasks.values()]
    for task in tasks:
        task.cancel()
    await run_ready_tasks(turns)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await run_ready_tasks()
    await scene.factory.stop()


@pytest.mark.parametrize("turns", range(0, 60, 6))
async def test_cancelled_after_so_many_turns_of_the_event_loop_it_leaves_nothing_behind(
    server: ScriptedServer, clock: FakeClock, complaints: list[object], turns: int
) -> None:
    before = our_tasks()
    async with server.client(clock) as client:
        informer = SharedInformer(ListWatch(client, PODS, projection=Object), clock=clock)
        informer.add_handler(Recorder())
        running = asyncio.create_task(informer.run())
        await run_ready_tasks(turns)
        running.cancel()
        await asyncio.wait((running,))
        assert running.cancelled()
        assert our_tasks() == before


async def test_cancelling_the_only_one_who_waits_for_discovery_leaves_nothing_behind(
    server: ScriptedServer, clock: FakeClock, complaints: list[object]
) -> None:
    before = our_tasks()
    asked = asyncio.Event()
    async with server.client(clock) as client:

        async def never(*_: object, **__: object) -> None:
            asked.set()
            await asyncio.Event().wait()

        client.request = never  # type: ignore[assignment,method-assign]
        discovery = Discovery(client, clock=clock)
        first, second = (asyncio.create_task(discovery.resolve("pods")) for _ in range(2))
        await asked.wait()
        first.cancel()
        await run_ready_tasks()
        assert not second.done()
        second.cancel()
        await run_ready_tasks()
        assert our_tasks() == before


async def test_a_wait_that_is_cancelled_hurts_nobody_else_who_waits(begin: Begin) -> None:
    scene = begin()
    informer = scene.informer
    waits = [asyncio.create_task(informer.wait_for("11")) for _ in range(2)]
    synced = [asyncio.create_task(informer.wait_for_sync()) for _ in range(2)]
    stream = await scene.server.take_streaming_list()
    waits[0].cancel()
    synced[0].cancel()
    await stream.send_list([pod("a", "1")], "10")
    await synced[1]
    await stream.send("MODIFIED", pod("a", "11"))
    await waits[1]
    await scene.factory.stop()
    assert waits[0].cancelled()


async def test_dropping_an_informer_amid_its_first_list_leaves_the_others_alone(begin: Begin) -> None:
    scene = await before_a_streaming_lists_head(begin)
    demos = scene.factory.informer(MYDEMOS)
    scene.factory.start()
    await eventually(lambda: demos.health().state == "absent")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await scene.factory.drop(scene.informer)
    assert scene.factory.informers == [demos]
    await scene.factory.stop()
