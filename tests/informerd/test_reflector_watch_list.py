"""Streaming lists (watch-list): how they begin, how they end, and what takes their place."""

from __future__ import annotations

import logging

import pytest

from informerd.errors import Expired, TooManyRequests, Unreachable
from tests.clock import FakeClock
from tests.informerd.conftest import StartInformer
from tests.informerd.scripted import EXPIRED, TOO_LARGE, TOO_LARGE_ENCODINGS, ScriptedServer, bookmark, pod, status
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


@pytest.mark.parametrize("in_stream", [True, False])
@pytest.mark.parametrize("failure", TOO_LARGE_ENCODINGS)
async def test_too_large_is_understood_in_its_three_encodings(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, failure: dict[str, object], in_stream: bool
) -> None:
    await start()
    request = await server.take_streaming_list()
    await request.send_list([], "10")
    await request.send("ERROR", EXPIRED)
    await clock.sleeper(0.8, 5)
    await clock.advance(1)
    request = await server.take_streaming_list()
    assert request.version == "10"
    if in_stream:
        await request.send("ERROR", failure)
        await clock.sleeper(0.1, 1.1)
        await clock.advance(1)
    else:
        request.fail(failure)
    assert (await server.take_streaming_list()).version == ""


async def test_too_large_at_any_version_falls_back_to_a_list(start: StartInformer, server: ScriptedServer) -> None:
    await start()
    (await server.take_streaming_list()).fail(TOO_LARGE)
    assert (await server.take_list()).version == "0"


@pytest.mark.parametrize("value", ["false", "True", "TRUE", "1", "", " true"])
async def test_only_a_bookmark_annotated_exactly_true_ends_the_list(
    start: StartInformer, server: ScriptedServer, value: str
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    near = bookmark("9")
    near["metadata"]["annotations"] = {"k8s.io/initial-events-end": value, "other": "true"}
    await request.send_all([("ADDED", pod("a", "5")), ("BOOKMARK", near)])
    await eventually(lambda: setup.informer.health().listed == 1)
    assert not setup.informer.has_synced
    await request.send("BOOKMARK", bookmark("10", ends_initial=True))
    await setup.informer.wait_for_sync()
    assert setup.keys == {"default/a": "5"}


async def test_changes_duplicates_and_strangers_among_the_initial_events_end_in_the_list_alone(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send_all(
        [
            ("ADDED", pod("a", "1")),
            ("ADDED", pod("gone", "2")),
            ("ADDED", pod("a", "1")),
            ("MODIFIED", pod("a", "3")),
            ("ADDED", pod("x", "4") | {"kind": "Table"}),
            ("DELETED", pod("gone", "5")),
            ("DELETED", pod("never-there", "6")),
            ("BOOKMARK", bookmark("7")),
            ("BOOKMARK", bookmark("8", ends_initial=True)),
        ]
    )
    await setup.informer.wait_for_sync()
    assert setup.keys == {"default/a": "3"}
    assert setup.informer.last_resource_version == setup.informer.store.resource_version == "8"
    await eventually(lambda: setup.recorder.told == [("add", "default/a", "3", True)])


async def test_the_store_changes_only_once_the_whole_list_has_come(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send_list([pod("a", "1"), pod("b", "2")], "10")
    await setup.informer.wait_for_sync()
    await request.send("ERROR", EXPIRED)
    await clock.sleeper(0.8, 5)
    await clock.advance(1)
    again = await server.take_streaming_list()
    await again.send("ADDED", pod("b", "12"))
    await eventually(lambda: setup.informer.health().listed == 1)
    assert setup.keys == {"default/a": "1", "default/b": "2"}
    again.drop()
    await clock.sleeper(0.5, 1.1)
    await clock.advance(1)
    await (await server.take_streaming_list()).send_list([pod("b", "12")], "13")
    await until_version(setup, "13")
    assert setup.recorder.told[2:] == [("delete", "default/a", "1", True), ("update", "default/b", "12", "2")]


async def test_an_end_within_a_second_but_after_an_event_begins_a_new_one(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send("ADDED", pod("a", "5"))
    await eventually(lambda: setup.informer.health().listed == 1)
    request.end()
    await clock.sleeper(0.5, 1.1)
    assert server.waiting == 0, "no sooner than a second after the first"
    await clock.advance(1)
    assert (await server.take_streaming_list()).version == ""


async def test_one_that_is_cut_off_three_times_in_a_row_gives_way_to_a_list(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """What a proxy does that lets no answer last longer than it takes."""
    setup = await start()
    for _ in range(3):
        request = await server.take_streaming_list()
        await request.send("ADDED", pod("a", "5"))
        await eventually(lambda: setup.informer.health().listed == 1)
        await clock.advance(2)
        request.drop()
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    watch = await server.take_watch()
    await watch.send("ERROR", EXPIRED)
    await clock.sleeper(0.8, 1.6)
    await clock.advance(2)
    await server.take_streaming_list()


async def test_one_that_does_not_begin_gives_way_to_a_list(
    start: StartInformer, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that keeps what it has until its buffer is full would keep a short list for ever."""
    monkeypatch.setattr("informerd.reflector.BEGIN_WITHIN", 0.1)
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
    assert await clock.sleeper(0.8) == pytest.approx(0.8)
    await clock.advance(0.8)
    await eventually(lambda: clock.sleeps == [pytest.approx(1.6)])
    await server.start()
    await clock.advance(1.6)
    await server.take_streaming_list()
    assert [type(error) for error in setup.errors] == [Unreachable, Unreachable]


async def test_too_many_requests_in_the_stream_are_waited_out_as_the_status_says(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send("ADDED", pod("a", "5"))
    await request.send("ERROR", status(429, "TooManyRequests", retry_after=7))
    await clock.sleeper(7, 7.1)
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


async def test_an_end_after_the_list_leads_to_a_watch_from_the_last_event(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send_list([pod("a", "1")], "2")
    await request.send("ADDED", pod("b", "3"))
    await until_version(setup, "3")
    request.end()
    await clock.sleeper(0.5, 1.1)
    await clock.advance(1)
    watch = await server.take_watch()
    assert watch.version == "3"
    watch.fail(EXPIRED)
    await clock.sleeper(0.8, 1.6)
    assert isinstance(setup.errors[0], Expired)
    await clock.advance(1)
    assert (await server.take_streaming_list()).version == "3"
    assert setup.keys == {"default/a": "1", "default/b": "3"}


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
