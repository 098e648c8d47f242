"""Tests of the command palette's results: pages, kinds, namespaces and cached objects, and the text for the rest."""

from __future__ import annotations

import re

from dashboard.live.object_counts.messages import KindCount, ObjectCounts
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.layout.command_palette import MAX_OBJECTS
from informerd.resource import Resource
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, pod, small_site, words


def hrefs(html: str) -> list[str]:
    return re.findall(r'role="option"[^>]* href="([^"]*)"', html)


async def test_with_nothing_typed_pages_and_kinds_are_offered_and_no_objects() -> None:
    html = await page(small_site(), "/search/")
    pages = ["/", "/feed/", "/controllers/", "/whoami/", "/drafts/", "/runs/", "/new/", "/kinds/all/", "/status/"]
    assert hrefs(html)[:10] == [*pages, "/resources/pods/"]
    assert not [href for href in hrefs(html) if href.count("/") > 3]


async def test_new_objects_are_offered_by_the_name_of_their_kind() -> None:
    for typed in ("new pod", "pod"):
        assert "/resources/pods/new/" in hrefs(await page(small_site(), f"/search/?q={typed}"))


async def test_objects_of_all_cached_kinds_are_found_by_a_part_of_their_name_the_best_first() -> None:
    site = Site(namespace("web"), pod("my-web"), pod("web"), pod("web-1"))
    html = await page(site, "/search/?q=WEB")
    objects = [href for href in hrefs(html) if href.count("/") > 3]
    assert objects == [
        "/resources/namespaces/-/web/",
        "/resources/pods/shop/web/",
        "/resources/pods/shop/web-1/",
        "/resources/pods/shop/my-web/",
    ]
    assert "/resources/pods/?namespace=web" in hrefs(html)


async def test_it_says_that_only_cached_kinds_are_searched_and_which_are_not_read_yet() -> None:
    site = Site(pod("a"), silent=["nodes"], watched=["pods", "namespaces"])
    assert "Only objects of followed kinds are searched: Pods, Namespaces. Not read yet: Nodes." in words(
        await page(site, "/search/?q=a")
    )
    html = await page(site, "/search/?q=no-such-thing")
    assert hrefs(html) == []
    assert "Nothing matches." in words(html)


async def test_many_are_cut_and_markup_in_the_question_is_harmless() -> None:
    site = Site(*(pod(f"web-{number:03}") for number in range(400)))
    html = await page(site, "/search/?q=web")
    assert len([href for href in hrefs(html) if href.count("/") > 3]) == MAX_OBJECTS
    assert "type more to see others" in html
    assert "<script" not in await page(site, "/search/?q=<script>")


async def test_a_kind_that_nobody_follows_is_found_by_any_of_its_names_once_something_is_typed() -> None:
    site = small_site()
    site.census.receive(ObjectCounts("1", (KindCount(KINDS["services"].resource), KindCount(KINDS["pods"].resource))))
    assert "/resources/services/" in hrefs(await page(site, "/search/?q=svc"))
    assert hrefs(await page(site, "/search/?q=serv"))[0] == "/resources/services/"
    assert "/resources/services/" not in hrefs(await page(site, "/search/"))
    assert hrefs(await page(site, "/search/?q=pods")).count("/resources/pods/") == 1


def with_custom_kinds(site: Site) -> Site:
    described = (
        ("Application", "applications", "argoproj.io", ("app", "apps")),
        ("PipelineRun", "pipelineruns", "tekton.dev", ("pr", "prs")),
        ("Service", "services", "serving.knative.dev", ("kservice", "ksvc")),
        ("Gateway", "gateways", "networking.istio.io", ("gw",)),
        ("Gateway", "gateways", "gateway.networking.k8s.io", ("gtw",)),
    )
    found = [
        Resource(group=group, version="v1", plural=plural, kind=kind, short_names=short)
        for kind, plural, group, short in described
    ]
    resources = [*found, *(kind.resource for kind in KINDS.values())]
    site.census.receive(ObjectCounts("1", tuple(KindCount(resource) for resource in resources)))
    return site


async def test_a_short_name_of_discovery_comes_first_before_pages_and_names_that_begin_with_it() -> None:
    site = with_custom_kinds(small_site())
    for typed, first in (
        ("app", "applications.argoproj.io"),
        ("pr", "pipelineruns.tekton.dev"),
        ("ksvc", "services.serving.knative.dev"),
        ("no", "nodes"),
        ("svc", "services"),
    ):
        assert hrefs(await page(site, f"/search/?q={typed}"))[0] == f"/resources/{first}/", typed
    assert hrefs(await page(site, "/search/?q=d"))[0] == "/drafts/"
    assert hrefs(await page(site, "/search/?q=new app"))[0] == "/resources/applications.argoproj.io/new/"


async def test_kinds_of_one_name_are_told_apart_and_say_their_project() -> None:
    html = words(await page(with_custom_kinds(small_site()), "/search/?q=gateway"))
    assert "Gateways (networking.istio.io) Istio · gw" in html
    assert "Gateways (gateway.networking.k8s.io) Gateway API · gtw" in html
    assert "New Gateway (networking.istio.io)" in html
    services = words(await page(with_custom_kinds(small_site()), "/search/?q=services"))
    assert "Services kind · svc" in services
    assert "Services (serving.knative.dev) Knative · kservice, ksvc" in services


async def test_with_nothing_typed_favourites_and_recently_opened_kinds_come_before_the_followed_ones() -> None:
    site = with_custom_kinds(small_site())
    site.client.cookies["pins"] = "applications.argoproj.io"
    site.client.cookies["recent"] = "services_no-such-kind_pods"
    found = [href.split("/")[2] for href in hrefs(await page(site, "/search/")) if href.startswith("/resources/")]
    assert found[:3] == ["applications.argoproj.io", "services", "pods"]
    assert found.count("pods") == 1


async def test_the_best_are_found_among_many_wherever_they_stand() -> None:
    many = [pod(f"{'x' * (number % 40)}web{number:04}") for number in range(1200)]
    site = Site(*many[:700], pod("web"), *many[700:], pod("a-web"), pod("Web-upper"))
    found = [href for href in hrefs(await page(site, "/search/?q=web")) if href.count("/") > 3]
    names = sorted(row[1]["metadata"]["name"].lower() for row in [*many, pod("web"), pod("a-web"), pod("web-upper")])
    best = sorted(names, key=lambda name: (0 if name == "web" else 1 if name.startswith("web") else 2, len(name), name))
    assert [href.split("/")[-2].lower() for href in found] == best[:MAX_OBJECTS]
