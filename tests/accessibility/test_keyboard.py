"""Tests of keyboard use: every page can be walked through with Tab, with a visible focus, and left again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.program import ROOT
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

PODS = "/resources/pods/"
PAGES = {
    "overview": "/",
    "list": PODS,
    "list with the drawer": f"{PODS}?open=default/pod-003",
    "filter with a mistake": f"{PODS}?q=restarts%3E",
    "feed": "/feed/",
    "controllers": "/controllers/",
    "details": f"{PODS}default/pod-003/",
    "yaml": f"{PODS}default/pod-003/yaml/",
    "no such page": "/nowhere/",
}
WALKED = PAGES | {"list": f"{PODS}?q=pod-00", "list with the drawer": f"{PODS}?q=pod-00&open=default/pod-003"}
"""With ten rows, which are walked as thirty are; the list whose filter is a mistake has those."""
FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body || element === document.documentElement) return null;
  window.walked ??= new Map();
  if (!window.walked.has(element)) window.walked.set(element, window.walked.size);
  const box = element.getBoundingClientRect();
  const shows = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    const ring = one.matches("label") && boxShadow !== "none";
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || ring;
  };
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const top = document.elementFromPoint(Math.min(Math.max(x, 0), innerWidth - 1), y);
  return {
    number: window.walked.get(element),
    what: element.outerHTML.slice(0, 120),
    seen: shows(element) || Boolean(element.closest("label") && shows(element.closest("label"))),
    uncovered: Boolean(top && (element.contains(top) || top.contains(element) || element.labels?.[0]?.contains(top))),
  };
}"""
STAYS = "document.activeElement.type !== 'datetime-local'"
"""A date has several fields inside, and keeps the focus for as many steps."""
MOST = 400
"""Steps after which a walk is taken for one that never ends."""


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    yield from one_server(page_server_pool)


def walk(page: Page, key: str) -> list[dict[str, Any]]:
    """What has the focus after each press of a key, until it leaves the page or begins anew."""
    steps: list[dict[str, Any]] = []
    for _ in range(MOST):
        page.keyboard.press(key)
        step = page.evaluate(FOCUSED)
        if step is None or any(step["number"] == earlier["number"] for earlier in steps[:-1]):
            break
        if not steps or step["number"] != steps[-1]["number"]:
            steps.append(step)
        elif page.evaluate(STAYS):
            break
    return steps


@pytest.mark.long
@pytest.mark.parametrize("name", WALKED)
def test_tab_goes_through_the_page_and_out_again_and_the_focus_is_always_seen(
    new_context: Callable[..., BrowserContext], server: PageServer, name: str
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    if name == "controllers":
        server.do("run_controllers", keys=["a", "b"])
    open_live(page, server.url + WALKED[name])
    steps = walk(page, "Tab")
    assert len(steps) < MOST, "the walk never ends"
    assert 'class="skip"' in steps[0]["what"]
    assert [step["what"] for step in steps if not step["seen"]] == [], "the focus cannot be seen"
    assert [step["what"] for step in steps if not step["uncovered"]] == [], "something lies over what has the focus"
    reachable = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
          .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true })
            && !one.closest("[inert]"))
          .filter((one) => !window.walked.has(one) && !(one.type === "radio" && !one.checked))
          .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert reachable == [], "Tab does not come there"
    page.evaluate("window.walked.clear()")
    assert len(walk(page, "Shift+Tab")) >= len(steps) - 1, "Shift-Tab comes back the same way"


