"""Tests of the header in the browser: freshness details and the user."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.live_page import open_live, wait_for_heard_beats
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_click_on_the_freshness_says_why_kind_by_kind_and_by_which_worker(page: Page, server: PageServer) -> None:
    server.do("census", counts={"secrets": 2})
    open_live(page, f"{server.url}/")
    page.locator(".fresh").click()
    why = page.locator("#why")
    expect(why.get_by_role("row")).to_have_count(4)
    expect(why.get_by_role("row", name=re.compile("Pods"))).to_contain_text("live")
    expect(why).to_contain_text("comes from test-machine, process 7, which started")
    server.do("health", state="stale", problem="the watch was closed")
    row = why.get_by_role("row", name=re.compile("^Pods"))
    expect(row).to_contain_text("stale")
    expect(why).to_contain_text(re.compile(r"has not answered since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"))
    server.do("look_at", key="secrets")
    expect(why.get_by_role("row", name=re.compile("Secrets"))).to_contain_text("while open")
    assert page.evaluate("window.sameDocument")


@pytest.mark.long
def test_nothing_is_asked_for_while_it_is_closed(page: Page, server: PageServer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_live(page, f"{server.url}/")
    page.locator(".fresh").click()
    expect(page.locator("#why table")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()
    before = sum("/freshness/" in url for url in asked)
    wait_for_heard_beats(page, beats=4)  # open it would ask every two seconds
    assert sum("/freshness/" in url for url in asked) == before


def test_who_i_am_is_said_where_nobody_signs_in(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    expect(page.locator(".who")).to_have_text("local")
    expect(page.locator(".who")).to_have_attribute("title", re.compile("There is no sign-in"))


STATES = """async () => {
  const word = document.querySelector("[data-live-word]");
  const first = /data-live-word>([a-z]+)</.exec(await (await fetch(location)).text())[1];
  const places = {};
  for (const state of [first, "live", "stale", "offline"]) {
    document.dispatchEvent(new CustomEvent("deltaboard:state", { detail: { state, words: "" } }));
    places[word.textContent] = document.querySelector("[data-palette]").getBoundingClientRect().x;
  }
  return places;
}"""
"""Left end of the first button of the header's right half, by the word of the page's state."""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_header_stays_where_it_is_when_the_state_changes(page: Page, server: PageServer, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 720})
    open_live(page, f"{server.url}/")
    places = page.evaluate(STATES)
    assert len(places) == 4
    assert len(set(places.values())) == 1, places
