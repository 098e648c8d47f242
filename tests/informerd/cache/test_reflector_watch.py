"""Tests of the reflector's watches: their parameters, their end, and the start of the next one."""

from __future__ import annotations

import pytest

from informerd.cache.watch_session import ShortWatch
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import EXPIRED, Request, ScriptedServer, bookmark, pod, status
from tests.support.wait import eventually


async def test_it_asks_for_bookmarks_and_an_end_within_5_to_10_minutes(
    start: StartInformer, server: ScriptedServer
) -> None:
    await start(streaming_lists=False, chance=lambda: 0.5)
    (await server.take_list()).answer_list([], "10")
    request = await server.take_watch()
    assert request.params == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "10",
        "timeoutSeconds": "450",
    }


async def test_a_clean_end_is_resumed_at_the_last_version_without_a_list_or_a_stale_moment(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    states: list[str] = []
    setup.informer.on_health(lambda health: states.append(health.state))
    await watch.send("MODIFIED", pod("a", "12"))
    await watch.send("BOOKMARK", bookmark("20"))
    await until_version(setup, "20")
    await clock.advance(100)
    watch.end()
    resumed = await server.take_watch()
    assert resumed.version == "20"
    await resumed.send("MODIFIED", pod("a", "21"))
    await until_version(setup, "21")
    assert states == []
    assert setup.informer.health().reconnects == 1


async def test_watches_start_a_second_apart_at_least(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    for version in ("11", "12", "13"):
        await watch.send("MODIFIED", pod("a", version))
        watch.end()
        await clock.wait_for_sleeper(0.5, 1.1)
        assert server.waiting == 0
        await clock.advance(1)
        watch = await server.take_watch()
        assert watch.version == version
    assert setup.errors == []


async def test_a_very_short_watch_without_an_event_leads_to_a_relist_after_the_backoff(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    watch.end()
    await clock.wait_for_sleeper(0.8, 1.6)
    assert isinstance(setup.errors[0], ShortWatch)
    await clock.advance(0.8)
    assert (await server.take_list()).version == "10"


async def test_a_cut_line_counts_as_a_clean_end(start: StartInformer, server: ScriptedServer, clock: FakeClock) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await until_version(setup, "11")
    await watch.send_raw(b'{"type":"MODIFIED","object":{"kind":"Po')
    await clock.advance(2)
    watch.drop()
    await server.tell_version("11")
    assert (await server.take_watch()).version == "11"
    assert setup.errors == []


@pytest.mark.parametrize(
    ("settings", "chance", "asked"),
    [
        ({}, 0.0, "300"),
        ({}, 0.9999, "599"),
        ({"watch_timeout": 1800.0}, 0.0, "1800"),
        ({"watch_timeout": 1800.0}, 0.9999, "3599"),
    ],
)
async def test_the_time_asked_for_is_uniform_between_once_and_twice_the_setting(
    start: StartInformer, server: ScriptedServer, settings: dict[str, float], chance: float, asked: str
) -> None:
    """The reference's WatchTimeout."""
    await start(chance=lambda: chance, **settings)
    request = await server.take_streaming_list()
    assert request.params["timeoutSeconds"] == asked
    request.fail(status(422, "Invalid"))
    (await server.take_list()).answer_list([], "10")
    assert (await server.take_watch()).params["timeoutSeconds"] == asked


async def test_each_type_of_event_advances_the_version(start: StartInformer, server: ScriptedServer) -> None:
    """The reference's ResourceVersionUpdate."""
    setup, watch = await listed(start, server)
    for event_type, version in (("ADDED", "11"), ("MODIFIED", "20"), ("DELETED", "40")):
        await watch.send(event_type, pod("b", version))
        await until_version(setup, version)
        assert setup.informer.store.resource_version == version
    await watch.send("BOOKMARK", bookmark("50"))
    await until_version(setup, "50")
    await eventually(lambda: setup.informer.store.resource_version == "50")


async def test_events_are_taken_as_they_come_whatever_their_versions(
    start: StartInformer, server: ScriptedServer
) -> None:
    """The reference's WatchHandler: a later event may have a lower version, where a server keeps several histories."""
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("foo", "1"), pod("bar", "2")], "10")
    watch = await server.take_watch()
    await watch.send("ADDED", pod("rejected", "11") | {"kind": "Service"})
    await watch.send("DELETED", pod("foo", "12"))
    await watch.send("MODIFIED", pod("bar", "55"))
    await watch.send("ADDED", pod("baz", "32"))
    await until_version(setup, "32")
    assert setup.keys == {"default/bar": "55", "default/baz": "32"}


@pytest.mark.parametrize("end", ["end", "drop"])
async def test_an_idle_watch_that_lasted_a_second_is_resumed_without_a_list(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, end: str
) -> None:
    """Whether the server says that it is over or the connection is reset; then it is only asked for its version."""
    setup, watch = await listed(start, server)
    await clock.advance(1)
    getattr(watch, end)()
    if end == "drop":
        await server.tell_version("10")
    assert (await server.take_watch()).version == "10"
    assert setup.errors == []
    assert setup.informer.health().relists == 0


async def test_a_reset_in_the_first_second_after_an_event_is_a_clean_end(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await until_version(setup, "11")
    watch.drop()
    await clock.wait_for_sleeper(0.5, 1.1)
    await clock.advance(1)
    await server.tell_version("11")
    assert (await server.take_watch()).version == "11"
    assert setup.errors == []


async def test_a_server_that_ends_every_watch_at_once_is_asked_less_and_less(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """It answers 200, and an end, for ever: a relist each time, but never in a hot loop."""
    setup = await start(streaming_lists=False)
    waits = []
    for count in range(1, 11):
        (await server.take_list()).answer_list([pod("a", "5")], str(count))
        watch = await server.take_watch()
        await watch.open()
        watch.end()
        await eventually(lambda count=count: len(setup.errors) == count)  # type: ignore[misc]
        waits += clock.pending_sleeps
        assert (setup.state, server.waiting) == ("stale", 0)
        await clock.advance(60)
    assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30, 30])
    assert {type(error) for error in setup.errors} == {ShortWatch}
    assert setup.keys == {"default/a": "5"}


async def test_a_server_that_ends_every_streaming_list_at_once_is_asked_less_and_less(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    waits = []
    for count in range(1, 7):
        streaming = await server.take_streaming_list()
        await streaming.open()
        streaming.end()
        (await server.take_list()).answer_list([], str(count))
        await clock.wait_for_sleeper(0.1, 1.1)
        await clock.advance(1)
        watch = await server.take_watch()
        await watch.open()
        watch.end()
        await eventually(lambda count=count: len(setup.errors) == count)  # type: ignore[misc]
        waits += clock.pending_sleeps
        await clock.advance(max(waits[-1], 1))
    assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6])


