"""Tests of streaming lists that end, fail or never come: retries, and the fallback to a plain list."""

from __future__ import annotations

import logging

import pytest

from informerd.errors import NotConnected, TooManyRequests
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import until_version
from tests.support.scripted_api_server import EXPIRED, TOO_LARGE, ScriptedServer, bookmark, pod, status
from tests.support.wait import eventually


async def test_other_failures_fall_back_to_a_list(start: StartInformer, server: ScriptedServer) -> None:
    setup = await start()
    (await server.take_streaming_list()).fail(status(422, "Invalid", "sendInitialEvents is forbidden"))
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    assert (await server.take_watch()).version == "10"
    assert setup.keys == {"default/a": "5"}


async def test_too_many_requests_are_waited_out(start: StartInformer, server: ScriptedServer, clock: FakeClock) -> None:
    setup = await start()
    (await server.take_streaming_list()).fail(status(429, "TooManyRequests"), retry_after=7)
    await clock.wait_for_sleeper(7, 7.1)
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
        await clock.wait_for_sleeper(10)
        await clock.advance(20)
    assert caplog.text.count("nor anything for") == 2


async def test_a_server_that_never_sends_the_bookmark_is_asked_for_a_list(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take()
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.informer.health().listed == 1)
    await clock.wait_for_sleeper(10)
    await clock.advance(30)
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    await until_version(setup, "10")


async def test_too_large_at_any_version_falls_back_to_a_list(start: StartInformer, server: ScriptedServer) -> None:
    await start()
    (await server.take_streaming_list()).fail(TOO_LARGE)
    assert (await server.take_list()).version == "0"


async def test_an_end_within_a_second_but_after_an_event_begins_a_new_one(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.informer.health().listed == 1)
    request.end()
    await clock.wait_for_sleeper(0.5, 1.1)
    assert server.waiting == 0, "no sooner than a second after the first"
    await clock.advance(1)
    assert (await server.take_streaming_list()).version == ""


async def test_one_that_is_cut_off_three_times_in_a_row_gives_way_to_a_list(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """What a proxy does that lets no answer last longer than it takes."""
    caplog.set_level(logging.INFO, "informerd")
    setup = await start()
    for _ in range(3):
        request = await server.take_streaming_list()
        await request.send("ADDED", pod("a", "5"))
        await eventually(lambda: setup.informer.health().listed == 1)
        await clock.advance(2)
        request.drop()
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    watch = await server.take_watch()
    assert "pods: listing in pages instead of a streaming list: it was cut off 3 times" in caplog.text
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(2)
    await server.take_streaming_list()


async def test_one_that_does_not_begin_gives_way_to_a_list(
    start: StartInformer, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that keeps what it has until its buffer is full would keep a short list for ever."""
    monkeypatch.setattr("informerd.cache.reflector.LATE_AFTER", 0.1)
    setup = await start()
    await server.take_streaming_list()
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    await until_version(setup, "10")
    assert setup.errors == []


async def test_a_refused_connection_is_waited_out(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    await server.stop()
    setup = await start()
    assert await clock.wait_for_sleeper() == pytest.approx(0.5)
    await clock.advance(0.5)
    await eventually(lambda: len(setup.errors) == 2)
    await eventually(lambda: clock.pending_sleeps == [pytest.approx(0.5)])
    await server.start()
    await clock.advance(0.5)
    await server.take_streaming_list()
    assert [type(error) for error in setup.errors] == [NotConnected, NotConnected]


async def test_too_many_requests_in_the_stream_are_waited_out_as_the_status_says(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send("ADDED", pod("a", "5"))
    await request.send("ERROR", status(429, "TooManyRequests", retry_after=7))
    await clock.wait_for_sleeper(7, 7.1)
    assert isinstance(setup.errors[0], TooManyRequests)
    await clock.advance(7)
    await server.take_streaming_list()


async def test_an_end_that_does_not_say_from_where_to_go_on_falls_back_to_a_list(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send_all([("ADDED", pod("a", "5")), ("BOOKMARK", bookmark("", ends_initial=True))])
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    await until_version(setup, "10")


async def test_while_events_come_nobody_is_warned(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    for count in range(1, 8):
        await request.send("ADDED", pod(f"p{count}", str(count)))
        await eventually(lambda count=count: setup.informer.health().listed == count)  # type: ignore[misc]
        await clock.advance(6)
    assert "nor anything for" not in caplog.text
