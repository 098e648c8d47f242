"""Tests of the command palette in the browser: Ctrl K, typing, arrows and Enter, as a combobox."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser


def test_ctrl_k_finds_and_goes_by_keyboard_alone_and_escape_gives_the_focus_back(
    page: Page, server: PageServer
) -> None:
    open_live(page, f"{server.url}/")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Go to")
    expect(box).to_be_focused()
    chosen = page.get_by_role("option", selected=True)
    expect(chosen).to_contain_text("Overview")
    page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("Feed")
    until(lambda: box.get_attribute("aria-activedescendant") == chosen.get_attribute("id"), what="the box names it")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.get_by_role("button", name="Go to").click()
    expect(box).to_be_focused()
    page.keyboard.type("pod-017")
    expect(chosen).to_contain_text("pod-017")
    expect(page.locator("#palette-said")).to_contain_text("Only objects of followed kinds are searched")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/resources/pods/default/pod-017/$"))


def test_an_object_of_the_list_that_is_shown_opens_beside_it(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/?q=pod-00")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    page.keyboard.type("pod-017")
    expect(page.get_by_role("option", selected=True)).to_contain_text("pod-017")
    page.keyboard.press("Enter")
    expect(page.locator("#drawer h1")).to_have_text("pod-017")
    expect(page).to_have_url(re.compile(r"/resources/pods/\?q=pod-00&open=default/pod-017$"))
    expect(page.locator("#drawer")).to_be_focused()
    assert page.evaluate("window.sameDocument")


def test_a_slash_opens_it_where_there_is_no_filter(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    expect(page.get_by_role("combobox", name="Go to")).to_have_value("")


def test_enter_that_is_pressed_before_the_answer_has_come_goes_there_when_it_has(
    page: Page, server: PageServer
) -> None:
    open_live(page, f"{server.url}/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Overview")
    asked: list[Route] = []
    page.route("**/search/?q=pod-017", lambda route: asked.append(route))
    page.keyboard.type("pod-017")
    page.keyboard.press("Enter")
    until(lambda: page.title() and asked, what="the palette asks")
    asked[0].continue_()
    expect(page).to_have_url(re.compile("/resources/pods/default/pod-017/$"))


def test_an_answer_about_an_older_text_is_not_waited_for(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    page.evaluate("""() => {
      window.fetch = (address, options) => {
        if (`${address}`.startsWith("/search/")) window.asking = options.signal;
        return new Promise(() => {});
      };
    }""")
    page.keyboard.press("Control+k")
    wait_until(page, "window.asking !== undefined")
    is_given_up = """() => {
      document.getElementById("palette-q").dispatchEvent(new Event("input"));
      return window.asking.aborted;
    }"""
    assert page.evaluate(is_given_up) is True
