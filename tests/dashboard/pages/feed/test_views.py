"""Tests of the feed's page over HTTP."""

from __future__ import annotations

from tests.support.pages.small_site import page, small_site, words


async def test_a_feed_that_a_filter_leaves_empty_is_not_called_quiet() -> None:
    site = small_site()
    assert "Quiet so far" in words(await page(site, "/feed/?q=nothing-like-it"))
    site.feeder("pods").put(*site.feeder("pods").replica.rows.values())
    html = words(await page(site, "/feed/?q=nothing-like-it"))
    assert "nothing-like-it matches none of the last 3 changes" in html
    assert "Show all changes" in html
    assert "The chosen namespaces have none" in words(await page(site, "/feed/?ns=none"))
