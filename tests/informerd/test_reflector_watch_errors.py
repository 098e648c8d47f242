"""Watches that fail: what is waited out, and what needs a new list."""

from __future__ import annotations

import pytest

from informerd.errors import Expired, Unreachable
from tests.clock import FakeClock
from tests.informerd.conftest import StartInformer
from tests.informerd.scripted import EXPIRED, ScriptedServer, bookmark, pod, status
from tests.informerd.situations import listed, until_version
from tests.wait import eventually


async def test_too_many_requests_at_the_start_are_waited_out_without_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(streaming_lists=False)
    (await server.take_list()).answer_list([], "10")
    (await server.take_watch()).fail(status(429, "TooManyRequests"), retry_after=4)
    await clock.sleeper(4, 4.1)
    assert setup.state == "stale"
    await clock.advance(4)
    assert (await server.take_watch()).version == "10"


async def test_too_many_requests_in_the_stream_are_waited_out_without_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await watch.send("ERROR", status(429, "TooManyRequests"))
    await clock.sleeper(0.8, 1.6)
    await clock.advance(1)
    assert (await server.take_watch()).version == "11"
    assert setup.keys == {"default/a": "11"}


async def test_a_refused_connection_makes_it_stale_and_is_resumed_without_a_relist(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await until_version(setup, "11")
    await server.stop()
    await clock.sleeper(0.5, 1.1)
    await clock.advance(1)
    await eventually(lambda: setup.state == "stale")
    health = setup.informer.health()
    assert "refused" in health.problem
    assert health.retry_at == pytest.approx(clock.time() + 0.8)
    assert isinstance(setup.errors[0], Unreachable)
    await server.start()
    await clock.advance(1.6)
    (await server.take_list()).answer_list([pod("a", "11")], "11")
    assert (await server.take_watch()).version == "11"


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming list", "list"])
async def test_a_server_that_came_back_older_than_it_was_is_listed_anew(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, streaming: bool
) -> None:
    """Restored from a backup: a watch from the last version would be silent until versions have caught up."""
    setup = await start(streaming_lists=streaming)
    first = await server.take()
    await first.send_list([pod("a", "5")], "10") if streaming else first.answer_list([pod("a", "5")], "10")
    await eventually(lambda: setup.keys == {"default/a": "5"})
    await server.stop()
    await clock.advance(2)
    await eventually(lambda: setup.state == "stale")
    await server.start()
    await clock.advance(3.2)
    look = await server.take_list()
    assert look.params == {"limit": "1"}
    look.answer_list([pod("b", "3")], "7")
    await eventually(lambda: "is at version 7, but was at 10" in setup.informer.health().problem)
    assert setup.state == "stale"
    await clock.advance(6.4)
    again = await server.take()
    assert again.version == ""
    await again.send_list([pod("b", "3")], "7") if streaming else again.answer_list([pod("b", "3")], "7")
    await eventually(lambda: setup.keys == {"default/b": "3"})
    assert ("delete", "default/a", "5", True) in setup.recorder.told


async def test_a_410_in_the_stream_leads_to_a_relist_after_the_backoff(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("ERROR", EXPIRED)
    await clock.sleeper(0.8, 1.6)
    assert isinstance(setup.errors[0], Expired)
    assert server.waiting == 0
    await clock.advance(1)
    (await server.take_list()).answer_list([], "20")
    await eventually(lambda: setup.keys == {})


@pytest.mark.parametrize(("within", "relists"), [(0.0, True), (30.0, False)])
async def test_an_internal_error_is_retried_without_a_relist_within_a_configured_time(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, within: float, relists: bool
) -> None:
    _, watch = await listed(start, server, internal_error_retry=within)
    await watch.send("ERROR", status(500, "InternalError", "etcd event received with PrevKv=nil"))
    await clock.sleeper(0.5, 2)
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
    await clock.sleeper(0.8, 1.6)
    assert setup.state == "stale"
    await clock.advance(1)
    assert (await server.take_list()).version == "10"


async def test_a_bookmark_from_before_what_was_heard_leads_to_a_relist_at_any_version(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """An API server restored from a backup: a watch from the old version would be silent for a long time."""
    setup, watch = await listed(start, server)
    await watch.send("BOOKMARK", bookmark("3"))
    await clock.sleeper(0.8, 1.6)
    assert setup.state == "stale"
    assert "at version 3, but was at 10 before" in setup.informer.health().problem
    await clock.advance(1)
    again = await server.take_list()
    assert again.version == ""
    again.answer_list([], "4")
    assert (await server.take_watch()).version == "4"
    assert setup.keys == {}
