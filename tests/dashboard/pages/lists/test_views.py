"""Tests of pages as a browser gets them: lists, details, YAML, and errors for wrong addresses."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from typing import Any

import msgspec
import pytest

from dashboard.live.hub.on_demand_kinds import Interest
from dashboard.live.replication.messages import NOT_FOLLOWED, SnapshotChunk
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.catalog import KINDS, KindInfo
from dashboard.objects.kinds.row import PrinterColumn, Row, TableDefinition
from dashboard.pages.details.live_detail import open_detail
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from informerd.cache.health import Health, State
from informerd.cache.reflector_failures import CREDENTIALS_REFUSED
from informerd.errors import UnknownResource
from informerd.resource import Resource
from tests.support.clock import run_ready_tasks
from tests.support.objects.rows import Json, made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.wait import eventually

EVIL = "<script>alert(1)</script>\" onmouseover='alert(2)"


def pod(name: str, namespace: str = "shop", **metadata: object) -> tuple[str, Json]:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return "pods", made("Pod", name, namespace=namespace, metadata=metadata, spec={"nodeName": "node-1"}, status=status)


def namespace(name: str) -> tuple[str, Json]:
    return "namespaces", made("Namespace", name, namespace="", status={"phase": "Active"})


def mydemo(name: str) -> tuple[str, Json]:
    spec = {"ip": "10.0.0.1", "port": 8080}
    return "mydemos.crddemo.k8s.io", made("Mydemo", name, api_version="crddemo.k8s.io/v1", spec=spec)


def small_site() -> Site:
    namespaces = [namespace(name) for name in ("shop", "search")]
    return Site(*namespaces, pod("web-1"), pod("web-2"), pod("db-1", "search"), mydemo("alpha"))


async def page(site: Site, path: str, status: int = 200, **headers: str) -> str:
    response = await site.client.get(path, headers=headers)
    assert response.status_code == status, path
    text: str = response.content.decode()
    return text


def words(html: str) -> str:
    """The page's text without its markup."""
    main = html[html.index("<main") :] if "<main" in html else html
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def rows(html: str) -> list[str]:
    return re.findall(r'<tr id="row-uid-[^"]*"[^>]*data-name="([^"]*)"', html)


async def test_a_list_shows_its_rows_in_order_with_namespace_name_and_version() -> None:
    html = await page(small_site(), "/resources/pods/")
    assert rows(html) == ["db-1", "web-1", "web-2"]
    assert re.search(r'<tr id="row-uid-shop-web-1"[^>]*data-namespace="shop"[^>]*data-name="web-1"', html)
    assert 'data-version="7"' in html
    assert '<body data-live="offline"' in html
    assert "/live/?path=%2Fresources%2Fpods%2F&amp;view=" in html


async def test_filter_namespace_sort_and_page_are_taken_from_the_address() -> None:
    site = small_site()
    assert rows(await page(site, "/resources/pods/?q=web&sort=-name")) == ["web-2", "web-1"]
    assert rows(await page(site, "/resources/pods/?namespace=search")) == ["db-1"]
    assert rows(await page(site, "/resources/pods/?ns=search")) == ["db-1"]
    assert rows(await page(site, "/resources/pods/?q=ns%3Dsearch")) == ["db-1"]


async def test_a_mistake_is_told_and_the_page_is_as_before() -> None:
    site = small_site()
    html = await page(site, "/resources/pods/?q=restarts%3Emany&sort=colour&page=none")
    assert rows(html) == ["db-1", "web-1", "web-2"]
    assert "Write a number after >" in words(html)
    assert "<mark>many</mark>" in html
    assert "Pods cannot be sorted by 'colour'" in words(html)
    assert "is not a page" in words(html)
    assert "Write a number" not in words(await page(site, "/resources/pods/"))


async def test_a_feed_that_a_filter_leaves_empty_is_not_called_quiet() -> None:
    site = small_site()
    assert "Quiet so far" in words(await page(site, "/feed/?q=nothing-like-it"))
    site.feeder("pods").put(*site.feeder("pods").replica.rows.values())
    html = words(await page(site, "/feed/?q=nothing-like-it"))
    assert "nothing-like-it matches none of the last 3 changes" in html
    assert "Show all changes" in html
    assert "The chosen namespaces have none" in words(await page(site, "/feed/?ns=none"))


