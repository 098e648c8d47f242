"""Tests of completion in the browser, by keyboard and pointer, without changes to typing and Enter."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser


def filter_box(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Filter", exact=True)


def options(page: Page) -> Locator:
    return page.locator("#q-options[data-ui-open] [role=option]")


def give_pods_a_node(server: PageServer) -> None:
    rows = [
        {"name": f"pod-{each:03d}", "version": 2, "obj": {"spec": {"nodeName": f"node-{each % 2}"}}}
        for each in range(30)
    ]
    server.do("put", rows=rows)


@pytest.mark.long
def test_a_filter_is_completed_by_keyboard_column_by_column_and_value_by_value(page: Page, server: PageServer) -> None:
    server.do("put", rows=[{"name": "pod-003", "version": 2, "status": "Failed", "tone": "bad"}])
    open_live(page, f"{server.url}/resources/pods/")
    box = filter_box(page)
    box.click()
    expect(box).to_have_attribute("aria-expanded", "false")
    page.keyboard.type("sta")
    expect(options(page).first).to_contain_text("status")
    expect(box).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#q-options-0")).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", "q-options-0")
    page.keyboard.press("Enter")
    expect(box).to_have_value("status=")
    expect(options(page)).to_have_text(["Running29", "Failed1"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(box).to_have_value("status=Failed")
    expect(box).to_be_focused()
    expect(options(page)).to_have_count(0)
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?q=status(=|%3D)Failed$"))
    wait_until(page, "!document.querySelector('.htmx-request')")


@pytest.mark.long
def test_what_an_arrow_chose_stays_chosen_when_the_answer_comes_and_typing_lets_go_of_it(
    page: Page, server: PageServer
) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    filter_box(page).click()
    page.keyboard.type("st")
    expect(options(page).first).to_contain_text("status")
    held: list[Route] = []
    page.route("**/complete?*", lambda route: held.append(route))
    page.keyboard.type("a")
    wait_until(page, "document.querySelectorAll('[aria-selected=true]').length === 0")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#q-options-0")).to_have_attribute("aria-selected", "true")
    page.wait_for_timeout(200)  # longer than typing is waited for
    with page.expect_response("**/complete?*"):
        held[0].continue_()
    page.unroute("**/complete?*")
    expect(page.locator("#q-options-0")).to_contain_text("status")
    expect(page.locator("#q-options-0")).to_have_attribute("aria-selected", "true")
    page.keyboard.type("t")
    expect(page.locator("[role=option][aria-selected=true]")).to_have_count(0)


def test_without_an_arrow_enter_and_escape_do_what_they_do_anyway(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    before = page.evaluate("history.length")
    box = filter_box(page)
    box.click()
    page.keyboard.type("na")
    expect(options(page).first).to_contain_text("na")
    expect(page).to_have_url(re.compile(r"\?q=na$"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?q=na$"))
    expect(options(page)).to_have_count(0)
    expect(box).to_have_value("na")
    wait_until(page, "before => history.length === before + 1", before)
    page.keyboard.type("m")
    expect(options(page).first).to_contain_text("name")
    page.keyboard.press("Escape")
    expect(options(page)).to_have_count(0)
    expect(box).to_be_focused()
    expect(box).to_have_value("nam")
    expect(page).to_have_url(re.compile(r"\?q=nam$"))
    wait_until(page, "!document.querySelector('.htmx-request')")  # it would fail when the page is closed


def test_a_path_is_offered_step_by_step_and_looked_for_when_it_is_whole(page: Page, server: PageServer) -> None:
    give_pods_a_node(server)
    open_live(page, f"{server.url}/resources/pods/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "hx-request" in request.headers else None)
    box = filter_box(page)
    box.click()
    page.keyboard.type(".spec.")
    expect(options(page)).to_have_text([".spec.nodeNametext"])
    options(page).first.click()
    expect(box).to_have_value(".spec.nodeName=")
    expect(options(page)).to_have_text(["node-0", "node-1"])
    assert asked == []
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(box).to_have_value(".spec.nodeName=node-1")
    expect(page.locator("tbody tr")).to_have_count(15)
    assert asked


def test_the_picker_completes_a_path(page: Page, server: PageServer) -> None:
    give_pods_a_node(server)
    open_live(page, f"{server.url}/resources/pods/?columns=name")
    page.locator("details.columns > summary").click()
    box = page.get_by_role("combobox", name="Any field by its path")
    box.click()
    page.keyboard.type("spec.node")
    expect(page.locator("#path-options[data-ui-open] [role=option]")).to_have_text([".spec.nodeNametext"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(box).to_have_value(".spec.nodeName")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?columns=name,\.spec\.nodeName$"))
    expect(page.locator("td.c-path").first).to_have_text("node-0")


def test_lines_stay_open_while_live_rows_come_and_the_list_is_swapped(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    box = filter_box(page)
    box.click()
    with page.expect_response(lambda response: "hx-request" in response.request.headers):
        page.keyboard.type("s")
    expect(options(page).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    server.do("put", rows=[{"name": "pod-new-s", "restarts": 3}])
    expect(page.locator("tr[data-name=pod-new-s]")).to_have_count(1)
    expect(box).to_have_attribute("aria-expanded", "true")
    expect(box).to_have_attribute("aria-activedescendant", "q-options-0")
