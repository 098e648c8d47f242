"""Tests of pages without scripts and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.accessibility.test_keyboard import PAGES, PODS
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

DEAD = """() => [...document.querySelectorAll("button, [role=button], summary")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => !one.matches("summary, [popovertarget]") && !one.form)
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    yield from one_server(page_server_pool)


@pytest.fixture
def plain(new_context: Callable[..., BrowserContext]) -> Page:
    """A page in a browser whose scripts are off. (What the test itself evaluates still runs.)"""
    return new_context(java_script_enabled=False).new_page()


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_without_scripts_a_page_is_read_says_that_it_stands_still_and_offers_to_be_loaded_again(
    plain: Page, server: PageServer, name: str
) -> None:
    address = server.url + PAGES[name]
    plain.goto(address)
    expect(plain.locator("main h1").first).to_be_visible()
    note = plain.locator("noscript .note")
    expect(note).to_contain_text("This page does not update")
    note.get_by_role("link", name="Reload").click()
    expect(plain).to_have_url(address)
    expect(plain.locator(".fresh")).to_be_hidden()
    assert plain.evaluate(DEAD) == [], "what would do nothing is not shown"
    over = plain.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0
    if "resources/pods" in address:
        expect(plain.get_by_text("pod-003").first).to_be_visible()
    if plain.locator("main time[datetime]:visible").count():
        expect(plain.locator("main time[datetime]:visible").first).to_contain_text("UTC")


def test_without_scripts_filter_order_columns_and_files_work(plain: Page, server: PageServer) -> None:
    plain.goto(server.url + PODS)
    plain.locator("#q").fill("pod-01")
    plain.locator("#filter").get_by_role("button", name="Filter").click()
    expect(plain.locator("tbody tr")).to_have_count(10)
    plain.locator("th.c-name a").click()
    expect(plain.locator("th[aria-sort]")).to_contain_text("Name")
    plain.locator(".columns > summary").click()
    plain.get_by_label("Restarts", exact=True).uncheck()
    plain.get_by_role("button", name="Show these").click()
    expect(plain.locator("th.c-restarts")).to_have_count(0)
    expect(plain.locator("tbody tr")).to_have_count(10)
    plain.locator(".export > summary").click()
    with plain.expect_download() as download:
        plain.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "pods.csv"


@pytest.mark.long
@pytest.mark.parametrize("name", ["list", "list with the drawer", "details", "overview", "feed"])
def test_on_paper_there_is_the_page_its_cluster_and_how_fresh_it_is_and_nothing_to_click(
    new_context: Callable[..., BrowserContext], server: PageServer, name: str
) -> None:
    page = new_context(color_scheme="dark").new_page()
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 within its margins
    open_live(page, server.url + PAGES[name])
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator(".cluster > summary")).to_be_visible()
    expect(page.locator(".fresh")).to_contain_text("cluster heard")
    for selector in (
        ".side",
        "#filter",
        "#pause",
        ".head-tools",
        ".c-select",
        ".actions",
        ".drawer-bar",
        ".icon-button",
    ):
        assert not any(each.is_visible() for each in page.locator(selector).all()), selector
    light = "getComputedStyle(document.body).color"
    assert page.evaluate(light) == "rgb(22, 26, 33)", "dark letters, whatever the theme"
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0
    assert page.pdf(format="A4").startswith(b"%PDF")
