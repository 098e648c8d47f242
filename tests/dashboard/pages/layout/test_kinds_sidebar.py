"""Tests of the navigation: all kinds that discovery names, their order, and their counts."""

from __future__ import annotations

import gzip
import re

from django.template.loader import render_to_string

from dashboard.live.object_counts.messages import KindCount, ObjectCounts
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.layout.kinds_sidebar import KindFold, KindGroup, KindItem
from informerd.resource import Resource
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, pod

READ = frozenset({"list", "watch"})
NOON = 1_795_262_400.0


def custom(plural: str, group: str, count: int | None = None, at: float | None = None) -> KindCount:
    resource = Resource(group=group, version="v1", plural=plural, kind=plural[:-1].capitalize(), verbs=READ)
    return KindCount(resource, count, at)


def known(site: Site, *kinds: KindCount) -> Site:
    site.census.receive(ObjectCounts("1", kinds))
    return site


def side(html: str) -> str:
    return html[html.index('<div id="kinds"') : html.index('class="keys-hint"')]


def keys(html: str) -> list[str]:
    return re.findall(r'class="kind-line" data-kind="([^"]*)"', html)


def folded(html: str) -> list[str]:
    return [
        key for part in re.findall(r'<details class="rest".*?</details>', side(html), re.DOTALL) for key in keys(part)
    ]


def group(html: str, slug: str) -> str:
    found = re.search(rf'<section class="kinds[^"]*" data-group="{slug}"[^>]*>.*?</section>', side(html), re.DOTALL)
    assert found, slug
    return found[0]


def folds(html: str) -> list[str]:
    return re.findall(r'<span class="project">([^<]*)</span>', html)


def line(html: str, key: str) -> str:
    found = re.search(rf'<div class="kind-line" data-kind="{re.escape(key)}".*?</div>', html, re.DOTALL)
    assert found, key
    return found[0]


async def test_every_kind_that_discovery_names_is_there_once_followed_ones_first_the_rest_folded() -> None:
    site = known(Site(pod("a")), KindCount(KINDS["pods"].resource), KindCount(KINDS["jobs.batch"].resource, 4, NOON))
    html = await page(site, "/")
    assert sorted(keys(side(html))) == sorted([*(kind.key for kind in site.parts.kinds), "jobs.batch"])
    assert folded(html) == ["jobs.batch"]
    assert "<span>1 more</span>" in group(html, "workloads")
    assert ">1</span>" in line(html, "pods")


async def test_a_count_that_nobody_keeps_live_has_its_time_and_says_so() -> None:
    site = known(Site(), KindCount(KINDS["jobs.batch"].resource, 1204, NOON))
    job = line(await page(site, "/"), "jobs.batch")
    assert 'class="count dated" title="They are not watched' in job
    assert '>1,204</span><time datetime="2026-11-21T12:00:00Z" title="UTC">12:00</time>' in job


async def test_what_may_not_be_counted_is_a_dash_with_the_reason() -> None:
    site = known(Site(), KindCount(KINDS["jobs.batch"].resource, problem='jobs is forbidden: "you" may not'))
    job = line(await page(site, "/"), "jobs.batch")
    assert 'title="jobs is forbidden: &quot;you&quot; may not"' in job
    assert ">–</span>" in job


async def test_custom_resources_are_folded_by_project_and_api_group_in_the_order_of_their_names() -> None:
    gateways = custom("gateways", "gateway.networking.k8s.io")
    istio = [custom("policys", "security.istio.io"), custom("gateways", "networking.istio.io")]
    site = known(Site(), custom("rollouts", "example.org"), gateways, *istio)
    part = group(await page(site, "/"), "custom-resources")
    assert folds(part) == ["example.org", "Gateway API", "Istio"]
    assert re.findall("<h3>(.*?)</h3>", part) == ["networking.istio.io", "security.istio.io"]
    assert keys(part)[1:] == [
        "rollouts.example.org", "gateways.gateway.networking.k8s.io", "gateways.networking.istio.io",
        "policys.security.istio.io",
    ]  # fmt: skip


def test_a_fold_knows_its_followed_kinds_and_what_is_wrong_with_them() -> None:
    def item(key: str, wrong: int = 0, state: str = "") -> KindItem:
        return KindItem(key, key, "x", "/", 1, unhealthy_count=wrong, state=state)

    def rendered(fold: KindFold) -> str:
        page = {"groups": [KindGroup("Custom", (), (fold,))], "cluster": {}}
        return render_to_string("layout/_kinds.html", {"page": page})

    fold = KindFold("Argo CD", "argo-cd", (("", (item("a", 2, "live"), item("b"), item("c", 1, "stale"))),))
    assert (fold.unhealthy_count, fold.followed_keys) == (3, "a c")
    assert 'data-kinds="a c"' in rendered(fold)
    assert '<span class="count bad" title="3 wrong"><b>3</b>' in rendered(fold)
    well = rendered(KindFold("B", "b", (("", (item("b"),)),)))
    assert '<span class="count"><b>1</b>' in well
    assert "data-kinds" not in well


async def test_open_folds_and_pins_come_from_this_browsers_cookies_and_have_counts_kept() -> None:
    site = known(Site(), KindCount(KINDS["jobs.batch"].resource, 4, NOON), KindCount(KINDS["secrets"].resource))
    assert " open>" not in side(await page(site, "/"))
    assert site.census._announced_at < 0, "nobody sees a dated count"
    site.client.cookies["folds"] = "workloads_no-such-group"
    assert '<details class="rest" data-fold="workloads" open>' in group(await page(site, "/"), "workloads")
    assert site.census._announced_at >= 0
    site.client.cookies["pins"] = "jobs.batch_<script>"
    html = await page(site, "/")
    assert folded(html) == ["jobs.batch"]
    assert "data-pinned" in line(group(html, "workloads"), "jobs.batch")
    assert "data-pinned" in line(group(html, "favourites"), "jobs.batch")
    assert "<script>" not in side(html)