async def test_a_namespace_that_has_none_is_named() -> None:
    site = small_site()
    site.feeder("namespaces").put(row_of("namespaces", made("Namespace", "newuser", namespace="")))
    html = words(await page(site, "/resources/pods/?namespace=newuser"))
    assert "No Pods in newuser" in html
    assert "Nothing matches" in words(await page(site, "/resources/pods/?namespace=newuser&q=x"))


async def test_a_form_to_an_unknown_address_is_told_that_there_is_no_page() -> None:
    site = small_site()
    site.client.handler.enforce_csrf_checks = True
    response = await site.client.post("/nope/", {"a": "1"})
    assert (response.status_code, "There is no page at /nope/" in words(response.content.decode())) == (404, True)


async def test_an_unknown_address_has_navigation_and_the_chosen_theme() -> None:
    site = small_site()
    site.client.cookies["theme"] = "dark"
    html = await page(site, "/nowhere/at/all/", 404)
    assert 'data-theme="dark"' in html
    assert "There is no page at /nowhere/at/all/" in words(html)
    assert 'href="/resources/pods/"' in html
    assert (await site.client.get("/feed")).headers["Location"] == "/feed/"


async def test_an_unknown_namespace_is_told_with_those_that_exist() -> None:
    site = small_site()
    html = await page(site, "/resources/pods/?namespace=shpo", 404)
    assert "There is no namespace shpo. Existing namespaces: search, shop." in words(html)
    html = await page(site, "/resources/pods/?namespace=shpo,shop")
    assert rows(html) == ["web-1", "web-2"]
    assert "There is no namespace shpo." in words(html)


@pytest.mark.parametrize("name", ["po", "pod", "Pod", "PODS", "pods.v1"])
async def test_other_names_of_a_kind_lead_to_its_address_with_the_query_kept(name: str) -> None:
    site = small_site()
    response = await site.client.get(f"/resources/{name}/?q=web&namespace=shop")
    assert response.status_code == 302
    assert response["Location"] == "/resources/pods/?q=web&namespace=shop"
    response = await site.client.get(f"/resources/{name}/shop/web-1/?x=1")
    assert response["Location"] == "/resources/pods/shop/web-1/?x=1"


async def test_an_unknown_kind_is_told_what_exists() -> None:
    html = await page(small_site(), "/resources/podz/", 404)
    assert "There is no such kind" in words(html)
    assert "Did you mean pods" in words(html)
    assert '"/live/?path=&amp;view=' in html
    assert '<a class="chip" href="/resources/mydemos.crddemo.k8s.io/">Mydemos</a>' in html


# --- kinds beyond those of the settings ---

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


async def test_an_unknown_object_is_told_what_is_like_it() -> None:
    site = small_site()
    html = words(await page(site, "/resources/pods/shop/web-3/", 404))
    assert "There is no Pod web-3 in namespace shop" in html
    assert "shop/web-1 shop/web-2" in html
    assert "There is no namespace shpo either" in words(await page(site, "/resources/pods/shpo/web-1/", 404))
    assert "are namespaced" in words(await page(site, "/resources/pods/-/web-1/", 404))
    assert "are not namespaced" in words(await page(site, "/resources/namespaces/x/shop/", 404))
    assert "There is no Pod web-3" in words(await page(site, "/resources/pods/shop/web-3/yaml/", 404))


async def test_the_page_of_an_unknown_object_follows_it_where_there_can_be_one() -> None:
    site = small_site()
    for path in ("/resources/pods/shop/web-3/", "/resources/pods/shop/web-3/yaml/"):
        html = await page(site, path, 404, accept="text/html")
        assert "If one is created, it appears here." in html
        view = open_detail(site.parts.hub, KINDS["pods"], "shop", "web-3")
        assert f'id="detail-{view.id}" data-view="{view.id}" data-seq="{view.seq}"' in html
    html = await page(site, "/resources/pods/-/web-1/", 404)
    assert "data-view" not in html
    assert "appears here" not in html


