"""Tests of blocking handlers, each in a thread of its own, where it may wait."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable

import pytest

from informerd.cache.handler import HandlerFunctions
from informerd.cache.handler_thread import HandlerThread
from informerd.cache.listener import STOP_LIMIT
from informerd.errors import InformerStopped
from informerd.objects import Object
from tests.informerd.conftest import Setup, StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import Request, ScriptedServer, pod
from tests.support.wait import eventually

Running = tuple[Setup, Request]


class Blocking(Recorder):
    """Writes down what it is told, and in which thread; each call waits until `gate` is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.threads: set[threading.Thread] = set()
        self.began = 0
        self.at_once = 0
        self.most_at_once = 0

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        with self:
            super().on_add(obj, is_in_initial_list)

    def on_update(self, old: Object, new: Object) -> None:
        with self:
            super().on_update(old, new)

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        with self:
            super().on_delete(obj, final_state_unknown)

    def __enter__(self) -> None:
        self.began += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.threads.add(threading.current_thread())
        assert self.gate.wait(30)

    def __exit__(self, *_: object) -> None:
        self.at_once -= 1


@pytest.fixture
async def running(start: StartInformer, server: ScriptedServer) -> AsyncIterator[Running]:
    """An informer that has listed pods a and b at version 10, and its stream. No thread is left at the end."""
    before = set(threading.enumerate())
    setup: Setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1"), pod("b", "2")], "10")
    await setup.informer.wait_for_sync()
    await eventually(lambda: len(setup.recorder.told) == 2)
    yield setup, stream
    setup.task.cancel()
    await asyncio.wait((setup.task,))
    assert {thread for thread in threading.enumerate() if thread.name.startswith("handler")} <= before


@pytest.fixture
def blocking() -> Blocking:
    return Blocking()


async def test_a_handler_that_blocks_its_thread_delays_neither_store_nor_others_nor_the_event_loop(
    running: Running, blocking: Blocking
) -> None:
    setup, stream = running
    registration = setup.informer.add_handler(blocking, in_thread=True)
    await eventually(lambda: blocking.began == 1)
    await stream.send("MODIFIED", pod("a", "11"))
    await stream.send("DELETED", pod("b", "12"))
    await eventually(lambda: setup.recorder.words[2:] == ["update default/a@11", "delete default/b@12"])
    assert setup.keys == {"default/a": "11"}
    assert blocking.told == []
    assert registration.depth == 4
    blocking.gate.set()
    await eventually(lambda: blocking.told == setup.recorder.told)
    assert registration.depth == 0
    assert blocking.most_at_once == 1
    assert len(blocking.threads) == 1
    assert threading.current_thread() not in blocking.threads


async def test_it_has_synced_only_when_every_initial_add_has_returned_in_the_thread(
    running: Running, blocking: Blocking
) -> None:
    registration = running[0].informer.add_handler(blocking, in_thread=True)
    waiting = asyncio.create_task(registration.wait_for_sync())
    await eventually(lambda: blocking.began == 1)
    assert not registration.has_synced
    assert not waiting.done()
    blocking.gate.set()
    await waiting
    assert registration.has_synced
    assert blocking.words == ["add default/a@1", "add default/b@2"]


