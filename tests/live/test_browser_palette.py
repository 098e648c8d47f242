"""The command palette in the browser: Ctrl K, typing, arrows and Enter, as a combobox."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.live.conftest import PageServer, open_live

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
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.get_by_role("button", name="Go to").click()
    page.keyboard.type("pod-017")
    expect(chosen).to_contain_text("pod-017")
    expect(page.locator("#palette-said")).to_contain_text("those that are cached")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/resources/pods/default/pod-017/$"))
