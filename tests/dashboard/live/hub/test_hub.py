"""Tests of the hub: one frame for all subscribers, in order, each from the state that its page shows."""

from __future__ import annotations

from dataclasses import replace

from dashboard.live.hub.hub import HEARTBEAT_INTERVAL
from dashboard.live.hub.updates import TICK
from dashboard.objects.kinds.catalog import kind_of_key
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.feed.live_feed import open_feed
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.lists.live_list import open_list
from dashboard.pages.overview.live_overview import open_overview
from tests.support.clock import run_ready_tasks
from tests.support.live.hub_with_browsers import PODS, Browser, World
from tests.support.live.hx_partial_interpreter import ops_of
from tests.support.live.replica_feeder import pod


def test_a_page_that_is_current_gets_no_window(world: World) -> None:
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    browser = Browser(world.hub, world.clock).join(seq=view.seq)
    assert browser.frames == []
    assert browser.got[0] == {"view": view.id, "seq": view.seq, "keys": ["pods"], "path": "/resources/pods/?"}
    assert "beat" in browser.got[1]


def test_a_page_of_another_process_or_an_older_state_gets_the_window_before_the_beat(world: World) -> None:
    browser = world.browser()
    assert [next(iter(message)) for message in browser.got] == ["view", "content", "beat"]
    assert browser.got[0]["seq"] == ""
    assert "after" not in browser.got[1]
    assert ops_of(browser.got[1]["content"])[0].rows == ["uid-default-p0", "uid-default-p1", "uid-default-p2"]


def test_the_first_change_leaves_at_once_and_later_ones_within_a_tick(world: World) -> None:
    browser = world.browser()
    world.pass_time(0.3)
    world.pods.put(pod("p0", version=2, restarts=1))
    world.hub.tick()
    assert len(browser.updates) == 1
    world.pods.put(pod("p1", version=3, restarts=1))
    wait = world.hub.tick()
    assert 0 < wait <= TICK
    assert len(browser.updates) == 1
    world.pods.put(pod("p2", version=4, restarts=1))
    world.pass_time(TICK)
    assert len(browser.updates) == 2
    assert [op.rows for op in ops_of(browser.updates[1]["content"]) if op.rows] == [
        ["uid-default-p2"],
        ["uid-default-p1"],
    ]


def test_updates_name_the_state_they_build_on(world: World) -> None:
    browser = world.browser()
    for version in range(2, 5):
        world.pods.put(pod("p0", version=version, restarts=version))
        world.pass_time(1.0)
    seqs = [frame["seq"] for frame in browser.frames]
    assert [frame["after"] for frame in browser.updates] == seqs[:-1]


def test_one_rendering_and_one_string_serve_all_who_look(world: World) -> None:
    browsers = [world.browser() for _ in range(20)]
    rendered = world.hub._updates.render.rendered_count
    world.pods.put(pod("p0", version=2, restarts=1))
    world.pass_time(0.06)
    messages = [browser.socket._outbox[-1] for browser in browsers]
    assert all(message is messages[0] for message in messages)
    assert world.hub._updates.render.rendered_count == rendered + 1


def test_views_of_equal_state_are_one_and_others_are_not_disturbed(world: World) -> None:
    one, same, other = world.browser("q=p0"), world.browser("q=p0"), world.browser("q=p1")
    assert one.socket.view is same.socket.view
    world.pods.put(pod("p0", version=2, restarts=1))
    world.pass_time(0.06)
    assert [len(browser.updates) for browser in (one, same, other)] == [1, 1, 0]


def test_somebody_who_joins_between_change_and_tick_misses_and_doubles_nothing(world: World) -> None:
    early = world.browser()
    world.pods.put(pod("p9"), op="added")
    late = world.browser()
    world.pass_time(0.06)
    assert len(early.updates) == 1
    assert late.updates == []
    assert late.frames[0]["seq"] == early.updates[0]["seq"]
    assert "uid-default-p9" in late.frames[0]["content"]


def test_a_page_rendered_between_change_and_tick_is_continued_without_a_gap(world: World) -> None:
    world.browser()
    world.pods.put(pod("p9"), op="added")
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    assert [line.row.name for line in view.lines] == ["p0", "p1", "p2", "p9"]
    browser = Browser(world.hub, world.clock).join(seq=view.seq)
    world.pods.put(pod("p9", version=2, restarts=1))
    world.pass_time(0.06)
    assert [frame["after"] for frame in browser.frames] == [view.seq]


def test_changes_that_nobody_looks_at_are_not_rendered_but_counted_in_the_seq(world: World) -> None:
    view = open_list(world.hub, PODS, Query.parse({}, "pods"))
    rendered, before = world.hub._updates.render.rendered_count, view.seq
    world.pods.put(pod("p0", version=2, restarts=1))
    world.pass_time(0.06)
    assert world.hub._updates.render.rendered_count == rendered
    browser = Browser(world.hub, world.clock).join(seq=before)
    assert 'data-version="2"' in browser.frames[0]["content"]


