"""Tests of an object that the API server has before its watch has reported it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from informerd.errors import NotFound, Status
from informerd.rest.client import Client
from tests.support.objects.rows import row_of
from tests.support.pages.fake_log_streams import LogsSite
from tests.support.pages.small_site import namespace, page, pod, words

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
