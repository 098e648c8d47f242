"""Tests of silent watch streams: those that are dead, and those that are merely idle."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Awaitable

import pytest

from informerd.cache.api_server_probe import Probe
from informerd.clock import SystemClock
from informerd.rest.connection_socket import new_socket
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import listed, until_version
from tests.support.scripted_api_server import EXPIRED, ScriptedServer, bookmark, pod
from tests.support.wait import eventually


async def test_a_watch_that_the_server_does_not_end_in_time_is_ended_and_resumed_without_a_stale_moment(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """A proxy between may have forgotten the stream: it is silent, while probes go through."""
    setup, watch = await listed(start, server, watch_timeout=300)
    states: list[str] = []
    setup.informer.on_health(lambda health: states.append(health.state))
    await watch.send("MODIFIED", pod("a", "12"))
    await until_version(setup, "12")
    await clock.advance(329)
    assert not watch.is_gone
    await clock.advance(1)
    resumed = await server.take_watch()
    assert resumed.version == "12"
    await eventually(lambda: watch.is_gone)
    await resumed.send("MODIFIED", pod("a", "21"))
    await until_version(setup, "21")
    assert (states, setup.errors) == ([], [])


async def test_a_watch_that_began_as_a_streaming_list_is_ended_in_time_too(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup = await start(watch_timeout=300)
    await (await server.take_streaming_list()).send_list([pod("a", "5")], "10")
    await eventually(lambda: setup.state == "live")
    await clock.advance(330)
    assert (await server.take_watch()).version == "10"


async def test_silence_on_a_stream_that_sent_bookmarks_means_that_it_is_dead(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("BOOKMARK", bookmark("11"))
    await until_version(setup, "11")
    await clock.wait_for_sleeper(150, 151)
    await clock.advance(149)
    assert setup.state == "live"
    await clock.advance(1)
    await eventually(lambda: setup.state == "stale")
    assert "the watch was silent for 150 s" in setup.informer.health().problem
    await eventually(lambda: watch.is_gone)
    await clock.advance(2)
    await server.tell_version("11")
    assert (await server.take_watch()).version == "11"


async def test_an_idle_stream_without_bookmarks_is_left_alone(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await until_version(setup, "11")
    await clock.advance(329)
    assert setup.state == "live"
    assert not watch.is_gone
    assert clock.pending_sleeps == [330], "the watch's own end"


async def test_the_bookmark_that_ends_a_streaming_list_is_no_periodic_one(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """The stream of events has it, and no other bookmark for as long as it lasts."""
    setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "5")], "10")
    await eventually(lambda: setup.state == "live")
    await clock.advance(329)
    assert setup.state == "live"
    assert not stream.is_gone


async def test_any_word_renews_the_patience_with_a_stream_that_sent_bookmarks(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("BOOKMARK", bookmark("11"))
    await until_version(setup, "11")
    await clock.advance(149)
    await watch.send("MODIFIED", pod("a", "12"))
    await until_version(setup, "12")
    await clock.advance(149)
    assert setup.state == "live"
    await clock.advance(1)
    await eventually(lambda: setup.state == "stale")


async def test_the_next_stream_is_not_judged_by_the_bookmarks_of_the_last(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("BOOKMARK", bookmark("11"))
    await until_version(setup, "11")
    await clock.advance(2)
    watch.end()
    resumed = await server.take_watch()
    await resumed.open()
    await clock.advance(200)
    assert (setup.state, resumed.is_gone) == ("live", False)


async def test_a_watch_that_does_not_begin_is_stale_and_waited_for(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    """A proxy that passes nothing on before its buffer is full: what it has comes late, but it comes."""
    setup, watch = await listed(start, server)
    await watch.send("MODIFIED", pod("a", "11"))
    await until_version(setup, "11")
    await clock.advance(2)
    watch.end()
    held_back = await server.take_watch()
    await clock.advance(29)
    assert setup.state == "live"
    await clock.advance(1)
    assert (setup.state, setup.informer.health().problem) == ("stale", "the watch has not begun within 30 s")
    await clock.advance(200)
    assert (held_back.is_gone, server.waiting, setup.errors) == (False, 0, [])
    await held_back.send("MODIFIED", pod("a", "12"))
    await until_version(setup, "12")
    assert setup.state == "live"
    assert held_back.version == "11"


async def test_the_last_word_is_the_newest_of_event_bookmark_and_good_probe(
    start: StartInformer, server: ScriptedServer, clock: FakeClock
) -> None:
    async with server.client(clock) as client:
        probe = Probe(client, clock=clock)
        setup = await start(streaming_lists=False, probe=probe)
        (await server.take_list()).answer_list([pod("a", "5")], "10")
        watch = await server.take_watch()
        await watch.open()
        await eventually(lambda: setup.state == "live")

        async def heard_after(seconds: float, word: Awaitable[None]) -> None:
            await clock.advance(seconds)
            await word
            await eventually(lambda: setup.informer.health().heard == clock.time())

        await heard_after(1, watch.send("MODIFIED", pod("a", "11")))
        await heard_after(2, watch.send("BOOKMARK", bookmark("12")))
        await heard_after(3, probe.probe_once())
        await heard_after(4, watch.send("MODIFIED", pod("a", "13")))
        health = setup.informer.health()
        assert (health.last_event, health.last_bookmark) == (clock.time(), clock.time() - 7)


async def test_probes_lists_and_watches_have_connections_of_their_own(
    start: StartInformer, server: ScriptedServer
) -> None:
    async with server.client(SystemClock()) as client:
        for _ in range(3):
            await client.probe()
    assert len(server.probe_ports) == 1
    setup = await start(streaming_lists=False)
    listing = await server.take_list()
    listing.answer_list([pod("a", "5")], "10")
    watch = await server.take_watch()
    assert len({listing.port, watch.port} | server.probe_ports) == 3
    assert setup.informer.health().problem == ""


def test_connections_notice_a_peer_that_has_vanished_within_half_a_minute() -> None:
    """TCP keep-alive, for what no probe sees: a connection that a middlebox has forgotten."""
    made = new_socket((socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", 0)))
    with contextlib.closing(made):
        assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        idle = made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        interval = made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL)
        assert idle + interval * made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT) <= 30
        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 30_000


@pytest.mark.parametrize("jump", [86_400.0, -86_400.0])
async def test_a_jump_of_the_wall_clock_changes_nothing(
    start: StartInformer, server: ScriptedServer, clock: FakeClock, jump: float
) -> None:
    setup, watch = await listed(start, server)
    await watch.send("BOOKMARK", bookmark("11"))
    await until_version(setup, "11")
    clock.jump(jump)
    await clock.advance(149)
    assert (setup.state, watch.is_gone, setup.errors) == ("live", False, [])
    await watch.send("ERROR", EXPIRED)
    assert await clock.wait_for_sleeper(0.8, 1.6) == 0.8
    health = setup.informer.health()
    assert health.retry_at == pytest.approx(clock.time() + 0.8)
    assert health.since == clock.time()
