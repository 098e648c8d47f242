"""Tests of the details and YAML pages as a browser gets them."""

from __future__ import annotations

import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.details.live_detail import open_detail
from informerd.cache.health import Health
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, small_site, words


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
