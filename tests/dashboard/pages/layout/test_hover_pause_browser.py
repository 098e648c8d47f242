"""Tests of the hover pause: nothing moves under the pointer or on a paused page, and the end of a pause updates it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard.pages.lists.test_row_swap_browser import order, row
from tests.support.browser.live_page import open_live, states_not_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser

BY_RESTARTS = "/resources/pods/?sort=-restarts"


def chip(page: Page) -> Locator:
    return page.locator("#held")


def rest_on(page: Page, name: str) -> None:
    row(page, name).hover()
    expect(chip(page)).to_have_text("held")


def let_go(page: Page) -> None:
    page.mouse.move(5, 5)
    expect(chip(page)).to_be_hidden()
    expect(page.locator("[data-ui-held]")).to_have_count(0)


def put(server: PageServer, name: str, version: int, restarts: int) -> None:
    server.do("put", rows=[{"name": name, "version": version, "restarts": restarts}])


@pytest.mark.long
def test_under_the_pointer_cells_change_where_they_stand_and_moves_are_counted(page: Page, server: PageServer) -> None:
    open_live(page, server.url + BY_RESTARTS)
    before = order(page)
    rest_on(page, "pod-010")
    put(server, "pod-020", 2, 7)
    expect(row(page, "pod-020").locator(".c-restarts")).to_have_text("7")
    put(server, "pod-new", 1, 9)
    expect(chip(page)).to_have_text("held · 2 changes waiting")
    assert order(page) == before
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    let_go(page)
    expect(row(page, "pod-new")).to_have_count(1)
    until(lambda: order(page)[:2] == ["pod-new", "pod-020"], what="both in their place")
    assert states_not_live(page) == []


@pytest.mark.long
def test_under_the_pointer_deleted_rows_are_marked_and_stay_until_it_goes(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    rest_on(page, "pod-010")
    server.do("drop", names=["pod-011"])
    expect(row(page, "pod-011")).to_have_attribute("data-gone", "")
    page.wait_for_timeout(3500)  # longer than deleted rows stay otherwise
    expect(row(page, "pod-011")).to_have_count(1)
    let_go(page)
    expect(row(page, "pod-011")).to_have_count(0)


@pytest.mark.long
def test_a_storm_that_replaces_the_window_moves_nothing_while_it_is_held(page: Page, server: PageServer) -> None:
    open_live(page, server.url + BY_RESTARTS)
    before = order(page)
    rest_on(page, "pod-010")
    storm = [{"name": f"pod-{n:03d}", "version": 3, "restarts": n} for n in range(5, 100)]
    server.do("put", rows=storm)
    expect(chip(page)).to_have_text(re.compile(r"held · \d+ changes waiting"))
    assert order(page) == before
    let_go(page)
    expect(row(page, "pod-099").locator(".c-restarts")).to_have_text("99")
    until(lambda: order(page)[0] == "pod-099", what="the largest first")


@pytest.mark.long
def test_a_paused_page_waits_until_it_is_resumed_and_then_shows_what_changed(page: Page, server: PageServer) -> None:
    open_live(page, server.url + BY_RESTARTS)
    page.get_by_role("button", name="Pause").click()
    expect(chip(page)).to_have_text("paused")
    put(server, "pod-new", 1, 9)
    expect(chip(page)).to_have_text("paused · 1 change waiting")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Pause").click()
    expect(row(page, "pod-new")).to_have_count(1)
    expect(chip(page)).to_be_hidden()


@pytest.mark.long
def test_the_key_p_pauses_and_what_changed_meanwhile_is_marked_when_it_resumes(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.keyboard.press("p")
    expect(chip(page)).to_have_text("paused")
    put(server, "pod-005", 2, 3)
    expect(row(page, "pod-005").locator(".c-restarts")).to_have_text("3")
    put(server, "pod-0051", 1, 0)
    expect(chip(page)).to_have_text("paused · 1 change waiting")
    expect(page.locator("td.changed")).to_have_count(0)  # it was marked when it changed, which nobody may have seen
    page.evaluate("window.flashed.length = 0")
    page.keyboard.press("p")
    expect(row(page, "pod-0051")).to_have_count(1)
    until(lambda: page.evaluate("window.flashed.length") > 0, what="a mark")
    assert {flash.split()[0] for flash in page.evaluate("window.flashed")} == {"pod-005"}
    expect(chip(page)).to_be_hidden()


@pytest.mark.long
def test_a_pause_in_which_nothing_moved_ends_with_marks_too(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.keyboard.press("p")
    put(server, "pod-007", 2, 4)
    expect(row(page, "pod-007").locator(".c-restarts")).to_have_text("4")
    expect(page.locator("td.changed")).to_have_count(0)
    page.evaluate("window.flashed.length = 0")
    page.keyboard.press("p")
    until(lambda: page.evaluate("window.flashed.length") > 0, what="a mark")
    assert {flash.split()[0] for flash in page.evaluate("window.flashed")} == {"pod-007"}
    assert server.do("stats")["windows"] == 0


def test_a_paused_feed_counts_what_it_does_not_show(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/feed/")
    page.get_by_role("button", name="Pause").click()
    shown = page.locator("ol.feed > li").count()
    server.do("say", number=5)
    expect(chip(page)).to_have_text("paused · 5 changes waiting")
    expect(page.locator("ol.feed > li")).to_have_count(shown)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("ol.feed > li")).to_have_count(shown + 5)


def test_another_filter_while_paused_shows_its_rows_and_stays_paused(page: Page, server: PageServer) -> None:
    open_live(page, server.url + BY_RESTARTS)
    page.get_by_role("button", name="Pause").click()
    page.locator("#q").fill("pod-00")
    expect(row(page, "pod-020")).to_have_count(0)
    expect(row(page, "pod-005")).to_have_count(1)
    expect(chip(page)).to_have_text("paused")
    put(server, "pod-00x", 1, 9)
    expect(chip(page)).to_have_text("paused · 1 change waiting")


@pytest.mark.long
def test_a_window_that_was_lost_with_its_socket_is_asked_for_again(page: Page, server: PageServer) -> None:
    open_live(page, server.url + BY_RESTARTS)
    page.get_by_role("button", name="Pause").click()
    put(server, "pod-new", 1, 9)
    expect(chip(page)).to_have_text("paused · 1 change waiting")
    server.do("turn_away", code=4012)
    server.do("close", code=4012)
    expect(page.locator("body")).not_to_have_attribute("data-live", "live")
    page.get_by_role("button", name="Pause").click()
    server.do("turn_away", code=0)
    expect(row(page, "pod-new")).to_have_count(1)


@pytest.mark.long
def test_a_whole_window_that_comes_while_it_is_paused_marks_what_left(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/?q=restarts%3C5")
    page.get_by_role("button", name="Pause").click()
    server.do("turn_away", code=4012)
    server.do("close", code=4012)
    expect(page.locator("body")).not_to_have_attribute("data-live", "live")
    server.do("forget")
    put(server, "pod-003", 2, 9)
    server.do("drop", names=["pod-004"])
    server.do("turn_away", code=0)
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    for name in ("pod-003", "pod-004"):
        expect(row(page, name)).to_have_attribute("data-left", "")
        expect(row(page, name)).to_have_attribute("title", re.compile("No longer in this list"))
    expect(page.locator("tr[data-left]")).to_have_count(2)
    expect(chip(page)).to_have_text("paused · 2 changes waiting")
    put(server, "pod-003", 3, 1)
    expect(row(page, "pod-003").locator(".c-restarts")).to_have_text("1")
    expect(page.locator("tr[data-left]")).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    expect(row(page, "pod-004")).to_have_count(0)
    expect(row(page, "pod-003")).to_have_count(1)
    expect(page.locator("tr[data-left], tr[title]")).to_have_count(0)


@pytest.mark.long
def test_a_row_that_leaves_the_list_while_it_is_held_is_marked(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/?q=restarts%3C5")
    rest_on(page, "pod-010")
    put(server, "pod-003", 2, 9)
    expect(row(page, "pod-003")).to_have_attribute("data-left", "")
    let_go(page)
    expect(row(page, "pod-003")).to_have_count(0)