async def test_the_page_of_a_kind_that_is_taken_up_marks_it_at_the_top() -> None:
    site = known(Site(), custom("gadgets", "shop.example.com", 3, NOON))
    html = await page(site, "/resources/gadgets.shop.example.com/")
    assert 'aria-current="page"' in line(group(html, "recent"), "gadgets.shop.example.com")
    assert 'aria-current="page"' in line(group(html, "custom-resources"), "gadgets.shop.example.com")


async def test_favourites_and_recently_opened_kinds_are_at_the_top_and_in_their_groups() -> None:
    site = known(Site(), *(custom(f"widget{number}s", "example.com") for number in range(9)))
    assert keys(group(await page(site, "/"), "recent")) == []
    site.client.cookies["pins"] = "widget3s.example.com_pods_no-such-kind"
    site.client.cookies["recent"] = "nodes_widget3s.example.com_" + "_".join(
        f"widget{n}s.example.com" for n in range(8)
    )
    html = await page(site, "/")
    assert keys(group(html, "favourites")) == ["widget3s.example.com", "pods"]
    assert keys(group(html, "recent")) == [f"widget{n}s.example.com" for n in (0, 1, 2, 4, 5)]
    rest = side(html)[side(html).index("Workloads</h2>") :]
    assert sorted(keys(rest)) == sorted({*(kind.key for kind in site.parts.kinds), *site.census.counts_by_key})
    assert html.index("Favourites</h2>") < html.index("Recent</h2>") < html.index("Workloads</h2>")


async def test_kinds_of_one_name_are_told_apart_by_their_api_group() -> None:
    gateways = [custom("gateways", "networking.istio.io"), custom("gateways", "gateway.networking.k8s.io")]
    site = known(Site(), *gateways, custom("rollouts", "argoproj.io"))
    site.client.cookies["recent"] = "_".join([*(each.resource.key for each in gateways), "rollouts.argoproj.io"])
    part = group(await page(site, "/"), "recent")
    assert "Gateways <small>networking.<wbr>istio.<wbr>io</small>" in part
    assert "Gateways <small>gateway.<wbr>networking.<wbr>k8s.<wbr>io</small>" in part
    assert "Rollouts</span>" in part
    html = await page(site, "/resources/gateways.networking.istio.io/")
    assert "<title>Gateways (networking.istio.io) ·" in html
    assert '<h1>Gateways <small class="group">networking.istio.io</small> ' in html


async def test_the_page_of_all_kinds_has_their_names_and_needs_no_script() -> None:
    resource = Resource(
        group="argoproj.io", version="v1alpha1", plural="applications", kind="Application", short_names=("app", "apps"),
        categories=("all",), verbs=READ,
    )  # fmt: skip
    html = await page(known(Site(), KindCount(resource), custom("widgets", "example.com")), "/kinds/all/")
    assert 'id="argo-cd"' in html
    row = html[html.index('<a href="/resources/applications.argoproj.io/">Applications</a>') :][:300]
    assert '<td class="mono">app, apps</td><td class="mono">argoproj.io/v1alpha1</td>' in row
    assert "<td>Namespaced</td><td>all</td>" in row
    assert 'id="example.com"' in html


async def test_hundreds_of_kinds_are_a_page_of_moderate_size() -> None:
    site = known(
        Site(), *(custom(f"widget{number}s", f"group{number % 30}.example.com", 5, NOON) for number in range(300))
    )
    html = await page(site, "/")
    assert len(keys(html)) == len(site.parts.kinds), "the lines of folded projects are not in the page"
    assert html.count("Show them</a>") == 30
    assert len(gzip.compress(side(html).encode())) < 2_500
    whole = await page(site, "/kinds/?all=1")
    assert len(keys(whole)) == 300 + len(site.parts.kinds)
    assert len(gzip.compress(whole.encode())) < 12_000
    site.client.cookies["folds"] = "group7.example.com"
    assert folded(await page(site, "/")) == sorted(
        f"widget{number}s.group7.example.com" for number in range(7, 300, 30)
    )


async def test_dated_counts_are_asked_for_by_the_page_and_that_is_a_look() -> None:
    site = known(Site(), KindCount(KINDS["jobs.batch"].resource, 4, NOON))
    response = await site.client.get("/kinds/counts/")
    assert response.json()["counts"]["jobs.batch"][:2] == [4, NOON]
    assert response.json()["names"] == site.census.kinds_digest
    assert site.census._announced_at >= 0
    assert response["Cache-Control"] == "no-store"


async def test_the_navigation_alone_is_what_a_page_has() -> None:
    site = known(Site(), KindCount(KINDS["jobs.batch"].resource, 4, NOON))
    alone = await page(site, "/kinds/?key=pods")
    assert keys(alone) == keys(await page(site, "/resources/pods/"))
    assert f'data-names="{site.census.kinds_digest}"' in alone
    assert 'aria-current="page"' in line(alone, "pods")


async def test_the_navigation_alone_keeps_the_namespaces_that_its_page_has() -> None:
    alone = await page(Site(), "/kinds/?key=pods&namespace=shop,search")
    assert 'href="/resources/pods/?namespace=shop,search"' in alone
    assert 'href="/resources/nodes/"' in alone
