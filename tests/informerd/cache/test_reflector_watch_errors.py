"""Tests of watches that fail: the errors that are waited out, and those that need a new list."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.list_watch import ListWatch
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import Expired
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import EXPIRED, TOO_LARGE, Request, ScriptedServer, bookmark, pod, status
from tests.support.wait import eventually


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming list", "list"])
async def test_a_server_that_came_back_older_than_it_was_is_listed_anew(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, streaming: bool
) -> None:
    """Restored from a backup: a watch from the last version would be silent until versions have caught up."""
    setup = await start(streaming_lists=streaming)
    first = await server.take()
    await first.send_list([pod("a", "5")], "10") if streaming else first.answer_list([pod("a", "5")], "10")
    await eventually(lambda: setup.keys == {"default/a": "5"})
    if not streaming:
        await server.take_watch()
    await server.stop()
    await clock.advance_until(lambda: setup.state == "stale")
    await server.start()
    await clock.advance_until(lambda: server.waiting)
    look = await server.take_list()
    assert look.params == {"limit": "1"}
    look.answer_list([pod("b", "3")], "7")
    await eventually(lambda: "is at version 7, but was at 10" in setup.informer.health().problem)
    assert setup.state == "stale"
    await clock.advance_until(lambda: server.waiting)
    again = await server.take()
    assert again.version == ""
    await again.send_list([pod("b", "3")], "7") if streaming else again.answer_list([pod("b", "3")], "7")
    await eventually(lambda: ("delete", "default/a", "5", True) in setup.recorder.told)
    assert setup.keys == {"default/b": "3"}


@pytest.mark.parametrize("broken", ["reset", "given up"])
async def test_a_server_that_came_back_older_before_it_was_missed_is_listed_anew(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, broken: str
) -> None:
    """No request has failed in between: only the watch's end was no end by the server."""
    setup, watch = await listed(start, server)
    await clock.advance(1)
    if broken == "reset":
        watch.drop()
    else:
        setup.informer._reflector.probe_failed("the API server does not answer")
    await clock.advance_until(lambda: server.waiting)
    await server.tell_version("7")
    await eventually(lambda: "is at version 7, but was at 10" in setup.informer.health().problem)
    await clock.advance_until(lambda: server.waiting)
    again = await server.take_list()
    assert again.version == ""
    again.answer_list([], "7")
    await eventually(lambda: setup.informer.last_resource_version == "7")


async def test_a_410_in_the_stream_leads_to_a_relist_after_the_backoff(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(0.8, 1.6)
    assert isinstance(setup.errors[0], Expired)
    assert server.waiting == 0
    await clock.advance(1)
    (await server.take_list()).answer_list([], "20")
    await eventually(lambda: setup.keys == {})


@pytest.mark.parametrize(("lasted", "waits"), [(5.0, (0.8, 1.7)), (0.0, (3.2, 6.5))])
async def test_a_410_is_waited_out_ever_longer_only_where_no_watch_lasts(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, lasted: float, waits: tuple[float, float]
) -> None:
    """An API server that was started again has forgotten the history, and may be so a second and a third time."""
    setup, watch = await listed(start, server)
    for _ in range(2):
        await clock.advance(lasted)
        await watch.send("ERROR", EXPIRED)
        await eventually(lambda: setup.state == "stale")
        await clock.advance(3.2)
        (await server.take_list()).answer_list([], "20")
        watch = await server.take_watch()
        await watch.open()
        await eventually(lambda: setup.state == "live")
    await clock.advance(lasted)
    await watch.send("ERROR", EXPIRED)
    await clock.wait_for_sleeper(*waits)


@pytest.mark.parametrize(("within", "relists"), [(0.0, True), (30.0, False)])
async def test_an_internal_error_is_retried_without_a_relist_within_a_configured_time(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, within: float, relists: bool
) -> None:
    _, watch = await listed(start, server, internal_error_retry=within)
    await watch.send("ERROR", status(500, "InternalError", "etcd event received with PrevKv=nil"))
    await clock.wait_for_sleeper(0.5, 2)
    await clock.advance(2)
    assert (await server.take()).is_watch is not relists


@pytest.mark.parametrize(
    "line", [b'{"type":"MODIFIED","object":{{}}\n', b'{"type":"SHRUNK","object":{"kind":"Pod"}}\n', b"[]\n"]
)
async def test_malformed_json_and_unknown_types_lead_to_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, line: bytes
) -> None:
    setup, watch = await listed(start, server)
    await watch.send_raw(line)
    await clock.wait_for_sleeper(0.8, 1.6)
    assert setup.state == "stale"
    await clock.advance(1)
    assert (await server.take_list()).version == "10"


