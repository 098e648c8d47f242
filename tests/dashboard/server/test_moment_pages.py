"""Tests of pages of the past as a whole: links keep the moment, and what cannot be shown has a page that says so."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from django.urls import Resolver404, resolve

from dashboard.live.moments.at_parameter import PAST_PAGES, format_at
from tests.support.objects.rows import made
from tests.support.pages.site_with_history import site_with_history

POD = ("pods", made("Pod", "web", namespace="shop", status={"phase": "Running"}))
PAGES = (
    "/",
    "/feed/",
    "/resources/pods/",
    "/resources/pods/shop/web/",
    "/resources/pods/?open=shop/web",
    "/why/pods/shop/web/",
)


@pytest.mark.parametrize("path", PAGES)
async def test_each_link_of_a_page_keeps_the_moment_or_leads_to_a_page_of_the_present(path: str) -> None:
    async with site_with_history(POD) as past:
        at = format_at(past.site.clock.time() - 60)
        response = await past.get(f"{path}{'&' if '?' in path else '?'}at={at}")
        html = response.content.decode()
        assert response.status_code == 200
        assert f'data-live="past" data-at="{at}"' in html
        assert "<title>(past) " in html
        for link in re.findall(r'<a[^>]*\shref="(/[^"]*)"(?! data-now)', html):
            try:
                name = resolve(link.partition("?")[0]).url_name
            except Resolver404:
                continue
            assert ("at=" in link) == (name in PAST_PAGES), link
        assert set(re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', html)) <= {"/theme/"}
        assert "/logs/" not in html
        assert "/edit/" not in html.replace("/edit/?version=", "")  # but to restore a version


async def test_a_redirect_keeps_the_moment() -> None:
    async with site_with_history(POD) as past:
        at = format_at(past.site.clock.time() - 60)
        response = await past.get(f"/resources/pod/?q=web&at={at}")
        assert (response.status_code, unquote(response["Location"])) == (302, f"/resources/pods/?q=web&at={at}")


async def test_a_moment_that_cannot_be_shown_has_a_page_with_a_way_out() -> None:
    async with site_with_history(POD) as past:
        response = await past.get("/resources/pods/?at=yesterday")
        html = response.content.decode()
        assert (response.status_code, response["Cache-Control"]) == (400, "no-store")
        assert "is not a time" in html
        assert 'href="/resources/pods/"' in html
        assert "data-at" not in html


async def test_what_did_not_exist_then_is_said_in_the_past() -> None:
    async with site_with_history(POD) as past:
        at = format_at(past.site.clock.time() - 60)
        response = await past.get(f"/resources/pods/shop/db/?at={at}")
        assert response.status_code == 404
        html = response.content.decode()
        assert "The cluster had no Pod of this name in namespace shop then." in html
        assert "it appears here" not in html


async def test_a_page_of_the_present_is_not_touched() -> None:
    async with site_with_history(POD) as past:
        html = (await past.get("/resources/pods/")).content.decode()
        assert 'data-live="offline"' in html
        assert "data-at" not in html
        assert 'class="pop right time-control"' in html
    async with site_with_history(POD, is_kept=False) as past:
        assert "time-control" not in (await past.get("/resources/pods/")).content.decode()
