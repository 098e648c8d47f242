"""Tests of the page for an unknown address."""

from __future__ import annotations

from tests.support.pages.small_site import page, small_site, words


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


async def test_the_page_of_what_was_deleted_leads_to_its_time_line() -> None:
    site = small_site()
    why = 'href="/why/pods/shop/web-1/"'
    assert "/why/" not in await page(site, "/resources/pods/shop/never/", 404)
    pods = site.feeder("pods")
    web = pods.replica.get("shop", "web-1")
    assert web is not None
    pods.drop(web.uid)
    for rest in ("", "logs/"):
        assert why in await page(site, f"/resources/pods/shop/web-1/{rest}", 404)