async def test_an_object_that_was_deleted_a_moment_ago_is_remembered() -> None:
    site = small_site()
    site.feeder("pods").drop("uid-shop-web-1")
    await site.clock.advance(75)
    html = words(await page(site, "/resources/pods/shop/web-1/", 404))
    assert "It was deleted 1 min 15 s ago" in html


@pytest.mark.parametrize("path", ["/resources/pods/", "/resources/pods/shop/web-1/", "/", "/feed/"])
async def test_pages_open_before_anything_has_been_heard(path: str) -> None:
    site = Site(silent=("pods",))
    html = words(await page(site, path))
    assert "There is no Pod" not in html
    assert ("Reading Pods" in html) == path.startswith("/resources/")
    response = await site.client.get("/readyz")
    assert response.status_code == 503
    assert b"pods" in response.content


@pytest.mark.parametrize("state", ["starting", "syncing", "unreachable", "forbidden"])
async def test_nothing_is_called_missing_while_the_cluster_has_not_said_so(state: State) -> None:
    site = small_site()
    site.feeder("pods").beat(Health(state=state, since=0.0, problem="the API server does not answer"))
    html = words(await page(site, "/resources/pods/shop/web-9/"))
    assert "Pods cannot be read the API server does not answer" in html
    assert rows(await page(site, "/resources/pods/")) == ["db-1", "web-1", "web-2"]


async def test_a_list_that_no_cluster_can_fill_says_why_instead_of_reading() -> None:
    site = Site(silent=("pods",))
    site.parts.hub.connection_problem = lambda: "the kubeconfig is broken."
    html = words(await page(site, "/resources/pods/"))
    assert "Pods cannot be read the kubeconfig is broken." in html
    assert "Reading Pods" not in html
    assert "Cannot be known Pods cannot be read." in words(await page(site, "/"))


async def test_refused_credentials_are_not_taken_for_missing_rights() -> None:
    site = Site()
    site.feeder("pods").beat(Health(state="forbidden", since=0.0, problem=f"{CREDENTIALS_REFUSED}: Unauthorized"))
    html = words(await page(site, "/resources/pods/"))
    assert "does not accept the credentials: Unauthorized" in html
    assert "Ask for the verbs" not in html


@pytest.mark.parametrize("query", ["", "?download"])
async def test_the_text_of_an_object_is_not_called_missing_while_its_kind_is_being_read(query: str) -> None:
    site = small_site()
    site.feeder("pods").beat(Health(state="unreachable", since=0.0, problem="the API server does not answer"))
    response = await site.client.get(f"/resources/pods/shop/web-9/yaml/{query}")
    assert (response.status_code, response["Content-Type"]) == (503, "text/plain; charset=utf-8")
    assert response.content.decode().startswith("Pods have not been read yet")
    assert response.content.decode().endswith("the API server does not answer\n")
    assert int(response["Retry-After"]) > 0
    assert "Content-Disposition" not in response
    response = await Site(silent=("pods",)).client.get(f"/resources/pods/shop/web-1/yaml/{query}")
    assert response.status_code == 503
    response = await site.client.get(f"/resources/pods/shop/web-1/yaml/{query}")
    assert response.status_code == 200


async def test_a_kind_that_the_api_server_lacks_says_so() -> None:
    site = Site()
    site.feeder("mydemos").beat(Health(state="absent", since=0.0))
    html = words(await page(site, "/resources/mydemos.crddemo.k8s.io/"))
    assert "The API server has no Mydemos yet" in html
    await page(site, "/resources/mydemos.crddemo.k8s.io/shop/alpha/", 404)


async def test_details_of_an_object_that_belongs_to_no_namespace_have_a_dash_in_their_address() -> None:
    html = words(await page(small_site(), "/resources/namespaces/-/shop/"))
    assert "shop" in html
    assert "Active, created" in html


