"""Tests of streaming lists (watch-list): their beginning, their end, and the fallback."""

from __future__ import annotations

import pytest

from informerd.errors import Expired
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import until_version
from tests.support.scripted_api_server import EXPIRED, TOO_LARGE, TOO_LARGE_ENCODINGS, ScriptedServer, bookmark, pod
from tests.support.wait import eventually


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
    await clock.wait_for_sleeper(0.8, 5)
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
    await clock.wait_for_sleeper(0.8, 5)
    await clock.advance(1)
    request = await server.take_streaming_list()
    if in_stream:
        await request.send("ERROR", failure)
        await clock.wait_for_sleeper(0.1, 1.1)
        await clock.advance(1)
    else:
        request.fail(failure)
    assert (await server.take_streaming_list()).version == ""
    assert len(setup.errors) == 1


@pytest.mark.parametrize("in_stream", [True, False])
@pytest.mark.parametrize("failure", TOO_LARGE_ENCODINGS)
async def test_too_large_is_understood_in_its_three_encodings(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, failure: dict[str, object], in_stream: bool
) -> None:
    await start()
    request = await server.take_streaming_list()
    await request.send_list([], "10")
    await request.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 5)
    await clock.advance(1)
    request = await server.take_streaming_list()
    assert request.version == "10"
    if in_stream:
        await request.send("ERROR", failure)
        await clock.wait_for_sleeper(0.1, 1.1)
        await clock.advance(1)
    else:
        request.fail(failure)
    assert (await server.take_streaming_list()).version == ""


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
    await clock.wait_for_sleeper(0.8, 5)
    await clock.advance(1)
    again = await server.take_streaming_list()
    await again.send("ADDED", pod("b", "12"))
    await eventually(lambda: setup.informer.health().listed == 1)
    assert setup.keys == {"default/a": "1", "default/b": "2"}
    again.drop()
    await clock.wait_for_sleeper(0.5, 1.1)
    await clock.advance(1)
    await (await server.take_streaming_list()).send_list([pod("b", "12")], "13")
    await until_version(setup, "13")
    assert setup.recorder.told[2:] == [("delete", "default/a", "1", True), ("update", "default/b", "12", "2")]


async def test_an_end_after_the_list_leads_to_a_watch_from_the_last_event(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start()
    request = await server.take_streaming_list()
    await request.send_list([pod("a", "1")], "2")
    await request.send("ADDED", pod("b", "3"))
    await until_version(setup, "3")
    request.end()
    await clock.wait_for_sleeper(0.5, 1.1)
    await clock.advance(1)
    watch = await server.take_watch()
    assert watch.version == "3"
    watch.fail(EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    assert isinstance(setup.errors[0], Expired)
    await clock.advance(1)
    assert (await server.take_streaming_list()).version == "3"
    assert setup.keys == {"default/a": "1", "default/b": "3"}
