"""Tests of the namespace choice in the browser: typing among a thousand, several at once, other settings unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser


def opened(page: Page, server: PageServer, path: str = "/resources/pods/") -> None:
    server.do("name", names=[f"team-{number:04}" for number in range(1000)])
    open_live(page, server.url + path)
    page.locator(".namespace-pop > summary").click()


def test_a_namespace_among_a_thousand_is_found_by_typing_and_shown_with_enter(page: Page, server: PageServer) -> None:
    opened(page, server, "/resources/pods/?q=pod")
    box = page.get_by_role("searchbox", name="Find a namespace")
    expect(box).to_be_focused()
    box.type("0987")
    expect(page.locator("#namespace-choices li")).to_have_text(["team-0987"])
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"/resources/pods/\?q=pod&namespace=team-0987$|\?namespace=team-0987&q=pod$"))
    expect(page.locator(".namespace-pop summary b")).to_have_text("team-0987")


def test_several_are_ticked_and_shown_together_and_go_along_to_another_kind(page: Page, server: PageServer) -> None:
    opened(page, server)
    box = page.get_by_role("searchbox", name="Find a namespace")
    for name in ("team-0700", "team-0003"):
        box.fill(name)
        page.get_by_role("checkbox", name=f"{name} too").check()
    box.fill("")
    expect(page.locator("#namespace-choices li").nth(1)).to_contain_text("team-0003")
    expect(page.locator("#namespace-choices input:checked")).to_have_count(2)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?namespace=team-0003,team-0700$"))
    page.locator('.kind-line[data-kind="events"] a').click()
    expect(page).to_have_url(re.compile(r"/resources/events/\?namespace=team-0003,team-0700$"))
    page.locator('.kind-line[data-kind="namespaces"] a').click()
    expect(page).to_have_url(re.compile(r"/resources/namespaces/$"))


def test_a_name_that_no_namespace_has_is_said_to(page: Page, server: PageServer) -> None:
    opened(page, server)
    page.get_by_role("searchbox", name="Find a namespace").fill("nope")
    expect(page.locator("#namespace-said")).to_have_text("No namespace matches.")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/resources/pods/$"))


def test_without_scripts_boxes_and_button_do_the_same(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    server.do("name", names=["shop", "search"])
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/resources/pods/?q=pod")
    page.locator(".namespace-pop > summary").click()
    for name in ("shop", "search"):
        page.get_by_role("checkbox", name=f"{name} too").check()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".namespace-pop summary b")).to_have_text("search, shop")
    expect(page.locator("#q")).to_have_value("pod")


@pytest.mark.long
def test_a_page_from_before_namespaces_were_listed_offers_those_of_now(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.locator(".namespace-pop > summary").click()
    expect(page.locator("#namespace-said")).to_have_text("No namespaces to show.")
    page.locator(".namespace-pop > summary").click()
    server.do("name", names=["shop", "search"])
    page.locator(".namespace-pop > summary").click()
    expect(page.locator("#namespace-choices a")).to_have_text(["search", "shop"])
    expect(page.locator("#namespace-said")).to_be_empty()