async def test_yaml_is_text_unless_a_browser_asks() -> None:
    site = small_site()
    path = "/resources/mydemos.crddemo.k8s.io/shop/alpha/yaml/"
    response = await site.client.get(path)
    assert response["Content-Type"] == "text/yaml; charset=utf-8"
    assert response.content.decode().startswith("apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata:\n")
    assert "Accept" in response["Vary"]
    assert "<h1>YAML of" in await page(site, path, accept="text/html,*/*")
    response = await site.client.get(f"{path}?download", headers={"accept": "text/html"})
    assert response["Content-Disposition"] == 'attachment; filename="mydemo-alpha.yaml"'


async def test_the_last_state_of_a_deleted_object_can_be_downloaded_while_a_page_shows_it() -> None:
    items = list(range(20_000))
    site = Site(("mydemos.crddemo.k8s.io", made("Mydemo", "alpha", spec={"items": items})))
    path = "/resources/mydemos.crddemo.k8s.io/shop/alpha/yaml/"
    view = open_detail(site.parts.hub, KINDS["mydemos.crddemo.k8s.io"], "shop", "alpha")
    site.feeder("mydemos").drop("uid-shop-alpha")
    assert view.gone_since
    assert view.download_href == f"{path}?download"
    response = await site.client.get(view.download_href)
    assert (response.status_code, response["Content-Type"]) == (200, "text/yaml; charset=utf-8")
    assert "- 19999\n" in response.content.decode()
    assert (await site.client.get(path)).status_code == 404
    assert (await small_site().client.get(view.download_href.replace("alpha", "beta"))).status_code == 404


async def test_a_filter_gets_the_list_only_and_caches_keep_both_apart() -> None:
    site = small_site()
    headers = {"HX-Request": "true", "HX-Target": "section#list"}
    response = await site.client.get("/resources/pods/?q=web", headers=headers)
    assert "<html" not in response.content.decode()
    assert rows(response.content.decode()) == ["web-1", "web-2"]
    assert {"HX-Request", "HX-Target"} <= {name.strip() for name in response["Vary"].split(",")}


async def test_what_the_cluster_says_is_text_and_nothing_else() -> None:
    labels = {"app": EVIL}
    about = {"kind": "Pod", "name": "web-1", "namespace": "shop"}
    event = made("Event", "e", involvedObject=about, type="Warning", reason=EVIL, message=EVIL, count=2)
    site = Site(namespace("shop"), pod("web-1", labels=labels, annotations={EVIL: EVIL}), ("events", event))
    changed = row_of(*pod("web-1", labels=labels, annotations={EVIL: EVIL + "x"}))
    site.feeder("pods").put(changed, words=f"metadata.annotations {EVIL} → {EVIL}")
    paths = (
        "/",
        "/feed/",
        "/resources/pods/",
        "/resources/pods/shop/web-1/",
        "/resources/events/",
        "/resources/events/shop/e/",
    )
    query = "?q=%3Cscript%3Ealert(1)%3C/script%3E&sort=%3Cscript%3Ealert(1)&namespace=%3Cscript%3E"
    wrong = (f"/resources/pods/{query}", f"/feed/{query}")
    for path in (*paths, *wrong):
        html = await page(site, path)
        assert "<script>alert" not in html, path
        assert "onmouseover='alert" not in html, path
    for path in ("/resources/%3Cscript%3Ealert(1)/", "/resources/pods/shop/%3Cscript%3Ealert(1)/"):
        html = await page(site, path, 404)
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert(1)" in html


async def test_secrets_keep_their_values() -> None:
    last = '{"data":{"password":"aHVudGVyMg=="},"stringData":{"pin":"hunter2"}}'
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": last}
    secret = made(
        "Secret", "login", type="Opaque", data={"password": "aHVudGVyMg=="}, metadata={"annotations": annotations}
    )
    site = Site(namespace("shop"), ("secrets", secret))
    changed = made("Secret", "login", type="Opaque", data={"password": "aHVudGVyMw==", "pin": "aHVudGVyNA=="})
    site.feeder("secrets").put(row_of("secrets", changed))
    for path in (
        "/",
        "/feed/",
        "/resources/secrets/",
        "/resources/secrets/shop/login/",
        "/resources/secrets/shop/login/yaml/",
    ):
        html = await page(site, path)
        assert "aHVudGVy" not in html
        assert "hunter2" not in html
    assert "password" in html
    assert rows(await page(site, "/resources/secrets/?q=.data.password%3DaHVudGVyMw%3D%3D")) == []


