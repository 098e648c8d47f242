"""Tests of the view store: how long views without sockets are kept."""

from __future__ import annotations

from dashboard.live.hub.hub import HEARTBEAT_INTERVAL
from dashboard.live.hub.view_store import MAX_IDLE_VIEWS, VIEW_TTL
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.live_list import open_list
from tests.support.live.hub_with_browsers import PODS, World


def test_a_view_without_sockets_is_dropped_after_a_minute(world: World) -> None:
    browser = world.browser()
    browser.acknowledge()
    world.pass_time(VIEW_TTL * 2)
    assert len(world.hub.views) == 1
    world.hub.leave(browser.socket)
    world.pass_time(VIEW_TTL - 1)
    assert len(world.hub.views) == 1
    world.pass_time(HEARTBEAT_INTERVAL + 1)
    assert world.hub.views == {}


def test_typing_into_a_filter_leaves_no_heap_of_views(world: World) -> None:
    looked_at = world.browser()
    for number in range(MAX_IDLE_VIEWS * 2):
        world.clock.skip(0.1)
        open_list(world.hub, PODS, Query.parse({"q": [f"p{number}"]}, "pods"))
    assert len(world.hub.views) == MAX_IDLE_VIEWS + 1
    assert looked_at.socket.view is not None
    assert looked_at.socket.view.id in world.hub.views
    newest = open_list(world.hub, PODS, Query.parse({"q": [f"p{MAX_IDLE_VIEWS * 2 - 1}"]}, "pods"))
    assert world.hub.views[newest.id].last_used_at == world.clock.now()
