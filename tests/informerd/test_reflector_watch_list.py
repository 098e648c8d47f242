"""Streaming lists (watch-list): how they begin, how they end, and what takes their place."""

from __future__ import annotations

import logging

import pytest

from informerd.errors import TooManyRequests
from tests.clock import FakeClock
from tests.informerd.conftest import StartInformer
from tests.informerd.scripted import EXPIRED, TOO_LARGE, ScriptedServer, bookmark, pod, status
from tests.informerd.situations import until_version
from tests.wait import eventually


async def test_it_is_the_default_and_its_stream_goes_on_as_the_watch(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    request = await server.take()
    timeout = request.params.pop("timeoutSeconds")
    assert 300 <= int(timeout) <= 600
    assert request.params == {
        "watch": "true",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.state == "syncing" and setup.informer.health().listed == 1)
    assert setup.recorder.told == []
    await request.send_list([pod("b", "6")], "10")
    await request.send("ADDED", pod("c", "11"))
    await eventually(lambda: setup.keys == {"default/a": "5", "default/b": "6", "default/c": "11"})
    assert [extra for *_, extra in setup.recorder.told] == [True, True, False]
    assert setup.state == "live"
    assert server.waiting == 0


async def test_events_that_came_with_the_closing_bookmark_are_not_lost(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    request = await server.take()
    events = [
        ("ADDED", pod("a", "5")),
        ("BOOKMARK", bookmark("9")),
        ("BOOKMARK", bookmark("10", ends_initial=True)),
        ("DELETED", pod("a", "11")),
    ]
    await request.send_all(events)
    await eventually(lambda: setup.recorder.words == ["add default/a@5", "delete default/a@11"])


async def test_a_relist_asks_for_the_last_version(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    await start()
    request = await server.take()
    await request.send_list([pod("a", "5")], "10")
    await request.send("ERROR", EXPIRED)
    await clock.sleeper(0.8, 5)
    await clock.advance(1)
    assert (await server.take_streaming_list()).version == "10"


@pytest.mark.parametrize("failure", [EXPIRED, TOO_LARGE], ids=["expired", "too large"])
@pytest.mark.parametrize("in_stream", [True, False])
async def test_an_expired_or_too_large_version_becomes_any_version_at_once(
    start: StartInformer,
    server: ScriptedServer,
    clock: FakeClock,
    failure: dict[str, object],
    in_stream: bool,
) -> None:
    setup = await start()
    request = await server.take()
    await request.send_list([], "10")
    await request.send("ERROR", EXPIRED)
    await clock.sleeper(0.8, 5)
    await clock.advance(1)
    request = await server.take_streaming_list()
    if in_stream:
        await request.send("ERROR", failure)
        await clock.sleeper(0.1, 1.1)
        await clock.advance(1)
    else:
        request.fail(failure)
    assert (await server.take_streaming_list()).version == ""
    assert len(setup.errors) == 1


async def test_other_failures_fall_back_to_a_list(start: StartInformer, server: ScriptedServer) -> None:
    setup = await start()
    (await server.take_streaming_list()).fail(status(422, "Invalid", "sendInitialEvents is forbidden"))
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    assert (await server.take_watch()).version == "10"
    assert setup.keys == {"default/a": "5"}


async def test_too_many_requests_are_waited_out(start: StartInformer, server: ScriptedServer, clock: FakeClock) -> None:
    setup = await start()
    (await server.take_streaming_list()).fail(status(429, "TooManyRequests"), retry_after=7)
    await clock.sleeper(7, 7.1)
    assert isinstance(setup.errors[0], TooManyRequests)
    await clock.advance(7)
    await server.take_streaming_list()


async def test_a_clean_end_before_the_bookmark_begins_a_new_one(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take()
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.informer.health().listed == 1)
    await clock.advance(2)
    request.end()
    await (await server.take_streaming_list()).send_list([pod("b", "6")], "10")
    await eventually(lambda: setup.keys == {"default/b": "6"})


async def test_a_very_short_one_falls_back_to_a_list(start: StartInformer, server: ScriptedServer) -> None:
    await start()
    request = await server.take()
    await request.open()
    request.end()
    assert (await server.take_list()).version == "0"


async def test_a_missing_bookmark_is_warned_of_every_10_seconds(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    setup = await start()
    request = await server.take()
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.informer.health().listed == 1)
    with caplog.at_level(logging.WARNING, "informerd"):
        await clock.sleeper(10)
        await clock.advance(20)
    assert caplog.text.count("nor anything for") == 2


async def test_a_server_that_never_sends_the_bookmark_is_asked_for_a_list(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take()
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.informer.health().listed == 1)
    await clock.sleeper(10)
    await clock.advance(30)
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    await until_version(setup, "10")
