"""Tests of the times behind ages: by key and by tap."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.dashboard.pages.layout.test_copy_browser import POD
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

BOTH = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\s.*\d:\d\d:\d\d")


def test_the_key_t_says_the_times_behind_the_ages_of_a_row_one_after_the_other(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    said = page.locator("#moment")
    page.keyboard.press("j")
    page.keyboard.press("t")
    expect(said).to_have_text(BOTH)
    expect(page.locator("tr[data-ui-cursor] time[data-ui-told]")).to_have_count(1)
    page.keyboard.press("t")
    expect(said).to_be_hidden()
    page.keyboard.press("t")
    expect(said).to_be_visible()
    page.keyboard.press("Escape")
    expect(said).to_be_hidden()


@pytest.mark.long
def test_a_tap_on_an_age_says_its_time(new_context: Callable[..., BrowserContext], server: PageServer) -> None:
    page = new_context(has_touch=True).new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    open_live(page, server.url + POD)
    page.locator("time[data-created]").tap()
    expect(page.locator("#moment")).to_have_text(BOTH)
    box = page.locator("#moment").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.locator("h1").tap()
    expect(page.locator("#moment")).to_be_hidden()
