"""Tests of the reflector's plain lists: the version, the number of pages, and malformed lists."""

from __future__ import annotations

import pytest

from informerd.cache.pager import PAGE_SECONDS
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.errors import Expired, Unreachable
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import (
    EXPIRED,
    TOO_LARGE,
    TOO_LARGE_ENCODINGS,
    ScriptedServer,
    bookmark,
    pod,
    status,
)
from tests.support.wait import eventually


async def test_the_first_list_asks_for_version_0_in_pages_of_500(start: StartInformer, server: ScriptedServer) -> None:
    await start(streaming_lists=False)
    request = await server.take_list()
    assert request.params == {"resourceVersion": "0", "limit": "500"}


async def test_consistent_lists_ask_for_the_newest_state_in_pages_the_first_time_and_later(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    await start(streaming_lists=False, consistent_lists=True, page_size=2)
    request = await server.take_list()
    assert request.params == {"limit": "2"}
    request.answer_list([pod("a", "1")], "10")
    watch = await server.take_watch()
    assert watch.version == "10"
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    assert (await server.take_list()).params == {"limit": "2"}


@pytest.mark.parametrize(
    ("version", "streaming"),
    [
        ("v1.37.1", False),
        ("v1.34.0-eks-1", False),
        ("1.34", False),
        ("v2.0.0", False),
        ("v1.33.9+k3s1", True),
        ("", True),
        ("unknown", True),
        ("v1", True),
    ],
)
def test_lists_are_those_that_cost_an_api_server_of_its_version_the_least(version: str, streaming: bool) -> None:
    settings = ReflectorSettings(keep_absent=True, lists_by_version=True).for_list(version)
    assert settings.keep_absent
    assert settings.streaming_lists is streaming
    assert settings.consistent_lists is not streaming
    assert (settings.page_size, settings.largest_page) == (500, 0 if streaming else 5000)
    assert ReflectorSettings().for_list(version) == ReflectorSettings()


async def test_the_way_of_a_list_follows_the_version_that_the_client_has_heard(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(lists_by_version=True)
    watch = await server.take_streaming_list()
    await watch.send_list([pod("a", "1")], "10")
    setup.client.server_version = "v1.34.0"
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    assert (await server.take_list()).params == {"limit": "500"}


async def test_pages_grow_while_they_come_fast(start: StartInformer, server: ScriptedServer, clock: FakeClock) -> None:
    await start(streaming_lists=False, page_size=2, largest_page=7)
    asked = []
    for number in range(6):
        request = await server.take_list()
        asked.append(request.params["limit"])
        if number == 1:
            await clock.advance(PAGE_SECONDS)
        request.answer_list([pod(f"p{number}", "1")], "10", continue_token="next" if number < 5 else "")
    assert asked == ["2", "4", "4", "7", "7", "7"]


async def test_a_relist_asks_for_the_last_version_without_a_limit(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    assert setup.state == "stale"
    await clock.advance(0.8)
    request = await server.take_list()
    assert request.params == {"resourceVersion": "11"}


async def test_an_expired_or_too_large_version_is_asked_for_again_at_once_as_any_version(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The reference's FullListIfTooLarge: versions 0, 20, "", 30, "", 40, ""."""
    await start(streaming_lists=False)
    asked = []
    for answer in ("20", TOO_LARGE, "30", EXPIRED, "40", TOO_LARGE, "50"):
        request = await server.take_list()
        asked.append(request.version)
        if not isinstance(answer, str):
            request.fail(answer)
            continue
        version = answer
        request.answer_list([], version)
        watch = await server.take_watch()
        assert watch.version == version
        await watch.send("ERROR", EXPIRED)
        await clock.wait_for_sleeper(0.8, 60)
        await clock.advance(60)
    assert asked == ["0", "20", "", "30", "", "40", ""]


@pytest.mark.parametrize("failure", TOO_LARGE_ENCODINGS)
async def test_too_large_is_understood_in_its_three_encodings(
    start: StartInformer, server: ScriptedServer, failure: dict[str, object]
) -> None:
    await start(streaming_lists=False)
    (await server.take_list()).fail(failure)
    assert (await server.take_list()).version == ""


async def test_any_version_is_asked_for_again_until_such_a_list_has_worked(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).fail(EXPIRED)
    (await server.take_list()).fail(EXPIRED)
    await eventually(lambda: setup.errors)
    assert isinstance(setup.errors[0], Expired)
    await clock.advance(0.8)
    assert (await server.take_list()).version == ""


async def test_pages_are_joined_and_continue_without_a_version(start: StartInformer, server: ScriptedServer) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next", remaining=1)
    await eventually(lambda: setup.state == "syncing")
    assert (setup.informer.health().listed, setup.informer.health().remaining) == (1, 1)
    second = await server.take_list()
    assert second.params == {"limit": "500", "continue": "next"}
    second.answer_list([pod("b", "2")], "10")
    await until_version(setup, "10")
    assert setup.keys == {"default/a": "1", "default/b": "2"}


async def test_an_expired_continue_token_leads_to_a_whole_list_at_the_version_first_asked_for(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("gone", "1")], "10", continue_token="next")
    (await server.take_list()).fail(EXPIRED)
    whole = await server.take_list()
    assert whole.params == {"resourceVersion": "0"}
    whole.answer_list([pod("a", "2")], "12")
    await until_version(setup, "12")
    assert setup.keys == {"default/a": "2"}


async def test_later_lists_stay_in_pages_where_the_first_at_version_0_came_in_pages(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next")
    (await server.take_list()).answer_list([], "10")
    await (await server.take_watch()).send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    assert (await server.take_list()).params == {"resourceVersion": "10", "limit": "500"}


async def test_items_of_a_list_and_of_a_watch_give_equal_objects(start: StartInformer, server: ScriptedServer) -> None:
    setup, watch = await listed(start, server)
    from_list = setup.informer.store.get("default/a")
    assert from_list is not None
    assert from_list.full() == pod("a", "5")
    await watch.send("DELETED", pod("a", "5"))
    await watch.send("ADDED", pod("a", "5"))
    await watch.send("BOOKMARK", bookmark("12"))
    await until_version(setup, "12")
    assert setup.informer.store.get("default/a") == from_list


async def test_a_relist_computes_the_deletes_and_tells_them_before_the_adds(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ADDED", pod("b", "11"))
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    (await server.take_list()).answer_list([pod("c", "14"), pod("b", "13")], "15")
    await eventually(lambda: len(setup.recorder.told) == 5)
    assert setup.recorder.told[2:] == [
        ("delete", "default/a", "5", True),
        ("add", "default/c", "14", False),
        ("update", "default/b", "13", "11"),
    ]


async def test_a_malformed_list_is_reported_and_tried_again(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_text('{"items": [')
    await eventually(lambda: setup.state == "unreachable")
    assert "malformed" in setup.informer.health().problem
    await clock.advance(0.8)
    (await server.take_list()).answer_list([], "3")
    await until_version(setup, "3")


@pytest.mark.parametrize(
    "failure", [status(410, "Expired"), status(410, "Gone"), status(410, "Strange")], ids=lambda each: each["reason"]
)
async def test_each_kind_of_410_is_an_expired_version(
    start: StartInformer, server: ScriptedServer, failure: dict[str, object]
) -> None:
    await start(streaming_lists=False)
    (await server.take_list()).fail(failure)
    assert (await server.take_list()).params == {"limit": "500"}


async def test_a_whole_list_that_has_expired_too_is_asked_for_as_any_version(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The reference's FullListIfExpired: each fallback of the pager and of the reflector, one after the other."""
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next")
    (await server.take_list()).answer_list([pod("b", "2")], "10")
    await (await server.take_watch()).send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    (await server.take_list()).answer_list([pod("a", "11")], "12", continue_token="more")
    (await server.take_list()).fail(EXPIRED)
    whole = await server.take_list()
    assert whole.params == {"resourceVersion": "10"}
    whole.fail(EXPIRED)
    anything = await server.take_list()
    assert anything.params == {"limit": "500"}
    assert setup.keys == {"default/a": "1", "default/b": "2"}, "half a list is no list"
    anything.answer_list([pod("b", "13")], "20")
    await until_version(setup, "20")
    assert setup.keys == {"default/b": "13"}
    assert len(setup.errors) == 1, "the watch's end alone"


async def test_a_later_page_at_a_version_too_large_leads_to_a_list_at_any_version(
    start: StartInformer, server: ScriptedServer
) -> None:
    await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next")
    (await server.take_list()).fail(TOO_LARGE)
    assert (await server.take_list()).params == {"limit": "500"}


async def test_pages_at_any_version_do_not_make_later_lists_come_in_pages(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """A list at any version comes from etcd, in pages; the next one may come from the watch cache, which has none."""
    await start(streaming_lists=False)
    (await server.take_list()).fail(EXPIRED)
    (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next")
    (await server.take_list()).answer_list([], "10")
    await (await server.take_watch()).send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    assert (await server.take_list()).params == {"resourceVersion": "10"}


@pytest.mark.parametrize(
    "body",
    [
        '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"12"},"rows":[]}',
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":500}',
        "{}",
        "null",
        "",
        "<html>Please sign in.</html>",
        '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12"},"items":[',
    ],
)
async def test_what_is_no_list_is_not_taken_for_an_empty_one(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, body: str
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    (await server.take_list()).answer_text(body)
    await clock.wait_for_sleeper(1.6, 3.2)
    assert setup.keys == {"default/a": "5"}
    assert (setup.state, len(setup.errors)) == ("stale", 2)
    assert "malformed" in setup.informer.health().problem
    await clock.advance(1.6)
    assert (await server.take_list()).version == "10"


@pytest.mark.parametrize("metadata", ['{"resourceVersion":"11"}', "null"])
async def test_a_list_without_items_is_empty_as_for_typed_clients(
    start: StartInformer, server: ScriptedServer, metadata: str
) -> None:
    """client-go decodes it into a PodList, whose Items are then empty."""
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_text(f'{{"kind":"PodList","apiVersion":"v1","metadata":{metadata}}}')
    await setup.informer.wait_for_sync()
    assert (setup.keys, setup.errors) == ({}, [])


async def test_a_list_whose_items_are_null_is_empty(start: StartInformer, server: ScriptedServer) -> None:
    """As Go writes a slice that nobody made."""
    setup = await start(streaming_lists=False)
    text = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12"},"items":null}'
    (await server.take_list()).answer_text(text)
    await setup.informer.wait_for_sync()
    assert setup.informer.store.resource_version == "12"


async def test_a_list_that_is_cut_off_changes_nothing(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(0.8)
    request = await server.take_list()
    await request.send_raw(b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12"},"items":[')
    request.drop()
    await clock.wait_for_sleeper(1.6, 3.2)
    assert isinstance(setup.errors[-1], Unreachable)
    assert setup.keys == {"default/a": "5"}
    await clock.advance(1.6)
    assert (await server.take_list()).version == "10"


async def test_an_object_that_comes_twice_in_pages_counts_once_as_it_came_last(
    start: StartInformer, server: ScriptedServer
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([pod("a", "1"), pod("b", "2")], "10", continue_token="next")
    (await server.take_list()).answer_list([pod("a", "3")], "10")
    await until_version(setup, "10")
    assert setup.keys == {"default/a": "3", "default/b": "2"}
    await eventually(lambda: setup.recorder.words == ["add default/a@3", "add default/b@2"])
