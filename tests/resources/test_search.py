"""What the command palette finds: pages, kinds, namespaces and cached objects, and what it says of the rest."""

from __future__ import annotations

import re

from dashboard.resources.search import MOST
from tests.resources.site import Site
from tests.resources.test_pages import namespace, page, pod, small_site, words


def hrefs(html: str) -> list[str]:
    return re.findall(r'role="option"[^>]* href="([^"]*)"', html)


async def test_with_nothing_typed_pages_and_kinds_are_offered_and_no_objects() -> None:
    html = await page(small_site(), "/search/")
    assert hrefs(html)[:4] == ["/", "/feed/", "/controllers/", "/resources/pods/"]
    assert not [href for href in hrefs(html) if href.count("/") > 3]


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
    assert "those that are cached. Not read yet: Nodes." in words(await page(site, "/search/?q=a"))
    html = await page(site, "/search/?q=no-such-thing")
    assert hrefs(html) == []
    assert "Nothing is called like that." in words(html)


async def test_many_are_cut_and_markup_in_the_question_is_harmless() -> None:
    site = Site(*(pod(f"web-{number:03}") for number in range(400)))
    html = await page(site, "/search/?q=web")
    assert len([href for href in hrefs(html) if href.count("/") > 3]) == MOST
    assert "type more to see others" in html
    assert "<script" not in await page(site, "/search/?q=<script>")
