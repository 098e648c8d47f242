"""Tests of permissions, known before a form is filled in; on the real API server with its RBAC."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from types import SimpleNamespace

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.cluster.access_reviews import CACHE_SECONDS, AccessReviews, ResourceAttributes
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.lists.live_list import open_list
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.dashboard.pages.conftest import parts_for
from tests.dashboard.pages.controllers.test_manager import let
from tests.support.clock import FakeClock
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of
from tests.support.wait import eventually

MYDEMOS = KINDS["mydemos.crddemo.k8s.io"]
ONE = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": "one"}, "spec": {"ip": "10.0.0.1"}}


@pytest.fixture
async def alices(cluster: ControlPlane, collection: str) -> AsyncIterator[SimpleNamespace]:
    """Parts that write with alice's account and list one Mydemo."""
    made = cluster.create(collection, {**ONE, "spec": {**ONE["spec"], "port": 8080}})  # type: ignore[dict-item]
    async for parts in parts_for(cluster.kubeconfig_of("alice")):
        put_feeders(parts.replicas, Feeder(MYDEMOS.key, parts.clock, [row_of(MYDEMOS.key, made)]))
        yield parts


def mydemos(*verbs: str, names: tuple[str, ...] = ()) -> dict[str, list[str]]:
    rule = {"apiGroups": ["crddemo.k8s.io"], "resources": ["mydemos"], "verbs": list(verbs)}
    return {**rule, "resourceNames": list(names)} if names else rule


async def test_details_do_not_offer_what_may_not_be_done_and_say_so_as_soon_as_it_is_known(
    alices: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    path, browser = f"/resources/{MYDEMOS.key}/{namespace}/one/", Browser(alices)
    with let(cluster, "alice", mydemos("get", "update")):
        first = await browser.open(path)
        assert f'href="{path}delete/"' in first.body, "the first byte waits for no answer"

        async def said() -> Page | None:
            page = await browser.open(path)
            return page if "access rules do not allow: Clone, Delete." in page.text else None

        page = await eventually(said, what="what may not be done is said")
        assert page is not None
        assert f'href="{path}edit/"' in page.body
        assert f'href="{path}delete/"' not in page.body
        assert f"do not let Deltaboard&#x27;s account delete {MYDEMOS.key} in namespace {namespace}" in page.body


async def test_a_list_offers_no_new_one_where_none_may_be_made_in_its_one_namespace(
    alices: SimpleNamespace, namespace: str
) -> None:
    path, browser = f"/resources/{MYDEMOS.key}/", Browser(alices)
    first = await browser.open(f"{path}?namespace={namespace}")
    assert f'href="{path}new/?namespace={namespace}"' in first.body, "the first byte waits for no answer"

    async def said() -> bool:
        page = await browser.open(f"{path}?namespace={namespace}")
        return f'href="{path}new/?namespace={namespace}"' not in page.body and "account create" in page.body

    await eventually(said, what="it is not offered")
    every = await browser.open(path)
    assert f'href="{path}new/"' in every.body, "it may be allowed in one of them"


async def test_an_open_list_hears_of_what_may_be_made_without_other_changes(
    alices: SimpleNamespace, namespace: str
) -> None:
    shown = open_list(alices.hub, MYDEMOS, Query.parse(QueryDict(f"namespace={namespace}"), MYDEMOS.key))
    view, heard = alices.hub.views[shown.id].view, asyncio.Event()
    view.on_dirty = heard.set
    async with asyncio.timeout(30):
        await heard.wait()
    assert f'"#new-{view.id}"' in view.update(render_to_string)
    assert f'"#new-{view.id}"' not in view.update(render_to_string)


async def test_a_rows_menu_asks_of_its_object_which_rules_may_name(
    alices: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    browser = Browser(alices)

    async def denied(name: str) -> set[str]:
        return set(json.loads((await browser.open(f"/resources/{MYDEMOS.key}/{namespace}/{name}/may/")).body)["denied"])

    with let(cluster, "alice", mydemos("patch", names=("one",))):
        await eventually(lambda: denied_is(denied("one"), {"edit/", "delete/"}), what="one may be patched")
        assert await denied("other") == {"edit/", "delete/", "do/field/"}


async def denied_is(denied: Awaitable[set[str]], wanted: set[str]) -> bool:
    return await denied == wanted


async def test_a_yaml_page_offers_no_edit_that_may_not_be_done(alices: SimpleNamespace, namespace: str) -> None:
    path, browser = f"/resources/{MYDEMOS.key}/{namespace}/one/", Browser(alices)

    async def said() -> bool:
        page = await browser.open(f"{path}yaml/", Accept="text/html")
        return f'href="{path}edit/"' not in page.body and "account update" in page.body

    await eventually(said, what="it is not offered")


async def test_open_details_hear_of_it_without_being_asked(alices: SimpleNamespace, namespace: str) -> None:
    view, heard = open_detail(alices.hub, MYDEMOS, namespace, "one"), asyncio.Event()
    view.on_dirty = heard.set
    assert view.denials.delete == ""
    async with asyncio.timeout(30):
        while not view.denials.delete:
            await heard.wait()
            heard.clear()


@pytest.mark.parametrize("query", ["namespace={0}", "from={0}/one"])
async def test_where_none_may_be_made_no_form_is_offered(alices: SimpleNamespace, namespace: str, query: str) -> None:
    page = await Browser(alices).open(f"/resources/{MYDEMOS.key}/new/?{query.format(namespace)}")
    assert page.status == 403
    assert f"do not let Deltaboard's account create {MYDEMOS.key} in namespace {namespace}" in page.text


async def test_a_rule_may_name_objects_and_a_no_is_asked_again(cluster: ControlPlane, namespace: str) -> None:
    async with Client(load_kubeconfig(cluster.kubeconfig_of("alice"))) as client:
        rights = AccessReviews(clock := FakeClock(), lambda: client)
        one, other = (ResourceAttributes("update", MYDEMOS.resource, namespace, name) for name in ("one", "other"))
        with let(cluster, "alice", mydemos("update", names=("one",))):
            await settled(rights, one, allowed=True)
            assert await rights.denial(other)
        assert await rights.denial(one) == "", "a yes is kept for a while"
        await clock.advance(CACHE_SECONDS)
        await settled(rights, one, allowed=False)
        with let(cluster, "alice", mydemos("update")):
            await settled(rights, other, allowed=True)


async def settled(rights: AccessReviews, right: ResourceAttributes, *, allowed: bool) -> None:
    """Wait until the API server has heard of its rules, and the rights with it."""

    async def heard() -> bool:
        return bool(await rights.denial(right)) is not allowed

    await eventually(heard, what=f"{right.name} is {'' if allowed else 'not '}allowed")


async def test_what_nobody_can_tell_is_offered() -> None:
    rights = AccessReviews(FakeClock(), lambda: None)
    assert await rights.denial(ResourceAttributes("update", MYDEMOS.resource)) == ""
