"""Tests of pages where some namespaces only are listed: they say which, and nothing of the others."""

from __future__ import annotations

import html as entities
import re

import msgspec
import pytest
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from dashboard.pages.create.namespace_choice import namespace_choices
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.layout.namespaces import is_outside_limit
from dashboard.pages.lists.live_list import open_list
from tests.support.live.hx_partial_interpreter import ops_of
from tests.support.objects.rows import Json
from tests.support.pages.app_state import AttributeState
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, pod, rows, words

LIMITED = ("pods", "mydemos.crddemo.k8s.io", "events", "secrets", "deployments.apps")
UNSEEN = "Deltaboard's account does not see the namespace bank. It sees search, shop."


def limited_site(*objects: tuple[str, Json], forbidden: tuple[str, ...] = (), lost: tuple[str, ...] = ()) -> Site:
    """A site whose namespaced kinds are listed in shop and search."""
    site = Site(*(objects or (pod("web-1"), pod("web-2"), pod("db-1", "search"))), watched=(*LIMITED, "nodes"))
    for key in LIMITED:
        limit(site, key, forbidden, lost)
    return site


def limit(site: Site, key: str, forbidden: tuple[str, ...] = (), lost: tuple[str, ...] = ()) -> None:
    feeder = site.feeds.feeders[key]
    names = tuple(name for name in ("search", "shop") if name not in forbidden)
    feeder.beat(
        msgspec.structs.replace(feeder.health, namespaces=names, forbidden_namespaces=forbidden, lost_namespaces=lost)
    )


def said(text: str) -> str:
    return words(entities.unescape(text))


@pytest.mark.parametrize("path", ["/", "/feed/", "/resources/pods/"])
async def test_overview_feed_and_list_say_which_namespaces_they_cover(path: str) -> None:
    text = await page(limited_site(), path)
    assert "Namespaces search, shop only" in said(text)
    assert re.findall(r'<li><input type="checkbox" name="namespace" value="([^"]*)"', text) == ["search", "shop"]
    assert "<b>all of 2</b>" in text
    assert "Namespaces search, shop only" not in said(await page(Site(pod("web-1"), namespace("shop")), path))


async def test_a_kind_without_namespaces_says_nothing_of_them() -> None:
    assert "only" not in said(await page(limited_site(), "/resources/nodes/")).partition("Export")[0]


async def test_the_palette_and_the_freshness_panel_say_it() -> None:
    site = limited_site()
    palette = (await site.client.get("/search/?q=shop")).content.decode()
    assert "Namespaces search, shop only." in palette
    assert 'href="/resources/pods/?namespace=shop"' in palette
    freshness = (await site.client.get("/freshness/")).content.decode()
    assert freshness.count("Namespaces search, shop only") == len(LIMITED)


async def test_the_picker_has_the_namespaces_of_the_kinds_and_not_those_of_the_cluster() -> None:
    site = Site(pod("web-1"), *(namespace(name) for name in ("bank", "search", "shop")))
    for key in LIMITED:
        limit(site, key)
    assert (await site.client.get("/namespaces/")).json() == {"names": ["search", "shop"]}


@pytest.mark.parametrize("name", ["vault-1", "nothing"])
async def test_the_page_of_an_object_elsewhere_says_that_the_namespace_is_not_seen_whether_it_exists_or_not(
    name: str,
) -> None:
    site = limited_site()
    for rest in ("", "edit/", "delete/"):
        text = said(await page(site, f"/resources/pods/bank/{name}/{rest}", 404))
        assert UNSEEN in text
        assert "There is no" not in text
        assert "deleted" not in text
    text = await page(site, f"/resources/pods/bank/{name}/yaml/", 404, Accept="text/yaml")
    assert UNSEEN in said(text)
    assert "There is no Pod nothing in namespace shop" in said(await page(site, "/resources/pods/shop/nothing/", 404))


async def test_a_list_of_a_namespace_that_is_not_seen_says_so() -> None:
    text = said(await page(limited_site(), "/resources/pods/?namespace=bank", 404))
    assert UNSEEN in text
    assert "There is no namespace" not in text


async def test_a_namespace_that_may_no_longer_be_seen_is_named() -> None:
    site = limited_site(forbidden=("search",), lost=("search",))
    sentence = "Deltaboard's account may no longer see namespace search, so nothing of it is shown."
    for path in ("/", "/feed/", "/resources/pods/"):
        text = said(await page(site, path))
        assert "Namespace shop only" in text
        assert sentence in text
    assert "may not see namespace search" in said(await page(limited_site(forbidden=("search",)), "/resources/pods/"))


async def test_an_open_page_shows_nothing_of_an_object_whose_namespace_is_lost() -> None:
    site = limited_site()
    assert "db-1" in said(await page(site, "/resources/pods/search/db-1/"))
    feeder = site.feeds.feeders["pods"]
    feeder.health = msgspec.structs.replace(
        feeder.health, namespaces=("shop",), forbidden_namespaces=("search",), lost_namespaces=("search",)
    )
    feeder.put_and_drop((), [uid for uid, row in feeder.replica.rows.items() if row.namespace == "search"])
    view = open_detail(site.parts.hub, KINDS["pods"], "search", "db-1")
    assert view.is_unseen
    assert (view.row, view.exists, view.gone_since, view.changes) == (None, False, "", ())
    html = said(view.render_window(Renderer(render_to_string)))
    assert "Deltaboard's account may no longer see namespace search" in html
    assert "node-1" not in html
    text = said(await page(site, "/resources/pods/search/db-1/", 404))
    assert "Deltaboard's account does not see the namespace search. It sees shop." in text
    assert "deleted" not in text


async def test_an_open_list_hears_of_a_namespace_that_comes_or_goes() -> None:
    site = limited_site()
    view = open_list(site.parts.hub, KINDS["pods"], Query(key="pods"))
    render = Renderer(render_to_string)
    view.render_window(render)
    view.update(render)
    limit(site, "pods", ("search",), ("search",))
    sent = {op.target.partition("-")[0]: said(op.html) for op in ops_of(view.update(render))}
    assert "Namespace shop only" in sent["#total"]
    assert "may no longer see namespace search" in sent["#notes"]
    limit(site, "pods")
    sent = {op.target.partition("-")[0]: said(op.html) for op in ops_of(view.update(render))}
    assert "Namespaces search, shop only" in sent["#total"]
    assert sent["#notes"] == ""


async def test_kubectl_has_a_command_for_each_namespace() -> None:
    text = said(await page(limited_site(), "/resources/pods/"))
    assert "kubectl get pods -n search" in text
    assert "kubectl get pods -n shop" in text
    assert "get pods -A" not in text
    one = said(await page(limited_site(), "/resources/pods/?namespace=shop"))
    assert "kubectl get pods -n shop" in one
    assert "-n search" not in one


async def test_a_kind_that_is_listed_everywhere_beside_others_is_not_limited() -> None:
    site = Site(pod("web-1"), pod("gold", "bank"), *(namespace(name) for name in ("bank", "search", "shop")))
    limit(site, "secrets")
    assert rows(await page(site, "/resources/pods/")) == ["gold", "web-1"]
    assert "Secrets: namespaces search, shop only" in said(await page(site, "/"))
    assert (await site.client.get("/namespaces/")).json() == {"names": ["bank", "search", "shop"]}


def test_a_new_object_is_offered_the_namespaces_that_are_seen_and_not_default() -> None:
    state = AttributeState(limited_site().parts)
    assert namespace_choices(state) == ("search", "shop")
    assert is_outside_limit(state, "default")
    assert not is_outside_limit(AttributeState(Site(namespace("shop")).parts), "default")
