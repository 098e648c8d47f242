"""Tests of the column picker in the browser: columns chosen, ordered and hidden, the rest of the address unchanged."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.pages.lists.test_row_swap_browser import row
from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser


def headers(page: Page) -> list[str]:
    """Headers of the shown columns."""
    shown = "all => all.filter(each => each.checkVisibility()).map(each => each.innerText.trim())"
    found: list[str] = page.eval_on_selector_all("thead th", shown)
    return [text for text in found if text]  # the boxes' column has none


@pytest.mark.long
def test_columns_are_chosen_ordered_and_hidden_and_the_rest_of_the_address_stays(
    page: Page, server: PageServer
) -> None:
    open_live(page, f"{server.url}/resources/pods/?q=pod-00&open=default/pod-003")
    page.locator("details.columns > summary").click()
    form = page.get_by_role("form", name="Columns")
    form.get_by_role("checkbox", name="Namespace").uncheck()
    form.get_by_role("checkbox", name="Ready").uncheck()
    form.get_by_role("link", name="Status one place earlier").click()
    form.get_by_role("link", name="Status one place earlier").click()
    form.get_by_role("button", name="Show these").click()
    expect(page).to_have_url(re.compile(r"\?q=pod-00&open=default(/|%2F)pod-003&columns=status,name,"))
    expect(page.locator("thead th").nth(1)).to_contain_text("Status")
    until(lambda: headers(page)[:2] == ["Status", "Name"], what="Status, Name")
    assert "Ready" not in headers(page)
    expect(page.locator("#drawer h1")).to_have_text("pod-003")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    server.do("put", rows=[{"name": "pod-003", "version": 2, "restarts": 7}])
    expect(row(page, "pod-003").locator(".c-restarts")).to_have_text("7")
    page.locator("details.columns > summary").click()
    page.get_by_role("link", name="Default columns").click()
    expect(page.locator("th.c-namespace")).to_have_count(1)
    expect(page).not_to_have_url(re.compile("columns="))


def cells(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all("td.c-path", "all => all.map(each => each.innerText.trim())")
    return found


def test_a_field_by_path_is_added_in_the_picker_sorted_by_and_flashes_where_it_changes(
    page: Page, server: PageServer
) -> None:
    whole = [{"name": f"pod-{each:03d}", "obj": {"spec": {"priority": each % 3}}} for each in range(3)]
    server.do("put", rows=[{**row, "version": 2} for row in whole])
    open_live(page, f"{server.url}/resources/pods/?q=pod-00&columns=name,status")
    page.locator("details.columns > summary").click()
    form = page.get_by_role("form", name="Columns")
    form.get_by_role("combobox", name="Any field by its path").fill(".spec.priority")
    form.get_by_role("button", name="Show these").click()
    expect(page).to_have_url(re.compile(r"\?q=pod-00&columns=name,status,\.spec\.priority$"))
    expect(page.locator("td.c-path")).to_have_count(10)
    until(lambda: headers(page) == ["Name", "Status", ".spec.priority"], what="the path's column")
    until(lambda: cells(page)[:4] == ["0", "1", "2", "<none>"], what="its values")
    page.get_by_role("link", name=".spec.priority").click()
    expect(page.locator("th.c-path")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("link", name=".spec.priority").click()
    expect(page.locator("th.c-path")).to_have_attribute("aria-sort", "descending")
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    until(lambda: cells(page)[:4] == ["2", "1", "0", "<none>"], what="the largest first")
    server.do("put", rows=[{"name": "pod-001", "version": 3, "obj": {"spec": {"priority": 7}}}])
    expect(page.locator("tbody tr").first.locator("td.c-path")).to_have_text("7")
    wait_until(page, "window.flashed.some((cell) => cell.startsWith('pod-001 '))")
    page.locator("details.columns > summary").click()
    page.get_by_role("checkbox", name=".spec.priority").uncheck()
    page.get_by_role("button", name="Show these").click()
    expect(page.locator("th.c-path")).to_have_count(0)
