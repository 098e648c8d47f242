"""Tests of the pages of kinds that nobody follows yet: opened, listed once, or refused."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.replication.messages import NOT_FOLLOWED, SnapshotChunk
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.catalog import KINDS, KindInfo
from dashboard.objects.kinds.row import PrinterColumn, Row, TableDefinition
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from informerd.cache.health import Health
from informerd.errors import UnknownResource
from informerd.resource import Resource
from tests.support.clock import run_ready_tasks
from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, pod, rows, small_site, words
from tests.support.wait import eventually

LEASES = Resource(
    group="coordination.k8s.io", version="v1", plural="leases", kind="Lease", verbs=frozenset({"list", "watch"})
)
GADGETS = Resource(
    group="shop.example.com", version="v2", plural="gadgets", kind="Gadget", short_names=("gg",), verbs=LEASES.verbs
)
WIDGETS = Resource(group="shop.example.com", version="v1", plural="widgets", kind="Widget", verbs=LEASES.verbs)
METRICS = Resource(
    group="metrics.k8s.io", version="v1beta1", plural="pods", kind="PodMetrics", verbs=frozenset({"list", "get"})
)
REVIEWS = Resource(
    group="authentication.k8s.io", version="v1", plural="tokenreviews", kind="TokenReview", verbs=frozenset({"create"})
)


class Known:
    """Discovery that knows a few resources."""

    async def resolve(self, name: str) -> Resource:
        for resource in (LEASES, GADGETS, WIDGETS, METRICS, REVIEWS):
            if name in (resource.key, *resource.short_names):
                return resource
        raise UnknownResource(name, ())


def knowing_site() -> Site:
    site = small_site()
    site.parts.discovery = Known()  # type: ignore[assignment]
    return site


async def test_a_kind_that_nobody_follows_yet_is_opened_in_its_loading_state_and_becomes_live() -> None:
    site = knowing_site()
    html = await page(site, "/resources/leases.coordination.k8s.io/")
    assert "Reading Leases" in words(html)
    assert "/live/?path=%2Fresources%2Fleases.coordination.k8s.io%2F&amp;view=" in html
    assert 'data-count="leases.coordination.k8s.io">–<' in html  # in the navigation
    health = Health(state="live", since=1.0, heard=2.0)
    lease = row_of(LEASES.key, made("Lease", "mine"))
    site.feeds.get(LEASES.key).receive_chunk(SnapshotChunk(LEASES.key, "5", 0, "5.1", 0, 1, health, rows=(lease,)))
    assert 'data-name="mine"' in await page(site, "/resources/leases.coordination.k8s.io/")


async def test_a_custom_kind_is_opened_by_any_of_its_names_as_discovery_knows_them() -> None:
    site = knowing_site()
    response = await site.client.get("/resources/gg/?q=a")
    assert response["Location"] == "/resources/gadgets.shop.example.com/?q=a"
    html = await page(site, response["Location"])
    assert "Reading Gadgets" in words(html)


GADGETS_KEY = GADGETS.key
SIZED = TableDefinition(True, (PrinterColumn("Size", "integer", ".spec.size"),))


@pytest.mark.parametrize("path", ["?sort=-size&q=size>3", "export.csv?sort=-size&q=size>3", "shop/one/"])
async def test_the_first_page_of_a_custom_kind_waits_for_its_columns_and_reads_its_address_by_them(path: str) -> None:
    site = knowing_site()
    site.feeds.described = None
    asking = asyncio.create_task(site.client.get(f"/resources/{GADGETS_KEY}/{path}"))
    await eventually(lambda: GADGETS_KEY in site.feeds)
    await run_ready_tasks()
    assert not asking.done()
    health = Health(state="live", since=1.0, heard=2.0)
    cells = {"one": 4, "two": 5, "three": 3}
    fed = tuple(
        msgspec.structs.replace(row_of(*pod(name)), cells=("shop", name, size, "Running", None))
        for name, size in cells.items()
    )
    site.feeds.get(GADGETS_KEY).receive_chunk(
        SnapshotChunk(GADGETS_KEY, "5", 0, "5.1", 0, 1, health, rows=fed, table=SIZED)
    )  # fmt: skip
    response = await asking
    assert response.status_code == 200
    if response.streaming:
        streamed: Any = response
        lines = b"".join([part async for part in streamed.streaming_content]).decode().splitlines()
        assert [line.split(",")[:3] for line in lines[1:]] == [["shop", "two", "5"], ["shop", "one", "4"]]
    elif path.startswith("?"):
        assert rows(response.content.decode()) == ["two", "one"]


async def test_a_custom_kind_that_nobody_describes_is_waited_for_once_and_two_seconds_at_most() -> None:
    site = knowing_site()
    site.feeds.described = None
    asking = asyncio.create_task(page(site, f"/resources/{WIDGETS.key}/?sort=-size"))
    await eventually(lambda: WIDGETS.key in site.feeds)
    await site.clock.advance(1.9)
    assert not asking.done()
    await site.clock.advance(0.2)
    assert "cannot be sorted by" in words(await asking)
    assert "Reading Widgets" in words(await page(site, f"/resources/{WIDGETS.key}/"))


async def test_a_custom_kind_that_may_not_be_read_is_not_waited_for() -> None:
    site = knowing_site()
    site.feeds.described = None
    asking = asyncio.create_task(page(site, f"/resources/{WIDGETS.key}/"))
    await eventually(lambda: WIDGETS.key in site.feeds)
    health = Health(state="forbidden", since=1.0, problem="no")
    site.feeds.get(WIDGETS.key).receive_chunk(SnapshotChunk(WIDGETS.key, "5", 0, "5.1", 0, 1, health))
    assert "may not be listed" in words(await asking)


async def test_a_kind_that_cannot_be_listed_says_why_there_is_no_list() -> None:
    html = await page(knowing_site(), f"/resources/{REVIEWS.key}/", 404)
    assert "cannot be listed" in words(html)
    assert f"supports only create for {REVIEWS.key}" in words(html)


async def test_a_kind_that_cannot_be_watched_is_shown_and_labelled_as_polled() -> None:
    site = knowing_site()
    await page(site, f"/resources/{METRICS.key}/")
    health = Health(state="live", since=1.0, heard=2.0, polled=30.0)
    site.feeds.get(METRICS.key).receive_chunk(SnapshotChunk(METRICS.key, "5", 0, "5.1", 0, 1, health))
    shown = words(await page(site, f"/resources/{METRICS.key}/"))
    assert "polled every 30 s" in shown
    assert "appears here within about 30 s of being created." in shown


async def test_a_kind_that_the_cluster_does_not_have_is_not_followed() -> None:
    site = knowing_site()
    html = await page(site, "/resources/rollouts.argoproj.io/", 404)
    assert "There is no such kind in this cluster" in words(html)
    assert site.interest.keys == ()


async def test_where_discovery_does_not_answer_the_worker_is_to_find_out() -> None:
    site = small_site()
    assert "Reading ConfigMaps" in words(await page(site, "/resources/configmaps/"))
    assert "Reading Rollouts" in words(await page(site, "/resources/rollouts.argoproj.io/"))


class OneObject:
    """An API server that has one ConfigMap, and lists it once."""

    def __init__(self, *names: str) -> None:
        self.names = names

    async def list(self, kind: KindInfo) -> KindList:
        rows = (row_of(kind.key, made("ConfigMap", name, namespace="shop")) for name in self.names)
        return KindList(100.0, tuple(rows), None)

    async def read(self, kind: KindInfo, namespace: str, name: str) -> tuple[Row | None, None]:
        known = (namespace, name) == ("shop", "new")
        return (row_of(kind.key, made("ConfigMap", name, namespace="shop")) if known else None), None


def crowded_site() -> Site:
    """A site in which no kind may be followed on demand any more."""
    site = small_site()
    reader = OneObject("settings")
    limits = OnDemandLimits(kinds=1)
    site.interest = Interest(site.feeds, site.parts.hub, site.clock, limits=limits, reader=lambda: reader)
    site.parts.interest = site.interest
    site.interest.follow(KINDS["leases.coordination.k8s.io"])
    return site


LISTED_ONCE = (
    "ConfigMaps: listed once, at 1970-01-01 00:01:40 UTC ; not live: 1 kinds are followed on demand already, "
    "which is the limit (DELTABOARD_ON_DEMAND_KINDS). List again"
)


async def test_a_kind_beyond_the_limit_is_listed_once_and_its_page_says_so_and_lists_again() -> None:
    site = crowded_site()
    html = await page(site, "/resources/configmaps/?q=set")
    assert LISTED_ONCE in words(html)
    assert '<a class="button push" href="/resources/configmaps/list-again/?q=set">List again</a>' in html
    assert 'data-open="shop/settings"' in html or ">settings<" in html
    again = await site.client.get("/resources/configmaps/list-again/?q=set")
    assert (again.status_code, again["Location"]) == (302, "/resources/configmaps/?q=set")
    assert site.interest.keys == ("leases.coordination.k8s.io",)


async def test_an_object_of_a_kind_beyond_the_limit_is_read_when_its_page_is_opened() -> None:
    site = crowded_site()
    html = words(await page(site, "/resources/configmaps/shop/new/"))
    assert "ConfigMaps: listed once, at 1970-01-01 00:01:40 UTC" in html
    assert "There is no ConfigMap old" in words(await page(site, "/resources/configmaps/shop/old/", 404))
    assert ">new<" in await page(site, "/resources/configmaps/?open=shop/new")


async def test_the_page_that_creates_an_object_follows_no_kind() -> None:
    site = crowded_site()
    response = await site.client.get("/resources/configmaps/new/")
    assert response.status_code == 503  # this site has no cluster to create in
    assert "configmaps" not in site.feeds


async def test_what_the_worker_refuses_and_nobody_can_list_is_said_in_its_words() -> None:
    site = small_site()
    await page(site, "/resources/configmaps/")
    limits = OnDemandLimits()
    health = Health(state="forbidden", since=1.0, problem=f"{NOT_FOLLOWED}: {limits.kinds_reached}")
    site.feeds.get("configmaps").receive_chunk(SnapshotChunk("configmaps", "5", 0, "5.1", 0, 1, health))
    html = words(await page(site, "/resources/configmaps/"))
    assert "ConfigMaps are not followed 100 kinds are followed on demand already" in html


async def test_kinds_on_demand_do_not_keep_a_process_from_being_ready_nor_show_in_the_overview() -> None:
    site = small_site()
    await page(site, "/resources/configmaps/")
    assert (await site.client.get("/readyz")).status_code == 200
    assert "ConfigMaps" not in words(await page(site, "/"))
