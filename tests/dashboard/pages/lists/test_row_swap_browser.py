"""Tests of rows in the browser: inserted, moved, marked and removed, with node, focus and scroll position unchanged."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser


def row(page: Page, name: str) -> Locator:
    return page.locator(f"tbody tr[data-name='{name}']")


def flashed(page: Page) -> list[str]:
    """Name and cell index of every cell that flashed."""
    found: list[str] = page.evaluate("[...new Set(window.flashed)].sort()")
    return found


def order(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        "tbody tr:not([data-gone])", "rows => rows.map(row => row.dataset.name)"
    )
    return found


def placing(where: str, rows: str) -> str:
    return f'<hx-partial hx-target="#rows-VID" hx-swap="place {where}">{rows}</hx-partial>'


def swap(page: Page, html: str) -> None:
    """Apply a frame's HTML as hx-ws does, with VID for the view's id."""
    page.evaluate(
        """async html => {
          const socket = document.getElementById("socket");
          const text = html.replaceAll("VID", document.querySelector("[data-view]").dataset.view);
          await htmx.swap({sourceElement: socket, target: socket, swap: "none swapEmpty:false", text});
        }""",
        html,
    )


@pytest.mark.long
def test_a_changed_row_keeps_node_and_focus_and_its_changed_cell_flashes(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/?sort=-restarts")
    expect(row(page, "pod-029")).to_have_count(1)
    page.evaluate("""() => {
      window.row = document.querySelector("tr[data-name='pod-020']");
      window.link = row.querySelector("a");
      link.focus();
    }""")
    server.do("put", rows=[{"name": "pod-020", "version": 2, "restarts": 7}])
    expect(row(page, "pod-020").locator(".c-restarts")).to_have_text("7")
    until(lambda: order(page)[0] == "pod-020", what="the largest first")
    assert page.evaluate("window.row === document.querySelector(\"tr[data-name='pod-020']\")")
    assert page.evaluate("document.activeElement === window.link")
    until(lambda: flashed(page) == ["pod-020 5"], what="the Restarts cell flashes, and no other")
    expect(row(page, "pod-020").locator(".changed")).to_have_count(0)


@pytest.mark.long
def test_an_added_row_is_marked_as_added_and_stands_in_its_place(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("put", rows=[{"name": "pod-010a"}, {"name": "pod-010b"}, {"name": "zzz"}])
    expect(row(page, "pod-010b")).to_have_count(1)
    until(lambda: order(page)[10:14] == ["pod-010", "pod-010a", "pod-010b", "pod-011"], what="in their places")
    until(lambda: order(page)[-1] == "zzz", what="the last one")
    expect(page.locator("tr.added")).to_have_count(0)


NOTE_LEAVING = """(name) => {
  const row = document.querySelector(`tbody tr[data-name='${name}']`);
  new MutationObserver(() => {
    if (row.hasAttribute("data-gone")) window.struckOut ??= performance.now();
    if (!row.isConnected) window.left ??= performance.now();
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ["data-gone"] });
}"""
"""Notes when a row is struck out, and when it leaves."""


@pytest.mark.long
def test_a_deleted_row_is_struck_out_for_three_seconds(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    page.evaluate(NOTE_LEAVING, "pod-005")
    server.do("frame", rows=[{"name": "pod-005a"}], gone=["pod-005"])
    expect(row(page, "pod-005a")).to_have_count(1)
    expect(row(page, "pod-005")).to_have_count(0)
    seconds = page.evaluate("(window.left - window.struckOut) / 1000")
    assert seconds >= 2.9, "a page's timers are late where the machine is busy, and never early"


@pytest.mark.long
def test_an_object_created_again_at_once_has_a_row_of_its_own(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("frame", rows=[{"name": "pod-005", "uid": "another"}], gone=["pod-005"])
    expect(page.locator("#row-another")).to_have_count(1)
    expect(page.locator("#row-uid-default-pod-005")).to_have_attribute("data-gone", "")


@pytest.mark.long
def test_many_changes_at_once_come_as_a_window_that_keeps_what_is_the_same(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    server.do("put", rows=[{"name": f"pod-{index:03d}", "version": 2} for index in range(30, 95)])
    expect(page.locator("tbody tr")).to_have_count(95)
    page.evaluate("window.flashed.length = 0")
    page.evaluate("window.row = document.querySelector(\"tr[data-name='pod-003']\")")
    changes = [{"name": f"pod-{index:03d}", "version": 3, "restarts": 1} for index in range(90)]
    server.do("frame", rows=changes, gone=["pod-091"])
    expect(row(page, "pod-003").locator(".c-restarts")).to_have_text("1")
    until(lambda: flashed(page) == sorted(f"pod-{index:03d} 5" for index in range(90)), what="90 cells flash")
    assert page.evaluate("[...new Set(window.gone)]") == ["pod-091"]
    assert page.evaluate("window.row === document.querySelector(\"tr[data-name='pod-003']\")")
    until(lambda: order(page) == [f"pod-{index:03d}" for index in range(95) if index != 91], what="all in order")
    expect(row(page, "pod-091")).to_have_count(0)


def test_a_missing_reference_loses_nothing_and_the_window_is_asked_for(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    opened = server.do("stats")["windows"]
    swap(
        page,
        placing("before:row-nowhere", '<tr id="row-ghost"><td>ghost</td></tr>')
        + '<hx-partial hx-target="#rows-VID>#row-nobody" hx-swap="gone"></hx-partial>'
        + placing("before:row-ghost", '<tr id="row-late"><td>late</td></tr>'),
    )
    expect(page.locator("#row-ghost")).to_have_count(0)  # the window that came knows of no such row
    until(lambda: server.do("stats")["windows"] == opened + 1, what="the window")
    expect(page.locator("tbody tr")).to_have_count(30)


def test_frames_of_an_old_filter_miss(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    swap(
        page,
        placing("end", '<tr id="row-ghost"><td>ghost</td></tr>').replace("VID", "0123456789ab")
        + '<hx-partial hx-target="#total-VID" hx-swap="innerHTML">still applied</hx-partial>',
    )
    expect(page.locator("#row-ghost")).to_have_count(0)
    expect(page.locator("h1")).to_contain_text("still applied")


def test_a_checkbox_and_an_age_survive_whatever_the_server_draws(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/resources/pods/")
    cell = '<td><input type="checkbox"></td><td><time data-age="object" datetime="2027-01-15T08:00:00Z">UTC</time></td>'
    place = placing("end", f'<tr id="row-x">{cell}<td>%s</td></tr>')
    swap(page, place % "1")
    age = page.locator("#row-x time")
    expect(age).not_to_have_text("UTC")
    page.evaluate("document.querySelector('#row-x input').checked = true")
    page.evaluate("window.words = document.querySelector('#row-x time').textContent")
    swap(page, place % "2")
    assert page.locator("#row-x input").is_checked()
    expect(page.locator("#row-x td").nth(2)).to_have_text("2")
    assert page.evaluate("document.querySelector('#row-x time').textContent === window.words")
    until(lambda: flashed(page) == ["row-x 2"], what="the cell that changed flashes")