def test_a_page_that_changes_its_view_gets_frames_of_the_new_one_only(world: World) -> None:
    browser = world.browser("q=p0")
    browser.join("q=p1")
    world.pods.put(pod("p0", version=2, restarts=1), pod("p1", version=2, restarts=1))
    world.pass_time(0.06)
    assert {frame["view"] for frame in browser.updates} == {browser.socket.view.id if browser.socket.view else ""}
    assert len(world.hub.sockets) == 1


def test_a_socket_follows_a_list_and_the_object_beside_it_and_both_views_are_shared(world: World) -> None:
    listed, opened = open_list(world.hub, PODS, Query.parse({}, "pods")), open_detail(world.hub, PODS, "default", "p1")
    browser, other = Browser(world.hub, world.clock), world.browser()
    world.hub.join(browser.socket, listed, listed.seq, path="/", drawer_view=opened, drawer_seq=opened.seq)
    hello, beside = browser.flush().got[:2]
    assert (hello["view"], beside["view"]) == (listed.id, opened.id)
    assert "beside" not in hello
    assert beside["beside"] is True
    assert browser.frames == []
    world.pods.put(pod("p1", version=2, restarts=7))
    world.pass_time(TICK)
    assert {frame["view"] for frame in browser.updates} == {listed.id, opened.id}
    assert [frame["view"] for frame in other.updates] == [listed.id]
    world.hub.join(browser.socket, listed, listed.seq, path="/")
    world.pods.put(pod("p1", version=3, restarts=8))
    world.pass_time(TICK)
    assert [frame["view"] for frame in browser.updates].count(opened.id) == 1
    world.hub.leave(browser.socket)
    assert not any(browser.socket in watched.sockets for watched in world.hub.views.values())


def test_a_page_whose_opened_object_is_of_an_older_state_gets_its_window_only(world: World) -> None:
    listed, opened = open_list(world.hub, PODS, Query.parse({}, "pods")), open_detail(world.hub, PODS, "default", "p1")
    browser = Browser(world.hub, world.clock)
    world.hub.join(browser.socket, listed, listed.seq, path="/", drawer_view=opened, drawer_seq="older-1")
    assert [frame["view"] for frame in browser.frames] == [opened.id]


def test_pages_without_a_view_get_the_heartbeat(world: World) -> None:
    browser = Browser(world.hub, world.clock)
    world.hub.join(browser.socket, None)
    world.pass_time(HEARTBEAT_INTERVAL)
    assert len(browser.beats) == 2
    assert browser.frames == []


def test_the_feed_and_the_overview_keep_their_own_pace(world: World) -> None:
    feed = Browser(world.hub, world.clock)
    world.hub.join(feed.socket, open_feed(world.hub, FeedQuery()))
    overview = Browser(world.hub, world.clock)
    world.hub.join(overview.socket, open_overview(world.hub))
    for index in range(40):
        world.pods.put(pod("p0", version=index + 2, restarts=index))
        world.pass_time(0.05)
    assert 7 <= len(feed.updates) <= 9
    assert 3 <= len(overview.updates) <= 5


def test_an_overview_knows_which_kinds_are_followed_always_and_what_discovery_says_of_them(world: World) -> None:
    kind = kind_of_key("gears.field.example.com")
    assert kind is not None
    whole, of_shop = open_overview(world.hub), open_overview(world.hub, ("shop",))
    world.feeders.follow(kind)
    world.hub.follow(kind)
    assert "gears.field.example.com" not in {tile.kind.key for tile in whole.tiles}
    world.hub.set_always_followed([kind.key])
    for view in (whole, of_shop):
        assert view.tiles[-1].kind.title == "Gears"
        assert (view.keys, view.dirty) == (("pods", "namespaces", kind.key), True)
    world.feeders.feeders[kind.key].say(2, namespace="shop")
    assert of_shop.tiles[-1].spark
    world.hub.update_kinds((replace(kind, title="Toothed gears", resolved=True),))
    assert whole.tiles[-1].kind.title == "Toothed gears"
    world.hub.set_always_followed([])
    assert whole.keys == ("pods", "namespaces")


async def test_it_ticks_by_itself(world: World) -> None:
    import asyncio

    browser = world.browser()
    running = asyncio.create_task(world.hub.run())
    await run_ready_tasks()
    world.pods.put(pod("p0", version=2, restarts=1))
    await run_ready_tasks()
    await world.clock.advance(TICK)
    assert len(browser.updates) == 1
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
