"""Tests of a page that stays open: its cost to the browser does not grow, and is next to nothing at rest.

`python -m benchmarks.browser_hours` does the same for eight hours.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_heap_and_dom_counts import costs_of, least_costs_of
from tests.support.browser.page_server_program import PageServer
from tests.support.long_tests import long_but
from tests.support.wait import until

pytestmark = pytest.mark.browser

PAGES = {"/resources/pods/?sort=-restarts": 30, "/resources/pods/?open=default/pod-001": 420, "/feed/": 300, "/": 30}
"""Seconds until a page has all that it ever has: compiled scripts, and as many lines as it keeps."""
MINUTES = 2


def live_through(page: Page, server: PageServer, seconds: int) -> None:
    """Let so many seconds pass, and what they brought come to rest."""
    wanted = server.do("stats")["lived"] + seconds
    server.do("pass_time", seconds=seconds)
    until(lambda: server.do("stats")["lived"] == wanted, within=120, what=f"{seconds} s lived through")
    expect(page.locator("[data-gone], tr.added, td.changed")).to_have_count(0, timeout=30_000)


@pytest.mark.long
@pytest.mark.parametrize("path", long_but(PAGES, "/resources/pods/?sort=-restarts"))
def test_a_page_does_not_grow_however_long_it_is_open(page: Page, server: PageServer, path: str) -> None:
    open_live(page, server.url + path)
    live_through(page, server, PAGES[path])
    before = least_costs_of(page)
    live_through(page, server, MINUTES * 60)
    assert server.do("stats")["sockets"] == 1
    most = before.nodes + MINUTES * 60
    until(lambda: costs_of(page).nodes < most, within=60, every=0.33, what="nodes let go of: each second leaves one")
    after = least_costs_of(page)
    assert after.listeners <= before.listeners
    assert after.elements <= before.elements * 1.05  # a line more or less, and what it has to say
    assert after.heap <= before.heap * 1.15


SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const moved = entry.sources.filter(({node}) => node?.matches?.(".table *, h1, h1 *, header, header *, #side *"));
      if (moved.length) window.shifts.push([entry.value, ...moved.map(({node}) => node?.outerHTML.slice(0, 80))]);
    }
  }).observe({ type: "layout-shift" });
}"""
"""Notes what something else moves. A number that grows leftwards in its own cell is a text node's shift, and counts
beside statuses move each other by a digit's width."""
WORDS = ["Running", "CrashLoopBackOff", "Init:ImagePullBackOff", "Pending"]


@pytest.mark.long
def test_nothing_shifts_when_live_rows_arrive(page: Page, server: PageServer) -> None:
    widest = {"restarts": 10**5, "status": max(WORDS, key=len), "node": f"node-{'x' * 25}"}
    server.do("put", rows=[{"name": "pod-000", "version": 1, **widest}])
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate("document.fonts.ready")
    page.wait_for_function("document.querySelector('.table th.c-name').style.width")  # the columns have been measured
    page.evaluate(SHIFTS)
    for number in range(2, 42):
        rows = [
            {"name": f"pod-{(number * 5 + step) % 30:03d}", "version": number * 3 + step,
             "restarts": 10 ** (number % 5), "status": WORDS[(number + step) % 4], "node": "n" * (5 + number % 25)}
            for step in range(3)
        ]  # fmt: skip
        server.do("put", rows=[*rows, {"name": f"zz-{number}", "version": 1}])
        page.wait_for_timeout(50)
    expect(page.locator("tr[data-name='zz-41']")).to_have_count(1)
    page.wait_for_timeout(1500)  # heartbeats, counts and ages
    assert page.evaluate("window.shifts") == []


def test_a_page_at_rest_writes_only_what_a_second_changes(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("health", state="live")
    page.wait_for_timeout(1500)
    page.evaluate("""() => {
      window.written = [];
      new MutationObserver((records) => {
        for (const {target, type} of records) {
          const element = target.nodeType === 1 ? target : target.parentElement;
          window.written.push(`${type} ${element.tagName} ${element.className}`);
        }
      }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    }""")
    page.wait_for_timeout(4000)
    written = page.evaluate("window.written")
    allowed = ("characterData TIME", "characterData SPAN", "characterData DD")
    assert [each for each in written if not each.startswith(allowed)] == []
    assert page.evaluate("document.getAnimations().length") == 0
