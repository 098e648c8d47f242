"""Tests of list pages as a browser gets them: rows, addresses, empty lists, and errors for wrong ones."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dashboard.access.rights import Rights, Rule
from informerd.cache.health import Health, State
from informerd.cache.reflector_failures import CREDENTIALS_REFUSED
from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, rows, small_site, words


async def test_a_list_shows_its_rows_in_order_with_namespace_name_and_version() -> None:
    html = await page(small_site(), "/resources/pods/")
    assert rows(html) == ["db-1", "web-1", "web-2"]
    assert re.search(r'<tr id="row-uid-shop-web-1"[^>]*data-namespace="shop"[^>]*data-name="web-1"', html)
    assert 'data-version="7"' in html
    assert '<body data-live="offline"' in html
    assert "/live/?path=%2Fresources%2Fpods%2F&amp;view=" in html


async def test_filter_namespace_sort_and_page_are_taken_from_the_address() -> None:
    site = small_site()
    assert rows(await page(site, "/resources/pods/?q=web&sort=-name")) == ["web-2", "web-1"]
    assert rows(await page(site, "/resources/pods/?namespace=search")) == ["db-1"]
    assert rows(await page(site, "/resources/pods/?ns=search")) == ["db-1"]
    assert rows(await page(site, "/resources/pods/?q=ns%3Dsearch")) == ["db-1"]


async def test_a_mistake_is_told_and_the_page_is_as_before() -> None:
    site = small_site()
    html = await page(site, "/resources/pods/?q=restarts%3Emany&sort=colour&page=none")
    assert rows(html) == ["db-1", "web-1", "web-2"]
    assert "Write a number after >" in words(html)
    assert "<mark>many</mark>" in html
    assert "Pods cannot be sorted by 'colour'" in words(html)
    assert "is not a page" in words(html)
    assert "Write a number" not in words(await page(site, "/resources/pods/"))


async def test_a_namespace_that_has_none_is_named() -> None:
    site = small_site()
    site.feeder("namespaces").put(row_of("namespaces", made("Namespace", "newuser", namespace="")))
    html = words(await page(site, "/resources/pods/?namespace=newuser"))
    assert "No Pods in newuser" in html
    assert "Nothing matches" in words(await page(site, "/resources/pods/?namespace=newuser&q=x"))


async def test_an_unknown_namespace_is_told_with_those_that_exist() -> None:
    site = small_site()
    html = await page(site, "/resources/pods/?namespace=shpo", 404)
    assert "There is no namespace shpo. Existing namespaces: search, shop." in words(html)
    html = await page(site, "/resources/pods/?namespace=shpo,shop")
    assert rows(html) == ["web-1", "web-2"]
    assert "There is no namespace shpo." in words(html)


@pytest.mark.parametrize("name", ["po", "pod", "Pod", "PODS", "pods.v1"])
async def test_other_names_of_a_kind_lead_to_its_address_with_the_query_kept(name: str) -> None:
    site = small_site()
    response = await site.client.get(f"/resources/{name}/?q=web&namespace=shop")
    assert response.status_code == 302
    assert response["Location"] == "/resources/pods/?q=web&namespace=shop"
    response = await site.client.get(f"/resources/{name}/shop/web-1/?x=1")
    assert response["Location"] == "/resources/pods/shop/web-1/?x=1"


async def test_an_unknown_kind_is_told_what_exists() -> None:
    html = await page(small_site(), "/resources/podz/", 404)
    assert "There is no such kind" in words(html)
    assert "Did you mean pods" in words(html)
    assert '"/live/?path=&amp;view=' in html
    assert '<a class="chip" href="/resources/mydemos.crddemo.k8s.io/">Mydemos</a>' in html


@pytest.mark.parametrize("path", ["/resources/pods/", "/resources/pods/shop/web-1/", "/", "/feed/"])
async def test_pages_open_before_anything_has_been_heard(path: str) -> None:
    site = Site(silent=("pods",))
    html = words(await page(site, path))
    assert "There is no Pod" not in html
    assert ("Reading Pods" in html) == path.startswith("/resources/")
    response = await site.client.get("/readyz")
    assert response.status_code == 503
    assert b"pods" in response.content


@pytest.mark.parametrize("state", ["starting", "syncing", "unreachable", "forbidden"])
async def test_nothing_is_called_missing_while_the_cluster_has_not_said_so(state: State) -> None:
    site = small_site()
    site.feeder("pods").beat(Health(state=state, since=0.0, problem="the API server does not answer"))
    html = words(await page(site, "/resources/pods/shop/web-9/"))
    assert "Pods cannot be read the API server does not answer" in html
    assert rows(await page(site, "/resources/pods/")) == ["db-1", "web-1", "web-2"]


async def test_a_list_that_no_cluster_can_fill_says_why_instead_of_reading() -> None:
    site = Site(silent=("pods",))
    site.parts.hub.connection_problem = lambda: "the kubeconfig is broken."
    html = words(await page(site, "/resources/pods/"))
    assert "Pods cannot be read the kubeconfig is broken." in html
    assert "Reading Pods" not in html
    assert "Cannot be known Pods cannot be read." in words(await page(site, "/"))


async def test_refused_credentials_are_not_taken_for_missing_rights() -> None:
    site = Site()
    site.feeder("pods").beat(Health(state="forbidden", since=0.0, problem=f"{CREDENTIALS_REFUSED}: Unauthorized"))
    html = words(await page(site, "/resources/pods/"))
    assert "does not accept the credentials: Unauthorized" in html
    assert "Ask for the verbs" not in html


async def test_a_kind_that_the_api_server_lacks_says_so() -> None:
    site = Site()
    site.feeder("mydemos").beat(Health(state="absent", since=0.0))
    html = words(await page(site, "/resources/mydemos.crddemo.k8s.io/"))
    assert "The API server has no Mydemos yet" in html
    await page(site, "/resources/mydemos.crddemo.k8s.io/shop/alpha/", 404)


async def test_a_filter_gets_the_list_only_and_caches_keep_both_apart() -> None:
    site = small_site()
    headers = {"HX-Request": "true", "HX-Target": "section#list"}
    response = await site.client.get("/resources/pods/?q=web", headers=headers)
    assert "<html" not in response.content.decode()
    assert rows(response.content.decode()) == ["web-1", "web-2"]
    assert {"HX-Request", "HX-Target"} <= {name.strip() for name in response["Vary"].split(",")}


async def test_commands_for_people_who_sign_in_name_their_namespaces_and_no_file_of_this_machine(
    settings: SimpleNamespace,
) -> None:
    site = small_site()
    cast("Any", site.parts).kubectl = "kubectl --kubeconfig /etc/deltaboard/kubeconfig"
    assert "/etc/deltaboard/kubeconfig" in await page(site, "/resources/pods/")
    settings.DELTABOARD_SIGN_IN = "proxy"
    cast("Any", site.parts).rights = Rights(
        [], {"shop": [Rule(frozenset({"list"}), frozenset({""}), frozenset({"pods"}))]}
    )
    html = await page(site, "/resources/pods/")
    assert "/etc/deltaboard/kubeconfig" not in html
    assert "kubectl</span> get pods -n shop" in html or "kubectl get pods -n shop" in html