async def test_a_bookmark_without_a_version_moves_nothing(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await watch.send("BOOKMARK", bookmark(""))
    await eventually(lambda: setup.informer.health().last_bookmark)
    assert setup.informer.last_resource_version == "11"
    assert setup.informer.store.resource_version == "11"


async def test_the_failures_of_lists_and_watches_one_after_the_other_leave_the_store_as_the_server(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The reference's ListAndWatchWithErrors."""
    setup = await start(streaming_lists=False)

    async def relist() -> Request:
        await clock.wait_for_sleeper(0.8, 61)
        await clock.advance(61)
        return await server.take_list()

    (await server.take_list()).answer_list([], "1")
    watch = await server.take_watch()
    await watch.send_all([("ADDED", pod("foo", "2")), ("ADDED", pod("bar", "3")), ("ERROR", EXPIRED)])
    request = await relist()
    assert request.version == "3"
    request.answer_list([pod("foo", "2"), pod("bar", "3")], "3")
    watch = await server.take_watch()
    await watch.send_all([("DELETED", pod("foo", "4")), ("ADDED", pod("qux", "5")), ("ERROR", EXPIRED)])
    (await relist()).fail(status(500, "InternalError", "a list error"))
    (await relist()).answer_list([pod("bar", "3"), pod("qux", "5")], "5")
    (await server.take_watch()).fail(status(500, "InternalError", "a watch error"))
    (await relist()).answer_list([pod("bar", "3"), pod("qux", "5")], "5")
    watch = await server.take_watch()
    await watch.send("ADDED", pod("baz", "6"))
    await until_version(setup, "6")
    assert setup.keys == {"default/bar": "3", "default/qux": "5", "default/baz": "6"}
    assert [str(error) for error in setup.errors[2:]] == ["a list error", "a watch error"]
    assert setup.recorder.words == [
        "add default/foo@2",
        "add default/bar@3",
        "delete default/foo@4",
        "add default/qux@5",
        "add default/baz@6",
    ]
