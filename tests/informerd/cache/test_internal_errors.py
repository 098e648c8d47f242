"""Tests of exceptions inside the informer itself: reported, logged, and healed by a new list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from informerd.objects import Object
from tests.informerd.conftest import Setup, StartInformer
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import Request, ScriptedServer, pod
from tests.support.wait import eventually

Running = tuple[Setup, Request]


@pytest.fixture
async def running(start: StartInformer, server: ScriptedServer) -> Running:
    """An informer that has listed pods a, b and c at version 10, and its stream."""
    setup: Setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1"), pod("b", "2"), pod("c", "3")], "10")
    await eventually(lambda: len(setup.recorder.told) == 3 and setup.state == "live")
    return setup, stream


def fail_once(function: Callable[..., object], *, at: str) -> Callable[..., object]:
    """`function`, but that its first call for the key `at` raises."""
    failed = False

    def failing(key: str, *more: object) -> object:
        nonlocal failed
        if key == at and not failed:
            failed = True
            raise ZeroDivisionError("a fault of ours")
        return function(key, *more)

    return failing


async def heal(setup: Setup, *pods: dict[str, object], version: str) -> Request:
    """Wait for the fault, then let the backoff pass and answer the new list."""
    await eventually(lambda: setup.state == "stale")
    await setup.clock.wait_for_sleeper(0.8, 1.6)
    await setup.clock.advance(1.6)
    again = await setup.server.take_streaming_list()
    await again.send_list(pods, version)
    await eventually(lambda: setup.state == "live")
    return again


async def test_a_fault_is_logged_and_makes_the_store_stale_until_a_new_list(
    running: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    setup, stream = running
    monkeypatch.setattr(setup.informer.store, "put", fail_once(setup.informer.store.put, at="default/a"))
    await stream.send("MODIFIED", pod("a", "11"))
    await eventually(lambda: setup.state == "stale")
    health = setup.informer.health()
    assert health.problem == "the informer of pods has failed and will list again: a fault of ours"
    assert health.has_answer
    assert health.retry_at is not None
    assert "the informer of pods has failed and will list again" in caplog.text
    assert "ZeroDivisionError" in caplog.text
    await eventually(lambda: stream.is_gone)
    await heal(setup, pod("a", "11"), version="12")
    assert setup.keys == {"default/a": "11"}
    assert setup.informer.counters.restarts == 1


async def test_no_handler_loses_or_doubles_anything_by_a_fault_amid_a_batch(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, stream = running
    late = Recorder()
    setup.informer.add_handler(late)
    monkeypatch.setattr(setup.informer.store, "put", fail_once(setup.informer.store.put, at="default/d"))
    await stream.send_all(
        [
            ("MODIFIED", pod("a", "11")),
            ("ADDED", pod("d", "12")),
            ("MODIFIED", pod("b", "13")),
            ("DELETED", pod("c", "14")),
        ]
    )
    again = await heal(setup, pod("a", "11"), pod("b", "13"), pod("d", "12"), version="14")
    await again.send("MODIFIED", pod("d", "15"))
    expected = [
        ("add", "default/a", "1", True),
        ("add", "default/b", "2", True),
        ("add", "default/c", "3", True),
        ("update", "default/a", "11", "1"),
        ("delete", "default/c", "3", True),
        ("update", "default/b", "13", "2"),
        ("add", "default/d", "12", False),
        ("update", "default/d", "15", "12"),
    ]
    await eventually(lambda: len(setup.recorder.told) == len(late.told) == len(expected))
    assert setup.recorder.told == expected
    assert late.told == expected
    assert setup.keys == {"default/a": "11", "default/b": "13", "default/d": "15"}


async def test_the_new_list_is_not_older_than_what_was_heard_before_the_fault(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, stream = running
    monkeypatch.setattr(setup.informer.store, "remove", fail_once(setup.informer.store.remove, at="default/a"))
    await stream.send("DELETED", pod("a", "17"))
    await eventually(lambda: setup.state == "stale")
    await setup.clock.advance(1.6)
    assert (await setup.server.take_streaming_list()).version == "17"


async def test_who_waits_for_a_version_or_for_the_sync_waits_on_and_is_served_by_the_new_list(
    start: StartInformer, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup: Setup = await start()
    informer = setup.informer
    replace = informer.store.replace
    monkeypatch.setattr(informer.store, "replace", lambda *_: 1 / 0)
    synced, reached = asyncio.create_task(informer.wait_for_sync()), asyncio.create_task(informer.wait_for("12"))
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "10")
    await eventually(lambda: "division by zero" in informer.health().problem)
    assert not synced.done()
    assert not reached.done()
    monkeypatch.setattr(informer.store, "replace", replace)
    await setup.clock.advance(1.6)
    await (await server.take_streaming_list()).send_list([pod("a", "1")], "12")
    await synced
    await reached
    await eventually(lambda: setup.recorder.told == [("add", "default/a", "1", True)])


async def test_a_fault_in_the_reflector_is_healed_in_the_same_way(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, stream = running
    pause = setup.informer._reflector.recovery.pause

    async def fail(*_: object, **__: object) -> None:
        monkeypatch.setattr(setup.informer._reflector.recovery, "pause", pause)
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(setup.informer._reflector.recovery, "pause", fail)
    await stream.send("ERROR", {"kind": "Status", "code": 500, "reason": "InternalError", "message": "no"})
    await heal(setup, pod("a", "1"), pod("c", "3"), version="12")
    await eventually(lambda: setup.recorder.told[3:] == [("delete", "default/b", "2", True)])


async def test_a_fault_that_stays_is_tried_again_at_growing_intervals_and_stopping_ends_the_wait(
    running: Running, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, stream = running
    monkeypatch.setattr(setup.informer._processor, "_on_batch", lambda: 1 / 0)
    await stream.send("MODIFIED", pod("a", "11"))
    least = 0.8
    for count in range(1, 5):
        await eventually(lambda count=count: setup.informer.counters.restarts == count)  # type: ignore[misc]
        await clock.wait_for_sleeper(least, 2 * least)
        least *= 2
        await clock.advance(least)
        await (await setup.server.take_streaming_list()).send_list([pod("a", "11")], "20")
    await run_ready_tasks()
    assert setup.keys == {"default/a": "11"}


async def test_an_index_value_that_cannot_be_looked_up_is_no_fault_but_logged_and_the_object_kept(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    setup, stream = running

    def labels(obj: Object) -> list[str]:
        return [["a", "list"]]  # type: ignore[list-item]

    setup.informer.add_index("labels", labels)
    await stream.send("MODIFIED", pod("a", "11"))
    await eventually(lambda: setup.keys["default/a"] == "11")
    assert setup.informer.counters.restarts == 0
    assert "index labels failed on default/a" in caplog.text