async def test_what_gathers_while_the_thread_is_busy_is_handed_over_together(
    running: Running, blocking: Blocking, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, stream = running
    hops = 0
    run = HandlerThread.run

    async def counted(thread: HandlerThread, job: Callable[[], None]) -> None:
        nonlocal hops
        hops += 1
        await run(thread, job)

    monkeypatch.setattr(HandlerThread, "run", counted)
    registration = setup.informer.add_handler(blocking, in_thread=True)
    await eventually(lambda: blocking.began == 1)
    for number in range(200):
        await stream.send("MODIFIED", pod("a", str(100 + number)))
    await eventually(lambda: registration.depth == 202)
    blocking.gate.set()
    await eventually(lambda: len(blocking.told) == 202)
    assert hops == 2
    assert [version for _, _, version, _ in blocking.told[2:]] == [str(100 + number) for number in range(200)]


async def test_what_it_raises_is_logged_and_counted_and_delivery_goes_on(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    setup, stream = running
    seen = []

    def on_update(old: Object, new: Object) -> None:
        seen.append(new.metadata.resource_version)
        if len(seen) == 2:
            sys.exit("a handler may not end this")
        raise ValueError("broken handler")

    registration = setup.informer.add_handler(HandlerFunctions(on_update=on_update), in_thread=True)
    for version in ("11", "12", "13"):
        await stream.send("MODIFIED", pod("a", version))
    await eventually(lambda: registration.failures == 3)
    assert seen == ["11", "12", "13"]
    assert "broken handler" in caplog.text
    assert "a handler may not end this" in caplog.text
    assert registration.has_synced


async def test_an_async_function_in_a_thread_is_a_failure_that_says_what_to_do(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    async def on_add(obj: Object, is_in_initial_list: bool) -> None:
        raise AssertionError("never called")

    registration = running[0].informer.add_handler(HandlerFunctions(on_add=on_add), in_thread=True)
    await registration.wait_for_sync()
    assert registration.failures == 2
    assert registration.depth == 0
    assert "a handler in a thread must have plain functions" in caplog.text


async def test_removed_it_is_told_nothing_more_and_the_call_under_way_goes_on_to_its_end(
    running: Running, blocking: Blocking
) -> None:
    setup, stream = running
    registration = setup.informer.add_handler(blocking, in_thread=True)
    waiting = asyncio.create_task(registration.wait_for_sync())
    await eventually(lambda: blocking.began == 1)
    registration.remove()
    registration.remove()
    assert registration.depth == 0
    with pytest.raises(InformerStopped, match="was removed before it got the first list"):
        await waiting
    blocking.gate.set()
    await stream.send("ADDED", pod("c", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "add default/c@11")
    (thread,) = blocking.threads
    await eventually(lambda: not thread.is_alive())
    assert blocking.words == ["add default/a@1"]
    assert not registration.is_running


async def test_it_may_remove_itself_from_its_thread(running: Running) -> None:
    setup, stream = running
    told: list[str] = []

    def on_add(obj: Object, is_in_initial_list: bool) -> None:
        told.append(obj.key)
        registration.remove()

    registration = setup.informer.add_handler(HandlerFunctions(on_add=on_add), in_thread=True)
    await eventually(lambda: registration not in setup.informer.registrations)
    await stream.send("ADDED", pod("c", "11"))
    await eventually(lambda: setup.recorder.words[-1] == "add default/c@11")
    assert told == ["default/a"]


async def test_stopping_waits_for_the_call_under_way(start: StartInformer, server: ScriptedServer) -> None:
    setup: Setup = await start()
    blocking = Blocking()
    registration = setup.informer.add_handler(blocking, in_thread=True)
    await (await server.take_streaming_list()).send_list([pod("a", "1"), pod("b", "2")], "10")
    await eventually(lambda: blocking.began == 1)
    setup.task.cancel()
    await eventually(lambda: registration not in setup.informer.registrations)
    await run_ready_tasks()
    assert not setup.task.done()
    blocking.gate.set()
    await asyncio.wait((setup.task,))
    assert blocking.words == ["add default/a@1"]
    assert not any(thread.is_alive() for thread in blocking.threads)


async def test_stopping_gives_up_on_a_call_that_does_not_return_and_says_so(
    start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    setup: Setup = await start()
    blocking = Blocking()
    setup.informer.add_handler(blocking, in_thread=True)
    removed = Blocking()
    registration = setup.informer.add_handler(removed, in_thread=True)
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await eventually(lambda: blocking.began == removed.began == 1)
    registration.remove()
    setup.task.cancel()
    await eventually(lambda: setup.clock.pending_sleeps.count(STOP_LIMIT) >= 2)
    await run_ready_tasks()
    await setup.clock.advance(STOP_LIMIT)
    await asyncio.wait((setup.task,))
    assert caplog.text.count("the handler Blocking did not return within 10 s; its thread is abandoned") == 2
    for handler in (blocking, removed):
        handler.gate.set()
    await eventually(lambda: not any(thread.is_alive() for thread in blocking.threads | removed.threads))


async def test_a_plain_handler_that_holds_up_the_event_loop_is_named_once_with_advice(
    running: Running, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    setup, stream = running
    seen = []

    def slow(old: Object, new: Object) -> None:
        seen.append(new.metadata.resource_version)
        clock.skip(0.6)

    setup.informer.add_handler(HandlerFunctions(on_update=slow))
    setup.informer.add_handler(HandlerFunctions(on_update=lambda old, new: None), name="the fast one")
    for count in range(1, 4):
        await stream.send("MODIFIED", pod("a", str(10 + count)))
        await eventually(lambda count=count: len(seen) == count)  # type: ignore[misc]
    assert caplog.text.count("held up the event loop for 0.6 s in 1 call") == 1
    assert "slow held up" in caplog.text
    assert "add it with in_thread=True" in caplog.text
    assert "the fast one" not in caplog.text


STUCK = """
import asyncio, time
from informerd.clock import SystemClock
from informerd.cache.handler_thread import HandlerThread

async def main():
    thread = HandlerThread("handler stuck", SystemClock())
    stuck = asyncio.create_task(thread.run(lambda: time.sleep(1_000_000)))
    await asyncio.sleep(0.1)
    thread.end()
    print(await thread.join(0.1))

asyncio.run(main())
"""


@pytest.mark.program
def test_a_thread_that_is_stuck_does_not_keep_the_interpreter_from_its_end() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", STUCK], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")


async def test_a_thread_that_ends_after_its_event_loop_says_nothing() -> None:
    gate, thread = threading.Event(), []

    def late() -> None:
        gate.wait(30)

    async def main() -> None:
        handler_thread = HandlerThread("handler late", FakeClock())
        thread.append(handler_thread._thread)
        waiting = asyncio.create_task(handler_thread.run(late))
        await asyncio.sleep(0)
        waiting.cancel()
        handler_thread.end()

    await asyncio.to_thread(asyncio.run, main())
    gate.set()
    await eventually(lambda: not thread[0].is_alive())
