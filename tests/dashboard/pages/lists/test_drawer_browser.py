"""Tests of the drawer in the browser: opened by a click, in the address, live, closed by Esc, button and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.dashboard.pages.lists.test_row_swap_browser import row
from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live, states_not_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.program_fork_server import ProgramPool
from tests.support.wait import until

pytestmark = pytest.mark.browser

PODS = "/resources/pods/"


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    """One for all these tests: each changes objects of its own."""
    yield from one_server(page_server_pool)


def drawer(page: Page) -> Locator:
    return page.locator("#drawer")


def shows(page: Page, name: str) -> None:
    expect(drawer(page).locator("h1")).to_have_text(name)
    expect(page).to_have_url(re.compile(rf"[?&]open=default/{name}$"))


def is_closed(page: Page) -> None:
    expect(drawer(page)).to_be_hidden()
    expect(page).not_to_have_url(re.compile("open="))


def has_the_focus(page: Page, name: str) -> None:
    """The link in a row."""
    expect(row(page, name).locator(":focus")).to_have_count(1)


def put(server: PageServer, name: str, version: int, restarts: int) -> None:
    server.do("put", rows=[{"name": name, "version": version, "restarts": restarts}])


def opened(page: Page, server: PageServer, name: str = "pod-003") -> None:
    open_live(page, server.url + PODS)
    row(page, name).locator(".c-status").click()
    shows(page, name)


def test_a_click_opens_the_details_beside_the_list_and_they_stay_live_on_one_socket(
    page: Page, server: PageServer
) -> None:
    before = server.do("stats")["opened"]
    opened(page, server, "pod-009")
    expect(drawer(page)).to_be_focused()
    put(server, "pod-009", 2, 7)
    expect(drawer(page).locator("dt:text-is('Restarts') + dd")).to_have_text("7")
    expect(row(page, "pod-009").locator(".c-restarts")).to_have_text("7")
    server.do("drop", names=["pod-009"])
    expect(drawer(page)).to_contain_text("was deleted")
    assert server.do("stats")["opened"] - before == 1
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    assert states_not_live(page) == []
    assert page.evaluate("window.sameDocument")


def test_beside_it_every_status_is_in_sight_and_the_table_stays_where_it_is(page: Page, server: PageServer) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    statuses = [f"{word}LongReason" for word in ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")]
    server.do("put", rows=[{"name": f"of-{status.lower()}", "version": 1, "status": status} for status in statuses])
    open_live(page, server.url + PODS)
    top = page.locator(".table").evaluate("table => table.getBoundingClientRect().top")
    row(page, "pod-003").locator(".c-status").click()
    shows(page, "pod-003")
    facets = page.locator(".facet-list")
    assert facets.evaluate("list => list.scrollWidth - list.clientWidth") == 0
    assert facets.evaluate("list => list.scrollHeight - list.clientHeight") == 0
    assert page.locator(".table").evaluate("table => table.getBoundingClientRect().top") == top
    server.do("drop", names=[f"of-{status.lower()}" for status in statuses])


@pytest.mark.long
@pytest.mark.parametrize("how", ["Escape", "button", "back"])
def test_it_closes_and_the_focus_goes_back_to_the_row(page: Page, server: PageServer, how: str) -> None:
    opened(page, server)
    if how == "button":
        page.get_by_role("link", name="Close the details").click()
    elif how == "back":
        page.go_back()
    else:
        page.keyboard.press("Escape")
    is_closed(page)
    has_the_focus(page, "pod-003")
    assert page.evaluate("window.sameDocument")


def test_back_and_forward_go_through_what_was_open_without_touching_the_list(page: Page, server: PageServer) -> None:
    opened(page, server)
    row(page, "pod-005").locator("td.c-name a").click()
    shows(page, "pod-005")
    page.evaluate("window.table = document.querySelector('tbody')")
    page.keyboard.press("Escape")
    is_closed(page)
    page.go_back()
    shows(page, "pod-005")
    page.go_back()
    shows(page, "pod-003")
    put(server, "pod-003", 2, 9)
    expect(drawer(page).locator("dt:text-is('Restarts') + dd")).to_have_text("9")
    page.go_back()
    is_closed(page)
    page.go_forward()
    shows(page, "pod-003")
    assert page.evaluate("window.table === document.querySelector('tbody')")
    assert page.evaluate("window.sameDocument")


def test_a_link_shows_the_same_to_a_colleague_and_back_from_it_works(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}{PODS}?open=default/pod-004")
    shows(page, "pod-004")
    put(server, "pod-004", 2, 5)
    expect(drawer(page).locator("dt:text-is('Restarts') + dd")).to_have_text("5")
    page.keyboard.press("Escape")
    is_closed(page)
    page.go_back()
    shows(page, "pod-004")


def test_the_filter_the_order_and_a_facet_leave_it_open(page: Page, server: PageServer) -> None:
    opened(page, server)
    page.locator("#q").fill("pod-00")
    expect(row(page, "pod-020")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"q=pod-00.*open=default%2Fpod-003|open=default/pod-003"))
    expect(drawer(page).locator("h1")).to_have_text("pod-003")
    put(server, "pod-003", 2, 6)
    expect(drawer(page).locator("dt:text-is('Restarts') + dd")).to_have_text("6")
    page.locator("th.c-restarts a").click()
    expect(page.locator("th.c-restarts[aria-sort]")).to_have_count(1)
    shows(page, "pod-003")


def test_a_click_that_asks_for_a_new_tab_is_left_to_the_browser(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    for keys in (["Control"], ["Shift"]):
        with page.context.expect_page() as new:
            row(page, "pod-003").locator("td.c-name a").click(modifiers=keys)  # type: ignore[arg-type]
        expect(new.value).to_have_url(re.compile("/resources/pods/default/pod-003/$"))
        new.value.close()
    is_closed(page)


def test_the_keyboard_opens_a_row_and_escape_returns_to_it(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    shows(page, "pod-001")
    expect(row(page, "pod-001")).to_have_attribute("data-ui-cursor", "")
    page.keyboard.press("Escape")
    is_closed(page)
    has_the_focus(page, "pod-001")


def test_a_lost_frame_and_a_new_socket_leave_the_drawer_true(page: Page, server: PageServer) -> None:
    opened(page, server)
    server.do("skip")
    put(server, "pod-003", 2, 4)
    expect(drawer(page).locator("dt:text-is('Restarts') + dd")).to_have_text("4")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("window.states.length = 0")
    server.do("close", code=4012)
    until(lambda: page.evaluate("window.states.some(({state}) => state === 'offline')"), within=30, what="offline")
    put(server, "pod-003", 3, 8)
    expect(drawer(page).locator("dt:text-is('Restarts') + dd")).to_have_text("8")
    expect(page.locator("body")).to_have_attribute("data-live", "live")


def test_an_object_too_big_for_the_socket_is_fetched(page: Page, server: PageServer) -> None:
    opened(page, server, "pod-008")
    server.do("bulk", name="pod-008", size=400_000)
    expect(drawer(page).locator("pre")).to_contain_text("theEnd")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    shows(page, "pod-008")


def test_on_a_narrow_window_it_is_a_sheet_and_what_is_below_cannot_be_reached(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context().new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, server)
    whole = {"x": 0, "y": 0, "width": 390, "height": 800}
    until(lambda: drawer(page).bounding_box() == whole, what="it fills the window")
    wait_until(page, "document.getElementById('list').inert")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("link", name="Close the details").click()
    is_closed(page)
    wait_until(page, "!document.getElementById('list').inert")
    has_the_focus(page, "pod-003")


def test_without_scripts_the_name_leads_to_the_details_page(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}{PODS}?open=default/pod-002")
    expect(drawer(page).locator("h1")).to_have_text("pod-002")
    page.get_by_role("link", name="Close the details").click()
    is_closed(page)
    row(page, "pod-003").get_by_role("link").click()
    expect(page).to_have_url(re.compile("/resources/pods/default/pod-003/$"))
