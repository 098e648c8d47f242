"""Tests of the moments of a process: their pages are those of the present then, they are bounded, and they end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.template.loader import render_to_string

from dashboard.live.moments.moments import MAX_MOMENTS, MOMENT_TTL, NOT_KEPT, Moment, Moments, TooManyMoments
from dashboard.live.moments.past_stand_ins import PastInterest
from dashboard.runtime.read_only import past_is_shown
from tests.support.live.recorded_objects import RecordedObjects
from tests.support.objects.rows import Json, made
from tests.support.pages.site_without_cluster import WATCHED, Site, WiredClient
from tests.support.wait import eventually

OBJECTS: list[tuple[str, Json]] = [
    ("namespaces", made("Namespace", "shop", namespace="")),
    ("nodes", made("Node", "node-1", namespace="")),
    ("pods", made("Pod", "web-1", namespace="shop", spec={"nodeName": "node-1"}, status={"phase": "Running"})),
    ("pods", made("Pod", "web-2", namespace="shop", status={"phase": "Failed"})),
    ("deployments.apps", made("Deployment", "web", namespace="shop", api_version="apps/v1")),
    ("secrets", made("Secret", "key", namespace="shop", data={"a": "Kioq"})),
]
PAGES = (
    "/", "/?namespace=shop", "/resources/pods/", "/resources/pods/?q=status%3DFailed&sort=-name",
    "/resources/pods/shop/web-1/", "/resources/pods/shop/web-1/yaml/", "/resources/nodes/-/node-1/",
    "/resources/deployments.apps/shop/web/", "/resources/pods/export.csv", "/search/?q=web", "/namespaces/",
)  # fmt: skip
PASSING = re.compile(
    r'seq=[0-9a-f]+-[0-9]+|data-seq="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|"X-CSRFToken": *"[^"]*"'
)


@asynccontextmanager
async def moments_of(site: Site, history: RecordedObjects) -> AsyncIterator[Moments]:
    moments = Moments(site.feeds, history, site.clock, lambda _at: render_to_string)
    running = asyncio.create_task(moments.run())
    await asyncio.sleep(0)
    try:
        yield moments
    finally:
        running.cancel()
        await asyncio.wait([running])
        assert len(moments) == 0


def client_at(site: Site, moment: Moment) -> WiredClient:
    past: dict[str, Any] = {
        "replicas": moment.replicas,
        "interest": PastInterest(moment.replicas, moment.hub, moment.clock),
        "clock": moment.clock,
    }
    parts = replace(site.parts, hub=moment.hub, **past)
    return WiredClient(parts)


async def content(client: WiredClient, path: str) -> str:
    response = await client.get(path)
    body = b"".join([each async for each in response]) if response.streaming else response.content  # type: ignore[attr-defined]
    assert response.status_code == 200, path
    return PASSING.sub("", body.decode())


async def read(moment: Moment) -> None:
    await eventually(lambda: all(replica.health.state != "syncing" for replica in moment.replicas))
    await eventually(lambda: len(moment.hub.index.slices) == 0)


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_of_the_past_is_the_page_that_the_present_was(path: str) -> None:
    site = Site(*OBJECTS, usage=NOT_KEPT)
    history = RecordedObjects(*OBJECTS)
    history.objects.update({key: [] for key in WATCHED if key not in history.objects})
    at = site.clock.time()
    with past_is_shown():  # nothing else differs
        before = await content(site.client, path)
    async with moments_of(site, history) as moments:
        site.clock.skip(3600)
        moment = moments.open(at)
        await read(moment)
        with past_is_shown():
            assert await content(client_at(site, moment), path) == before


async def test_all_who_look_at_a_moment_share_it() -> None:
    site = Site(*OBJECTS)
    async with moments_of(site, RecordedObjects(*OBJECTS)) as moments:
        assert moments.open(100.0) is moments.open(100.0)
        assert moments.open(100.5) is not moments.open(100.0)
        assert len(moments) == 2


async def test_the_moment_that_was_left_first_makes_room() -> None:
    site = Site(*OBJECTS)
    async with moments_of(site, RecordedObjects(*OBJECTS)) as moments:
        first = moments.open(1.0)
        for at in range(2, MAX_MOMENTS + 2):
            site.clock.skip(1)
            moments.open(float(at))
        assert len(moments) == MAX_MOMENTS
        assert moments.open(2.0) is not first
        await eventually(lambda: first.has_ended)


async def test_more_than_can_be_kept_are_refused_while_all_are_viewed(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(*OBJECTS)
    monkeypatch.setattr(Moment, "is_viewed", True)
    async with moments_of(site, RecordedObjects(*OBJECTS)) as moments:
        for at in range(MAX_MOMENTS):
            moments.open(float(at))
        with pytest.raises(TooManyMoments, match="Try again in a few minutes"):
            moments.open(99.0)
        assert len(moments) == MAX_MOMENTS


async def test_a_moment_ends_some_time_after_its_last_page() -> None:
    site = Site(*OBJECTS)
    async with moments_of(site, RecordedObjects(*OBJECTS)) as moments:
        moments.open(1.0)
        site.clock.skip(MOMENT_TTL - 1)
        moments.sweep()
        assert len(moments) == 1
        site.clock.skip(2)
        moments.sweep()
        assert len(moments) == 0
