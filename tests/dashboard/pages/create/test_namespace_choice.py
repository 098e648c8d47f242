"""Tests of a new object's namespace where its address does not name one."""

from __future__ import annotations

from tests.dashboard.pages.create.test_views import MYDEMOS
from tests.dashboard.pages.edit.test_views import allow
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser


async def test_from_a_list_of_several_namespaces_it_begins_in_the_first_that_allows_it(
    bob: Browser, cluster: ControlPlane, namespace: str
) -> None:
    forbidden = cluster.create_namespace(f"{namespace}-forbidden")
    allow(cluster, namespace, "bob", ["create"])
    page = await bob.open(f"{MYDEMOS}?among={forbidden},{namespace},Not_one")
    assert page.status == 200
    assert page.form.values["field.metadata.namespace"] == namespace
    assert (
        f"The list showed 2 namespaces, and an object belongs to one of them: this text starts with {namespace}"
        in page.text
    )
    offered = page.main.partition('<datalist id="namespaces">')[2].partition("</datalist>")[0]
    assert f'value="{forbidden}"' in offered
    page = await bob.press(page, "review", field__metadata__name="made")
    assert "Review new Mydemo" in page.text


async def test_where_none_of_several_namespaces_allows_it_that_is_said_and_the_page_is_there(
    bob: Browser, cluster: ControlPlane, namespace: str
) -> None:
    forbidden = cluster.create_namespace(f"{namespace}-forbidden")
    page = await bob.open(f"{MYDEMOS}?among={forbidden}")
    assert page.status == 200
    assert "enter it below" in page.text


async def test_without_a_list_it_begins_in_a_namespace_that_allows_it_and_others_stay_open(browser: Browser) -> None:
    page = await browser.open(MYDEMOS)
    assert page.form.values["field.metadata.namespace"] == "default"
    assert "The list showed" not in page.text
    assert 'list="namespaces"' in page.main


async def test_a_kind_without_namespaces_asks_for_none(browser: Browser) -> None:
    page = await browser.open("/resources/namespaces/new/?among=a,b")
    assert page.status == 200
    assert "The list showed" not in page.text
    assert "field.metadata.namespace" not in page.form.values


async def test_the_button_of_a_list_over_several_namespaces_brings_them_along(browser: Browser) -> None:
    listed = await browser.open("/resources/mydemos.crddemo.k8s.io/?namespace=a,b")
    assert f'href="{MYDEMOS}?among=a,b"' in listed.body
    listed = await browser.open("/resources/mydemos.crddemo.k8s.io/?namespace=a")
    assert f'href="{MYDEMOS}?namespace=a"' in listed.body
