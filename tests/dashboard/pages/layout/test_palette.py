"""Tests of the command palette's results: pages, kinds, namespaces and cached objects, and the text for the rest."""

from __future__ import annotations

import re

from dashboard.live.object_counts.messages import KindCount, ObjectCounts
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.layout.palette import MAX_OBJECTS
from tests.dashboard.pages.lists.test_views import namespace, page, pod, small_site, words
from tests.support.pages.site import Site


def hrefs(html: str) -> list[str]:
    return re.findall(r'role="option"[^>]* href="([^"]*)"', html)


async def test_with_nothing_typed_pages_and_kinds_are_offered_and_no_objects() -> None:
    html = await page(small_site(), "/search/")
    assert hrefs(html)[:7] == ["/", "/feed/", "/controllers/", "/drafts/", "/runs/", "/new/", "/resources/pods/"]
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


async def test_the_best_are_found_among_many_wherever_they_stand() -> None:
    many = [pod(f"{'x' * (number % 40)}web{number:04}") for number in range(1200)]
    site = Site(*many[:700], pod("web"), *many[700:], pod("a-web"), pod("Web-upper"))
    found = [href for href in hrefs(await page(site, "/search/?q=web")) if href.count("/") > 3]
    names = sorted(row[1]["metadata"]["name"].lower() for row in [*many, pod("web"), pod("a-web"), pod("web-upper")])
    best = sorted(names, key=lambda name: (0 if name == "web" else 1 if name.startswith("web") else 2, len(name), name))
    assert [href.split("/")[-2].lower() for href in found] == best[:MAX_OBJECTS]
