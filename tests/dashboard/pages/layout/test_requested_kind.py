"""Tests of an object that the API server has before its watch has reported it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from informerd.errors import NotFound, Status
from informerd.rest.client import Client
from tests.support.objects.rows import row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, pod, small_site, words

NEW = "/resources/pods/shop/new/"


def site_with_new_pod() -> Site:
    """Its API server has a pod `new`, which no replica has."""

    async def get(resource: Any, name: str, namespace: str, **_: Any) -> object:
        if (resource.plural, namespace, name) != ("pods", "shop", "new"):
            raise NotFound(Status(code=404, reason="NotFound", message="not found"))
        return object()

    site = small_site()
    site.parts.client = cast("Client", SimpleNamespace(get=get))
    return site


@pytest.mark.parametrize("rest", ["", "yaml/"])
async def test_its_page_waits_for_the_watch(rest: str) -> None:
    site = site_with_new_pod()
    request = asyncio.create_task(page(site, NEW + rest))
    await site.clock.advance(1.0)
    assert not request.done()
    site.feeder("pods").put(row_of(*pod("new")))
    await site.clock.advance(0.1)
    assert "There is no Pod" not in words(await request)


async def test_where_the_watch_is_too_late_the_page_does_not_say_that_it_does_not_exist() -> None:
    site = site_with_new_pod()
    request = asyncio.create_task(page(site, NEW, 503))
    while not request.done():
        await site.clock.advance(0.5)
    assert "Pod shop/new is new" in words(await request)


async def test_what_the_api_server_does_not_have_either_is_not_waited_for() -> None:
    assert "There is no Pod old in namespace shop" in words(
        await page(site_with_new_pod(), "/resources/pods/shop/old/", 404)
    )
