"""Tests of the drawer on the server: ``open=`` in a list's address shows an object next to the list."""

from __future__ import annotations

import re
from typing import cast

import pytest

from dashboard.pages.details.live_detail import LiveDetail
from dashboard.pages.logs.live_logs import IDLE_SECONDS, LiveLogs
from dashboard.server.live_view_routing import open_drawer_view, open_live_view
from tests.support.live.hub_with_browsers import Browser
from tests.support.objects.rows import made
from tests.support.pages.app_state import AttributeState
from tests.support.pages.fake_log_streams import LogsSite, logging_pod
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, pod, rows, words


def site() -> Site:
    node = ("nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "uid": "uid-node-1"}})
    return Site(namespace("shop"), pod("web-1"), pod("web-2"), node)


def drawer(html: str) -> str:
    return html[html.index('<aside class="drawer"') : html.index("</aside>")]


async def test_an_address_with_open_shows_the_list_and_the_object_beside_it() -> None:
    html = await page(site(), "/resources/pods/?q=web&open=shop/web-2")
    assert rows(html) == ["web-1", "web-2"]
    assert 'data-open="shop/web-2"' in drawer(html)
    assert "Open as a page" in drawer(html)
    assert 'href="/resources/pods/?q=web" data-drawer-close' in drawer(html)
    assert "beside=" in html[html.index("/live/?") :]


async def test_a_list_without_open_has_an_empty_drawer() -> None:
    html = await page(site(), "/resources/pods/")
    assert drawer(html).endswith(" hidden>")
    assert "beside=" not in html


async def test_the_drawer_can_be_had_alone() -> None:
    html = await page(site(), "/resources/pods/?open=shop/web-1", HX_Request="true", HX_Target="aside#drawer")
    assert html.startswith('<aside class="drawer"')
    assert "web-1" in html
    assert "<table" not in html


async def test_what_is_not_there_is_said_in_the_drawer_and_the_list_stays() -> None:
    html = await page(site(), "/resources/pods/?open=shop/none")
    assert "There is no Pod of this name" in words(drawer(html))
    assert rows(html) == ["web-1", "web-2"]


@pytest.mark.parametrize("open_", ["web-1", "shop/", "/web-1", "a/b/c", "-/web-1", "shop/" + "x" * 254])
async def test_nonsense_in_open_is_told_and_opens_nothing(open_: str) -> None:
    html = await page(site(), f"/resources/pods/?open={open_}")
    assert "cannot be opened. Write namespace/name" in words(html)
    assert drawer(html).endswith(" hidden>")
    assert rows(html) == ["web-1", "web-2"]


async def test_objects_without_namespace_are_opened_with_a_dash() -> None:
    html = await page(site(), "/resources/nodes/?open=-/node-1")
    assert 'data-open="-/node-1"' in drawer(html)
    assert "Write -/name" in words(await page(site(), "/resources/nodes/?open=shop/node-1"))


async def test_the_fields_by_path_that_the_list_shows_are_in_the_drawer_too() -> None:
    address = "/resources/pods/?columns=name,.spec.nodeName,.spec.nothing&open=shop/web-1"
    assert re.search(r"<dt[^>]*>\.spec\.nodeName</dt>\s*<dd[^>]*>node-1</dd>", drawer(await page(site(), address)))
    assert ">.spec" not in drawer(await page(site(), "/resources/pods/?open=shop/web-1"))


async def test_an_object_whose_name_looks_like_another_ones_and_a_path_is_not_shown_in_its_place() -> None:
    names = ("x y", "x y .spec")
    roles = [("nodes", made("Node", name, namespace="", metadata={"uid": f"uid-{name}"})) for name in names]
    shown = Site(namespace("shop"), *roles)
    assert '<h1 class="mono name">x y .spec</h1>' in await page(shown, "/resources/nodes/-/x%20y%20.spec/")
    beside = drawer(await page(shown, "/resources/nodes/?columns=name,.spec&open=-/x%20y"))
    assert '<h1 class="mono name">x y</h1>' in beside


async def test_what_the_socket_follows_is_what_the_drawer_shows() -> None:
    state, address = AttributeState(site().parts), "/resources/pods/?columns=name,.spec.nodeName&open=shop/web-1"
    beside, plain = open_drawer_view(state, address), open_drawer_view(state, "/resources/pods/?open=shop/web-1")
    assert beside is not None
    assert plain is not None
    assert beside.id != plain.id
    assert ".spec.nodeName" in [cell.header for cell in cast("LiveDetail", beside).cells]


LOGS = "/resources/pods/?q=web&open=shop/web-1&tab=logs"


def logs_site() -> LogsSite:
    return LogsSite(namespace("shop"), logging_pod("web-1"), logging_pod("web-2"))


async def test_the_logs_tab_shows_the_lines_and_leads_to_their_page() -> None:
    html = drawer(await logs_site().page(LOGS))
    assert 'data-open="shop/web-1" data-tab="logs"' in html
    assert "hello from web-1" in words(html)
    assert re.search(r'href="/resources/pods/shop/web-1/logs/"[^>]*>Open as a page<', html)
    assert re.search(r'href="/resources/pods/\?q=web&amp;open=shop/web-1" data-drawer-tab=""', html)
    assert 'href="/resources/pods/?q=web" data-drawer-close' in html


async def test_no_cache_keeps_what_has_lines() -> None:
    site = logs_site()
    for headers in ({}, {"HX_Request": "true", "HX_Target": "aside#drawer"}):
        await site.page(LOGS, **headers)
        assert (await site.client.get(LOGS, headers=headers))["Cache-Control"] == "no-store"
    assert "Cache-Control" not in await site.client.get(LOGS.replace("&tab=logs", ""))


async def test_the_tab_and_the_page_of_logs_share_a_view() -> None:
    site = logs_site()
    state = AttributeState(site.parts)
    beside = open_drawer_view(state, LOGS)
    assert isinstance(beside, LiveLogs)
    assert beside is open_live_view(state, "/resources/pods/shop/web-1/logs/")
    assert isinstance(open_drawer_view(state, LOGS.replace("&tab=logs", "")), LiveDetail)
    beside.close()


async def test_a_tab_that_does_not_exist_is_told_and_the_overview_opens() -> None:
    html = await page(site(), "/resources/pods/?open=shop/web-1&tab=yaml")
    assert "There is no tab 'yaml'. Write logs, or nothing." in words(html)
    assert 'data-open="shop/web-1" data-tab=""' in drawer(html)


async def test_logs_are_followed_while_their_tab_is_open_and_no_longer() -> None:
    site = logs_site()
    state, hub, clock = AttributeState(site.parts), site.parts.hub, site.clock
    browser = Browser(hub, clock)

    async def pass_time(seconds: int) -> None:
        for _ in range(seconds):
            await clock.advance(1)
            hub.tick()

    listed, logs = open_live_view(state, LOGS), open_drawer_view(state, LOGS)
    assert logs is not None
    hub.join(browser.socket, listed, path=LOGS, drawer_view=logs)
    await pass_time(3 * int(IDLE_SECONDS))
    assert [each.pod for each in site.streams.followed] == ["web-1"]
    hub.join(browser.socket, listed, path="/resources/pods/?q=web")
    await pass_time(int(IDLE_SECONDS) + 2)
    assert site.streams.followed == []
