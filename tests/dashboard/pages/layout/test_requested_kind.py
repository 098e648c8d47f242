"""Tests of addresses of objects: of one that the watch has not reported yet, and of one that lacks the dash."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.access.rights import Rights, Rule
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.layout.requested_kind import wait_until_reported
from dashboard.server.live_view_routing import open_live_view
from informerd.cache.health import Health
from informerd.errors import NotFound, Status
from informerd.rest.client import Client
from tests.support.objects.rows import made, row_of
from tests.support.pages.app_state import AttributeState
from tests.support.pages.fake_log_streams import LogsSite
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, pod, small_site, words

LOGS = "/resources/pods/shop/new/logs/"


def site_with_new_pod() -> LogsSite:
    """Its API server has a pod `new`, which no replica has."""

    async def get(resource: Any, name: str, where: str, **_: Any) -> object:
        if (resource.plural, where, name) != ("pods", "shop", "new"):
            raise NotFound(Status(code=404, reason="NotFound", message="not found"))
        return object()

    site = LogsSite(pod("web-1"), namespace("shop"))
    site.parts.client = cast("Client", SimpleNamespace(get=get))
    return site


async def test_the_page_of_its_logs_waits_for_the_watch() -> None:
    site = site_with_new_pod()
    request = asyncio.create_task(page(site, LOGS))
    await site.clock.advance(1.0)
    assert not request.done()
    site.feeder("pods").put(row_of(*pod("new")))
    while not request.done():
        await site.clock.advance(0.1)
    assert "There is no Pod" not in words(await request)


async def test_where_the_watch_is_too_late_the_page_is_that_of_what_does_not_exist() -> None:
    site = site_with_new_pod()
    request = asyncio.create_task(page(site, LOGS, 404))
    while not request.done():
        await site.clock.advance(0.5)
    assert "There is no Pod new in namespace shop" in words(await request)


async def test_what_the_api_server_does_not_have_either_is_not_waited_for() -> None:
    assert "There is no Pod old in namespace shop" in words(
        await page(site_with_new_pod(), "/resources/pods/shop/old/logs/", 404)
    )


class AskedClient:
    """Notes what it is asked for, and has everything."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    async def get(self, _: Any, name: str, where: str, **__: Any) -> object:
        self.asked.append((where, name))
        return object()


def site_that_may_wait(*, silent: tuple[str, ...] = ()) -> tuple[Site, AskedClient]:
    site, client = Site(*([] if silent else [pod("web-1")]), silent=silent), AskedClient()
    site.parts.client = cast("Client", client)
    return site, client


async def asked_for(site: Site, client: AskedClient, kind: str, where: str, name: str) -> list[tuple[str, str]]:
    """What the API server is asked for on behalf of a page, which waits only where that is something."""
    waiting = asyncio.create_task(wait_until_reported(AttributeState(site.parts), KINDS[kind], where, name))
    await site.clock.advance(0.01)
    assert waiting.done() is not bool(client.asked)
    await site.clock.advance(2.0)
    await waiting
    return client.asked


async def test_an_object_that_the_watch_may_not_have_reported_is_asked_for() -> None:
    site, client = site_that_may_wait()
    assert await asked_for(site, client, "pods", "shop", "new") == [("shop", "new")]


async def test_without_a_connection_nothing_is_waited_for() -> None:
    site, client = site_that_may_wait()
    site.parts.client = None
    assert await asked_for(site, client, "pods", "shop", "new") == []


async def test_before_its_kind_is_listed_an_object_is_not_waited_for() -> None:
    assert await asked_for(*site_that_may_wait(silent=("pods",)), "pods", "shop", "new") == []


@pytest.mark.parametrize(("kind", "where"), [("pods", ""), ("nodes", "shop")])
async def test_an_address_that_no_object_of_its_kind_can_have_is_not_waited_for(kind: str, where: str) -> None:
    assert await asked_for(*site_that_may_wait(), kind, where, "new") == []


async def test_what_somebody_may_not_see_is_told_by_no_time_either() -> None:
    site, client = site_that_may_wait()
    may_list = Rule(frozenset({"list"}), frozenset({""}), frozenset({"pods"}))
    cast("Any", site.parts).rights = Rights([], {"search": [may_list]})
    assert await asked_for(site, client, "pods", "shop", "new") == []
    assert await asked_for(site, client, "pods", "search", "new") == [("search", "new")]


async def test_what_is_known_is_not_asked_for() -> None:
    assert await asked_for(*site_that_may_wait(), "pods", "shop", "web-1") == []


async def test_what_cannot_be_read_is_not_waited_for() -> None:
    site, client = site_that_may_wait()
    site.feeder("pods").beat(
        Health(state="live", since=0.0, unreadable_objects=(("shop/new", "its labels are no text"),))
    )
    assert await asked_for(site, client, "pods", "shop", "new") == []


@pytest.mark.parametrize("room", ["resources", "why"])
async def test_an_address_that_lacks_the_dash_of_a_kind_without_namespaces_leads_to_the_one_with_it(room: str) -> None:
    client = Site(("nodes", made("Node", "worker.5", namespace=""))).client
    for kind in ("nodes", "node", "no"):
        response = await client.get(f"/{room}/{kind}/worker.5/?tab=a&x=%26")
        assert (response.status_code, response["Location"]) == (302, f"/{room}/nodes/-/worker.5/?tab=a&x=%26")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("nodes/nope/", "There is no Node nope", id="no such object"),
        pytest.param("gadgets/nope/", "There is no kind 'gadgets'", id="no such kind"),
        pytest.param("pods/web-1/", "Pods are namespaced", id="a kind with namespaces"),
    ],
)
@pytest.mark.parametrize("room", ["resources", "why"])
async def test_an_address_without_dash_and_object_says_what_is_missing(room: str, path: str, said: str) -> None:
    assert said in words(await page(small_site(), f"/{room}/{path}", 404))


async def test_whoever_sees_a_part_is_led_to_what_they_may_get_by_its_name() -> None:
    site = small_site()
    cast("Any", site.parts).rights = Rights([])
    response = await site.client.get("/resources/nodes/worker-9/")
    assert (response.status_code, response["Location"]) == (302, "/resources/nodes/-/worker-9/")


async def test_a_page_that_says_what_is_missing_shows_it_once_it_is_there_whatever_the_address() -> None:
    state = AttributeState(small_site().parts)
    dashed, plain = (open_live_view(state, path) for path in ("/resources/nodes/-/nope/", "/resources/nodes/nope/"))
    assert dashed is plain is not None