async def test_a_bookmark_from_before_what_was_heard_leads_to_a_relist_at_any_version(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """An API server restored from a backup: a watch from the old version would be silent for a long time."""
    setup, watch = await listed(start, server)
    await watch.send("BOOKMARK", bookmark("3"))
    await clock.wait_for_sleeper(0.8, 1.6)
    assert setup.state == "stale"
    assert "at version 3, but was at 10 before" in setup.informer.health().problem
    await clock.advance(1)
    again = await server.take_list()
    assert again.version == ""
    again.answer_list([], "4")
    assert (await server.take_watch()).version == "4"
    assert setup.keys == {}


@pytest.mark.parametrize(
    "failure",
    [
        status(
            500, "StoreReadError", "failed to prepare current and previous objects: corrupt object has been deleted"
        ),
        status(418, "Teapot", "no reason that we know"),
        status(504, "Timeout", "The request timed out"),
        status(403, "Forbidden", "not any more"),
        {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "no status"}},
        {"code": "no number"},
    ],
    ids=["corrupt object", "unknown reason", "timeout", "forbidden", "no status", "malformed status"],
)
async def test_any_other_error_in_the_stream_leads_to_a_relist_after_the_backoff(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, failure: dict[str, object]
) -> None:
    """Among them the reference's ReplacesStoreOnUnsafeDelete: what was deleted without an event leaves the store."""
    setup, watch = await listed(start, server)
    await watch.send("ADDED", pod("corrupt", "11"))
    await until_version(setup, "11")
    await watch.send("ERROR", failure)
    assert await clock.wait_for_sleeper(0.8, 1.6) == 0.8
    assert (setup.state, len(setup.errors)) == ("stale", 1)
    await clock.advance(1)
    request = await server.take_list()
    assert request.version == "11"
    request.answer_list([pod("a", "5")], "12")
    await until_version(setup, "12")
    assert setup.keys == {"default/a": "5"}
    await eventually(lambda: setup.recorder.told[-1] == ("delete", "default/corrupt", "11", True))


async def test_events_before_an_error_in_the_same_piece_are_not_lost(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send_all([("ADDED", pod("b", "11")), ("ERROR", EXPIRED), ("ADDED", pod("never", "12"))])
    await clock.wait_for_sleeper(0.8, 1.6)
    assert setup.keys == {"default/a": "5", "default/b": "11"}
    assert setup.informer.last_resource_version == "11"


@pytest.mark.parametrize("failure", [EXPIRED, TOO_LARGE, status(500, "InternalError"), status(404, "NotFound", "x")])
async def test_a_watch_that_is_refused_with_another_error_leads_to_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, failure: dict[str, object]
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "10")
    (await server.take_watch()).fail(failure)
    await clock.wait_for_sleeper(0.8, 1.6)
    assert len(setup.errors) == 1
    await clock.advance(1)
    assert not (await server.take()).is_watch


async def test_a_version_too_large_in_the_stream_leads_to_a_list_at_it_and_then_at_any(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    _, watch = await listed(start, server)
    await watch.send("ERROR", TOO_LARGE)
    await clock.wait_for_sleeper(0.8, 1.6)
    await clock.advance(1)
    request = await server.take_list()
    assert request.version == "10"
    request.fail(TOO_LARGE)
    assert (await server.take_list()).version == ""


async def test_internal_errors_are_retried_a_second_apart_until_their_time_is_up_and_then_again_after_a_calm_minute(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The reference's RetryInternalError."""
    setup, watch = await listed(start, server, internal_error_retry=3.0)
    failure = status(500, "InternalError", "etcdserver: no leader")

    async def retried(watch: Request) -> Request:
        await watch.send("ERROR", failure)
        await eventually(lambda: server.waiting or [sleep for sleep in clock.pending_sleeps if sleep <= 1])
        await clock.advance(1)
        return await server.take_watch()

    for _ in range(2):
        for _ in range(4):
            watch = await retried(watch)
            assert watch.version == "10"
        await watch.open()
        await clock.advance(61)
    for _ in range(4):
        watch = await retried(watch)
    assert setup.errors == []
    await watch.send("ERROR", failure)
    await eventually(lambda: setup.errors)
    await clock.advance(1)
    await server.take_list()


async def test_the_watch_error_handler_hears_of_lists_and_of_watches_and_may_raise(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_too(error: Exception) -> None:
        heard.append(str(error))
        raise RuntimeError("the handler's own fault")

    heard: list[str] = []
    async with server.client(clock) as client:
        list_watch = ListWatch(client, PODS, projection=Object)
        informer = SharedInformer(list_watch, clock=clock, settings=ReflectorSettings(streaming_lists=False))
        informer.set_watch_error_handler(fail_too)
        running = asyncio.create_task(informer.run())
        (await server.take_list()).fail(status(500, "InternalError", "the list"))
        await eventually(lambda: heard == ["the list"])
        await clock.advance(2)
        (await server.take_list()).answer_list([], "10")
        (await server.take_watch()).fail(status(500, "InternalError", "the watch"))
        await eventually(lambda: heard == ["the list", "the watch"])
        assert caplog.text.count("the watch-error handler failed") == 2
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
