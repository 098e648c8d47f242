"""Tests of the page of a refused form in Chromium: it counts down, waits for the person, and sends the same form."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.support.browser.editor_typist import CONTENT
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser

TEXT = "kind: Pod\nmetadata: {name: a}\n\n# <the end>\n"


@pytest.mark.long
def test_a_refused_form_counts_down_sends_nothing_by_itself_and_loses_nothing(page: Page, server: PageServer) -> None:
    page.goto(f"{server.url}/new/?namespace=team-a")
    page.locator(CONTENT).fill(TEXT)
    server.do("occupy_forms")
    page.locator("button[name=review]").click()
    expect(page.locator("main")).to_contain_text("This request changed nothing")
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))
    expect(page.locator("[data-countdown]")).to_have_text("in 3 s")
    expect(page.locator("[data-countdown]")).to_have_text("now")
    assert sent == []
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("[data-countdown]")).to_have_text("in 3 s")
    server.do("free_forms")
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("main")).to_contain_text("Deltaboard is not connected to a cluster.")
    assert page.locator("textarea[name=yaml]").input_value() == TEXT
    assert page.url == f"{server.url}/new/?namespace=team-a"


def test_without_scripts_the_page_says_when_and_its_button_works(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    plain = new_context(java_script_enabled=False).new_page()
    plain.goto(f"{server.url}/new/")
    plain.locator("textarea[name=yaml]").fill(TEXT)
    server.do("occupy_forms")
    plain.locator("button[name=review]").click()
    expect(plain.locator("main")).to_contain_text("Try again in 5 s.")
    server.do("free_forms")
    plain.get_by_role("button", name="Send again").click()
    assert plain.locator("textarea[name=yaml]").input_value() == TEXT