def test_a_popover_opens_by_enter_is_walked_and_escape_gives_the_focus_back(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    for popover in (".cluster", ".columns", ".export", ".fresh-pop", ".theme"):
        summary = page.locator(f"{popover} > summary")
        summary.focus()
        page.keyboard.press("Enter")
        body = page.locator(f"{popover} > :not(summary)").first
        expect(body, f"{popover} opens").to_be_visible()
        if popover == ".fresh-pop":
            expect(body.locator("a").first).to_be_visible()
        page.keyboard.press("Tab")
        inside = page.evaluate("(one) => document.querySelector(one).contains(document.activeElement)", popover)
        assert inside or body.locator("a, button, input").count() == 0, popover
        page.keyboard.press("Escape")
        expect(body, f"{popover} closes").to_be_hidden()
        if inside:
            expect(summary, f"{popover} gives the focus back").to_be_focused()


def test_the_help_opens_over_the_page_and_escape_gives_the_focus_back(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    page.keyboard.press("j")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", name="Single-key shortcuts")).to_be_focused()
    page.keyboard.press("Tab")
    outside = "!document.querySelector('#keys').contains(document.activeElement)"
    assert not page.evaluate(f"{outside} && document.activeElement !== document.body"), "the page below is out of reach"
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    expect(page.locator("tr[data-name=pod-000] :focus")).to_have_count(1)


def test_the_help_lists_every_key_there_is() -> None:
    script = (ROOT / "static/js/page/shortcuts.js").read_text()
    keys = set(re.findall(r'^    (?:"(.)"|([a-z])): ', script, re.MULTILINE))
    go = re.search(r"const GO = \{(.*?)\}", script)
    assert go is not None
    wanted = {one or other for one, other in keys} | set(re.findall(r"(\w): \"/", go[1]))
    assert {"j", "k", "x", "e", "d", "y", "f", "?", "o", "p", "m", "c"} <= wanted
    listed = set(re.findall(r"<kbd>([^<]+)</kbd>", (ROOT / "templates/layout/_shortcuts.html").read_text()))
    assert wanted - listed == set()


NOTE_MOTION = """() => new MutationObserver(() => {
  if (document.querySelector("tr[data-name=a-new-one].added")) window.moving ??= document.getAnimations().length;
}).observe(document.body, { subtree: true, childList: true, attributeFilter: ["class"] })"""
"""Notes how much moves when a row has been marked as added, which it is for a second only."""


def test_who_wants_less_motion_gets_none(new_context: Callable[..., BrowserContext], server: PageServer) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    open_live(page, server.url + PODS)
    page.evaluate(NOTE_MOTION)
    server.do("put", rows=[{"name": "a-new-one"}, {"name": "pod-004", "version": 2, "restarts": 3}])
    wait_until(page, "window.moving !== undefined")
    assert page.evaluate("window.moving") == 0


def test_with_colours_of_the_system_the_cursor_and_the_state_are_still_seen(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(forced_colors="active").new_page()
    open_live(page, server.url + PODS)
    page.keyboard.press("j")
    page.keyboard.press("x")
    cell = page.locator("tr[data-ui-cursor] td").nth(1)
    expect(cell).to_have_css("outline-style", "solid")
    expect(page.locator(".pulse")).to_have_css("forced-color-adjust", "none")
    expect(page.locator("tr[data-ui-cursor] input")).to_be_checked()


def test_with_colours_of_the_system_the_chosen_tab_is_told_by_its_line(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(forced_colors="active").new_page()
    open_live(page, server.url + PAGES["list with the drawer"])
    line = "getComputedStyle(document.querySelector('.drawer-tabs a{}')).borderBottomColor"
    around = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert page.evaluate(line.format("[aria-current]")) != around
    assert page.evaluate(line.format(":not([aria-current])")) == around


HAS_COLOUR = """(selector) => {
  const legend = getComputedStyle(document.querySelector(selector)).backgroundColor;
  const wanted = legend.match(/\\d+/g).slice(0, 3).map(Number);
  const canvas = document.querySelector("#chart canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4) {
    if (wanted.every((value, index) => Math.abs(data[at + index] - value) < 3) && data[at + 3] > 250) return true;
  }
  return false;
}"""
"""Whether the chart has a point of the colour that an element of the legend has."""


def test_with_colours_of_the_system_a_chart_has_the_colours_of_its_legend(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(forced_colors="active").new_page()
    server.do("put", rows=[{"name": "pod-005", "version": 7, "restarts": 9}])
    open_live(page, server.url)
    wait_until(page, f"({HAS_COLOUR})('.legend .dot.modified')")
