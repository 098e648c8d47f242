"""Tests of the namespace choice: one, several, a thousand of them, and its form in an address."""

from __future__ import annotations

import gzip
import re

import pytest

from dashboard.pages.layout.namespaces import MAX_CHOICES
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, pod, small_site, words


def picker(html: str) -> str:
    found = re.search(r'<form class="pop-body picker".*?</form>', html, re.DOTALL)
    return found[0] if found else ""


def offered(html: str) -> list[str]:
    return re.findall(r'<li><input type="checkbox" name="namespace" value="([^"]*)"', picker(html))


async def test_each_namespace_is_a_link_and_a_box_and_what_else_the_address_says_is_kept() -> None:
    html = picker(await page(small_site(), "/resources/pods/?q=web&sort=-name&namespace=shop&page=2"))
    assert offered(html) == ["shop", "search"]
    assert 'value="shop" aria-label="shop too" checked>' in html
    assert '<a href="/resources/pods/?namespace=search&amp;q=web&amp;sort=-name">search</a>' in html
    assert '<input type="hidden" name="q" value="web">' in html
    assert '<input type="hidden" name="sort" value="-name">' in html
    assert '<a href="/resources/pods/?q=web&amp;sort=-name">all namespaces</a>' in html


async def test_the_form_without_scripts_asks_for_several() -> None:
    site = small_site()
    html = await page(site, "/resources/pods/?namespace=shop&namespace=search")
    assert "<b>search, shop</b>" in html
    assert html.count('<tr id="row-') == 3


async def test_of_a_thousand_the_page_has_a_hundred_the_chosen_ones_first() -> None:
    site = Site(*(namespace(f"team-{number:04}") for number in range(1000)))
    html = await page(site, "/resources/pods/?namespace=team-0999")
    assert len(offered(html)) == MAX_CHOICES
    assert offered(html)[0] == "team-0999"
    assert "900 more: type to find them" in words(picker(html))
    assert len(gzip.compress(picker(html).encode())) < 2_500
    answer = await site.client.get("/namespaces/")
    assert len(answer.json()["names"]) == 1000


@pytest.mark.parametrize("path", ["/", "/feed/", "/resources/pods/"])
async def test_the_chosen_namespaces_go_along_to_other_kinds_and_pages(path: str) -> None:
    html = await page(small_site(), f"{path}?namespace=shop,search")
    assert '<a href="/resources/deployments.apps/?namespace=search,shop"' in html.replace("shop,search", "search,shop")
    assert '<a href="/resources/nodes/"' in html
    assert '<a href="/?namespace=' in html
    assert '<a href="/feed/?namespace=' in html


async def test_a_kind_without_namespaces_offers_none() -> None:
    assert picker(await page(small_site(), "/resources/nodes/")) == ""


async def test_the_overview_says_which_namespace_does_not_exist_and_shows_the_others() -> None:
    site = small_site()
    html = await page(site, "/?namespace=shop,nope,-wrong-")
    assert "There is no namespace nope. Existing namespaces: search, shop." in words(html)
    assert "'-wrong-' cannot be the name of a namespace" in words(html)
    assert re.search(r'id="tile-pods".*?<span class="big">2</span>', html, re.DOTALL)


async def test_counts_of_a_namespace_are_those_of_its_list() -> None:
    site = Site(namespace("shop"), *(pod(f"web-{number}") for number in range(3)), pod("x", "search"))
    html = await page(site, "/?namespace=shop")
    assert re.search(
        r'href="/resources/pods/\?namespace=shop" id="tile-pods".*?<span class="big">3</span>', html, re.DOTALL
    )
