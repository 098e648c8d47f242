"""Tests of the frame of a page, and of its theme."""

from __future__ import annotations

from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, small_site


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
