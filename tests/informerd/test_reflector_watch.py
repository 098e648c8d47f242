"""The reflector's watches: what they ask for, how they end and where the next one begins."""

from __future__ import annotations

from informerd.watch_session import ShortWatch
from tests.clock import FakeClock
from tests.informerd.conftest import StartInformer
from tests.informerd.scripted import ScriptedServer, bookmark, pod
from tests.informerd.situations import listed, until_version


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
        await clock.sleeper(0.5, 1.1)
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
    await clock.sleeper(0.8, 1.6)
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
    assert (await server.take_watch()).version == "11"
    assert setup.errors == []
