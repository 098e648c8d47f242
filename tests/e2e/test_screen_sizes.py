"""Tests that every page fits every screen, from a phone to a wall, and that bad input gets helpful errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos, pod, pods
from tests.support.wait import until

pytestmark = pytest.mark.browser

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def paths(cluster: ControlPlane, namespace: str) -> list[str]:
    name = "a-mydemo-with-a-rather-long-name-that-nobody-would-want-to-type"
    cluster.create(mydemos(namespace), mydemo(name))
    for number in range(12):
        cluster.create(pods(namespace), pod(f"checkout-66d9f8b7c-with-a-long-name-{number}", app="checkout"))
    detail = f"/resources/pods/{namespace}/checkout-66d9f8b7c-with-a-long-name-1/"
    demo = f"/resources/mydemos.crddemo.k8s.io/{namespace}/{name}/"
    return [
        "/",
        "/feed/",
        "/controllers/",
        f"/resources/pods/?namespace={namespace}",
        detail,
        demo,
        f"{demo}edit/",
        f"{demo}delete/",
    ]


@pytest.mark.parametrize("widths", [(2560, 1440, 768), (390,)], ids=["wide", "phone"])
def test_no_page_is_wider_than_its_window(
    page: Page, dashboard: Dashboard, paths: list[str], widths: tuple[int, ...]
) -> None:
    """A page on a phone is loaded there, for scripts ask at the start how wide it is; the others are made narrower."""
    for path in paths:
        page.set_viewport_size({"width": widths[0], "height": 900})
        page.goto(f"{dashboard.url}{path}")
        expect(page.locator("body")).to_have_attribute("data-live", "live")
        for width, scheme in product(widths, SCHEMES):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            until(partial(fits, page), within=2, what=f"{path} that is no wider than {width} px, {scheme}")


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/resources/pdos/", "pods"),
        ("/resources/pods/default/no-such-pod/", "no-such-pod"),
        ("/resources/pods/?namespace=nowhere", "default"),
        ("/resources/nothing.example.com/", "Mydemos"),
    ],
)
def test_what_does_not_exist_is_a_404_that_says_what_does(
    page: Page, dashboard: Dashboard, path: str, says: str
) -> None:
    answer = page.goto(f"{dashboard.url}{path}")
    assert answer is not None
    assert answer.status == 404
    expect(page.locator("main")).to_contain_text(says)


@pytest.mark.parametrize("query", ["q=restarts%3E", "sort=nonsense", "page=minus", "page=99999"])
def test_a_malformed_filter_sort_or_page_shows_the_list_and_a_message(
    page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str, query: str
) -> None:
    cluster.create(pods(namespace), pod("present"))
    answer = page.goto(f"{dashboard.url}/resources/pods/?{query}")
    assert answer is not None
    assert answer.status == 200
    expect(page.locator("#list [role=alert], #list .problem").first).to_be_visible()


def test_a_short_or_singular_name_leads_to_the_resource(page: Page, dashboard: Dashboard) -> None:
    page.goto(f"{dashboard.url}/resources/po/?q=web")
    expect(page).to_have_url(f"{dashboard.url}/resources/pods/?q=web")


def test_a_page_reads_without_javascript(
    new_context: Callable[..., BrowserContext], dashboard: Dashboard, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(pods(namespace), pod("plain"))
    page = new_context(java_script_enabled=False).new_page()
    row = page.locator("tbody tr[data-name='plain']")
    address = f"{dashboard.url}/resources/pods/?namespace={namespace}"
    until(lambda: page.goto(address) and row.count() == 1, what="a page with the pod")
    expect(page.locator("noscript p")).to_contain_text("This page does not update")
    expect(page.locator("#list noscript a")).to_have_text("Change all that match")