@pytest.mark.parametrize("part", ["", "login/", "login/yaml/", "login/?download"])
async def test_no_browser_stores_a_page_of_a_secret(part: str) -> None:
    site = Site(
        namespace("shop"), pod("login"), ("secrets", made("Secret", "login", type="Opaque", data={"a": "eA=="}))
    )
    for kind, header in (("secrets", "no-store"), ("pods", None)):
        where = f"/resources/{kind}/" + (f"shop/{part}" if part else "")
        for headers in ({}, {"HX-Request": "true"}):
            response = await site.client.get(where, headers=headers)
            assert response.status_code == 200, where
            assert response.headers.get("Cache-Control") == header, where


async def test_an_object_that_cannot_be_read_is_not_said_to_be_missing() -> None:
    site = small_site()
    named = (("shop/deep", "it is nested too deeply"),)
    site.feeder("pods").beat(Health("live", 0.0, unreadable=1, unreadable_objects=named))
    assert "1 of the Pods exists but cannot be read, and is not in this list: shop/deep" in words(
        await page(site, "/resources/pods/")
    )
    shown = words(await page(site, "/resources/pods/shop/deep/", 404))
    assert "Pod deep in namespace shop cannot be read" in shown
    assert "it is nested too deeply" in shown
    assert "There is no Pod" not in shown


async def test_only_reading_is_allowed() -> None:
    site = small_site()
    for path in ("/", "/feed/", "/resources/pods/", "/resources/pods/shop/web-1/", "/healthz"):
        assert (await site.client.post(path)).status_code == 405
        assert (await site.client.head(path)).status_code == 200


async def test_machines_get_plain_answers() -> None:
    site = small_site()
    for path in ("/healthz", "/readyz"):
        response = await site.client.get(path)
        assert response.content == b"ok\n"
        assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("state", ["unreachable", "forbidden", "absent", "stale"])
async def test_a_cluster_that_does_not_answer_takes_no_process_out_of_rotation(state: State) -> None:
    site = small_site()
    for kind in site.feeds.kinds:
        site.feeder(kind.key).beat(Health(state=state, since=0.0, problem="the API server does not answer"))
    assert (await site.client.get("/readyz")).status_code == 200


async def test_a_process_whose_own_worker_cannot_begin_serves_the_pages_that_say_so() -> None:
    site = Site(silent=("pods", "nodes"))
    assert (await site.client.get("/readyz")).status_code == 503
    site.parts.cannot_watch, site.parts.problem = True, "kubeconfig: line 2: not YAML."
    assert (await site.client.get("/readyz")).status_code == 200
    assert "kubeconfig: line 2: not YAML." in await page(site, "/")


async def test_the_theme_is_kept_in_a_cookie_that_pages_obey() -> None:
    site = small_site()
    response = await site.client.post("/theme/", {"theme": "dark", "next": "/feed/"})
    assert (response.status_code, response["Location"]) == (303, "/feed/")
    assert 'data-theme="dark"' in await page(site, "/feed/")
    response = await site.client.post("/theme/", {"theme": "<b>", "next": "https://elsewhere.example/"})
    assert response["Location"] == "/"
    assert 'data-theme="dark"' in await page(site, "/")


async def test_the_frame_of_a_page_names_the_cluster_and_counts_kinds() -> None:
    html = await page(small_site(), "/resources/pods/?q=web")
    assert 'data-count="pods">3<' in html
    assert "a test says so" in html
    assert 'href="/resources/pods/?namespace=shop&amp;q=web"' in html
    silent = await page(Site(silent=("pods",)), "/resources/pods/")
    assert 'data-count="pods">–<' in silent
