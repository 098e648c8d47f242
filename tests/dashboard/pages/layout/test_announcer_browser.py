"""Tests of announcements to screen readers: summaries now and then, and each problem once."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard.pages.lists.test_row_swap_browser import row
from tests.support.browser.live_page import open_live, wait_for_heard_beats
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

PODS = "/resources/pods/"
HEAR = """
window.said = [];
document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => window.said.push(
  document.getElementById("aloud").textContent
)).observe(document.getElementById("aloud"), {childList: true}));
"""


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    yield from one_server(page_server_pool)


def aloud(page: Page) -> Locator:
    return page.locator("#aloud")


def opened(page: Page, server: PageServer, path: str = PODS) -> None:
    page.add_init_script(HEAR)
    open_live(page, server.url + path)


@pytest.mark.long
def test_changes_are_told_as_one_sum_and_then_not_again_at_once(page: Page, server: PageServer) -> None:
    opened(page, server)
    server.do(
        "frame",
        rows=[{"name": name, "version": 2, "restarts": 1} for name in ("pod-001", "pod-002", "new-1")],
        gone=["pod-003"],
    )
    expect(aloud(page)).to_have_text("2 rows changed, 1 new, 1 deleted")
    for version in range(3, 7):
        server.do("put", rows=[{"name": "pod-001", "version": version, "restarts": version}])
    expect(row(page, "pod-001").locator(".c-restarts")).to_have_text("6")
    wait_for_heard_beats(page, beats=3)  # longer than the first sum took: nothing may be said in that time
    said = page.evaluate("window.said")
    assert [words for words in said if "row" in words] == ["2 rows changed, 1 new, 1 deleted"]


@pytest.mark.long
def test_a_row_that_moves_has_changed_and_has_not_come(page: Page, server: PageServer) -> None:
    opened(page, server, f"{PODS}?sort=-restarts")
    server.do("put", rows=[{"name": "pod-020", "version": 2, "restarts": 900}])
    expect(page.locator("tbody tr").first).to_have_attribute("data-name", "pod-020")
    expect(aloud(page)).to_have_text("1 row changed")


def test_a_trouble_is_told_once_though_the_banner_counts_down(page: Page, server: PageServer) -> None:
    opened(page, server)
    server.do("health", state="stale", problem="", retry_in=30.0)
    expect(page.locator("#banner")).to_contain_text(re.compile(r"Trying again in \d+ s\."))
    expect(aloud(page)).to_contain_text("The API server has not answered since")
    first = page.locator("#banner").inner_text()
    expect(page.locator("#banner")).not_to_have_text(first)
    server.do("health", state="live")
    expect(aloud(page)).to_have_text("Live again.")
    assert [words for words in page.evaluate("window.said") if "row" not in words] == [
        page.evaluate("window.said.find((words) => words.startsWith('The API server'))"),
        "Live again.",
    ]
    assert "Trying" not in "".join(page.evaluate("window.said"))
    assert page.locator("#banner").get_attribute("role") is None


def test_what_a_filter_finds_is_told(page: Page, server: PageServer) -> None:
    opened(page, server)
    page.locator("#q").fill("pod-02")
    expect(aloud(page)).to_have_text(re.compile(r"^Pods 10 of \d+$"))
