"""Liveness: streams that are silent because they are dead, and those that are merely idle."""

from __future__ import annotations

from tests.clock import FakeClock
from tests.informerd.conftest import StartInformer
from tests.informerd.scripted import ScriptedServer, bookmark, pod
from tests.informerd.situations import listed, until_version
from tests.wait import eventually


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
    await clock.sleeper(150, 151)
    await clock.advance(149)
    assert setup.state == "live"
    await clock.advance(1)
    await eventually(lambda: setup.state == "stale")
    assert "nothing was heard for 150 s" in setup.informer.health().problem
    await eventually(lambda: watch.is_gone)
    await clock.advance(2)
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
    assert clock.sleeps == [330], "the watch's own end"
