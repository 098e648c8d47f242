"""Tests of selected rows in the browser: kept by uid across lists, correct after deletions, and their actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.dashboard.pages.lists.test_row_swap_browser import row
from tests.support.browser.chromium import wait_until
from tests.support.browser.live_page import has_copied, open_live
from tests.support.browser.page_server_program import PageServer
from tests.support.wait import until

pytestmark = pytest.mark.browser

PODS = "/resources/pods/"


def box(page: Page, name: str) -> Locator:
    return row(page, name).get_by_role("checkbox")


def words(page: Page) -> Locator:
    return page.locator("#selection [data-words]")


def more(server: PageServer, number: int) -> None:
    server.do("put", rows=[{"name": f"web-{index:03d}"} for index in range(number)])


@pytest.mark.long
def test_x_a_click_and_shift_select_rows_and_the_bar_counts_them(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    expect(page.locator("#selection")).to_be_hidden()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(box(page, "pod-001")).to_be_checked()
    expect(words(page)).to_have_text("1 selected")
    page.keyboard.press("x")
    expect(box(page, "pod-001")).not_to_be_checked()
    expect(page.locator("#selection")).to_be_hidden()
    box(page, "pod-004").click()
    box(page, "pod-009").click(modifiers=["Shift"])
    expect(words(page)).to_have_text("6 selected")
    box(page, "pod-007").click()
    expect(words(page)).to_have_text("5 selected")
    assert page.evaluate("getSelection().isCollapsed"), "no text was marked"
    expect(page).to_have_url(server.url + PODS)
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.locator("#selection")).to_be_hidden()
    expect(page.locator("tbody :checked")).to_have_count(0)


def test_a_range_by_shift_on_the_cell_beside_the_box_is_one_too(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    box(page, "pod-010").click()
    row(page, "pod-012").locator("td.c-select").click(modifiers=["Shift"], position={"x": 3, "y": 16})
    expect(words(page)).to_have_text("3 selected")


@pytest.mark.long
def test_it_is_kept_across_filter_order_reload_and_changes_of_the_rows(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    for name in ("pod-003", "pod-021"):
        box(page, name).click()
    page.locator("#q").fill("pod-00")
    expect(words(page)).to_have_text("2 selected, 1 of them not on this page")
    expect(box(page, "pod-003")).to_be_checked()
    page.locator("#q").fill("pod-01")
    expect(words(page)).to_have_text("2 selected, not on this page")
    page.locator("#q").fill("")
    expect(box(page, "pod-021")).to_be_checked()
    page.locator("th.c-restarts a").click()
    expect(page).to_have_url(re.compile("sort="))
    expect(box(page, "pod-021")).to_be_checked()
    server.do(
        "put", rows=[{"name": "pod-021", "version": 2, "restarts": 9}, {"name": "pod-022", "version": 2, "restarts": 8}]
    )
    expect(row(page, "pod-021").locator(".c-restarts")).to_have_text("9")
    expect(box(page, "pod-021")).to_be_checked()
    expect(box(page, "pod-022")).not_to_be_checked()
    page.reload()
    expect(words(page)).to_have_text("2 selected")


def test_another_tab_has_a_selection_of_its_own(new_context: Callable[..., BrowserContext], server: PageServer) -> None:
    context = new_context()
    first, second = context.new_page(), context.new_page()
    open_live(first, server.url + PODS)
    open_live(second, server.url + PODS)
    box(first, "pod-003").click()
    second.reload()
    expect(second.locator("#selection")).to_be_hidden()


@pytest.mark.long
def test_what_is_deleted_leaves_it_on_this_page_and_elsewhere_and_the_bar_says_so(
    page: Page, server: PageServer
) -> None:
    open_live(page, server.url + PODS)
    for name in ("pod-001", "pod-002", "pod-025"):
        box(page, name).click()
    server.do("drop", names=["pod-001"])
    expect(words(page)).to_have_text("2 selected · 1 was deleted and left the selection")
    page.locator("#q").fill("pod-00")
    expect(words(page)).to_contain_text("2 selected, 1 of them not on this page")
    server.do("drop", names=["pod-025"])
    expect(words(page)).to_have_text("1 selected · 2 were deleted and left the selection")
    server.do("put", rows=[{"name": "pod-001", "uid": "another"}])
    expect(box(page, "pod-001")).not_to_be_checked()
    server.do("drop", names=["pod-002"])
    expect(words(page)).to_have_text("Nothing is selected any more: 3 were deleted")
    expect(page.get_by_role("button", name="Names")).to_be_hidden()


@pytest.mark.long
def test_all_on_this_page_and_all_that_match(page: Page, server: PageServer) -> None:
    more(server, 130)
    open_live(page, f"{server.url}{PODS}?q=web")
    head = page.get_by_role("checkbox", name="Select all on this page")
    box(page, "web-000").click()
    until(lambda: head.evaluate("box => box.indeterminate"), what="some of all")
    head.click()
    expect(words(page)).to_have_text("100 selected")
    page.get_by_role("button", name="Select all 130 that match").click()
    expect(words(page)).to_have_text("130 selected, 30 of them not on this page")
    page.goto(f"{server.url}{PODS}?q=web&page=2")
    expect(box(page, "web-129")).to_be_checked()
    expect(head).to_be_checked()
    head.click()
    expect(words(page)).to_have_text("100 selected, not on this page")


def test_names_command_and_file_are_of_the_selected(
    new_context: Callable[..., BrowserContext], server: PageServer, tmp_path: Path
) -> None:
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    open_live(page, f"{server.url}{PODS}?sort=-name&columns=name")
    for name in ("pod-001", "pod-011"):
        box(page, name).click()
    page.get_by_role("button", name="Names").click()
    has_copied(page, "default/pod-001\ndefault/pod-011")
    page.get_by_role("button", name="kubectl").click()
    has_copied(page, "kubectl get pods pod-001 pod-011 -n default")
    with page.expect_download() as download:
        page.locator("#selection").get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "pods-selected.csv"
    download.value.save_as(tmp_path / "file")
    assert (tmp_path / "file").read_text().split() == ["Name", "pod-011", "pod-001"]
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    assert page.evaluate("window.sameDocument")


def test_more_than_can_be_selected_is_refused_in_a_sentence(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    page.route("**/selected/", lambda route: route.abort())
    page.evaluate(
        """path => sessionStorage.setItem(
            `deltaboard-selected ${path}`, JSON.stringify(Array.from({length: 9_999}, (_, n) => `uid-${n}`)))""",
        PODS,
    )
    page.reload()
    expect(words(page)).to_have_text("9,999 selected, not on this page")
    box(page, "pod-001").click()
    expect(words(page)).to_have_text("10,000 selected, 9,999 of them not on this page")
    box(page, "pod-002").click()
    expect(words(page)).to_have_text("10,000 can be selected at most, and that would be 10,001: nothing was added.")
    expect(box(page, "pod-002")).not_to_be_checked()
    box(page, "pod-001").click()
    expect(box(page, "pod-001")).not_to_be_checked()


@pytest.mark.long
def test_what_the_server_calls_gone_once_and_then_knows_stays(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    asked: list[str] = []

    def answer(route: Route) -> None:
        found = re.search(r'name="uid"\s+(\S*)', route.request.post_data or "")
        assert found
        asked.append(found[1])
        route.fulfill(json={"gone": ["uid-default-pod-025"] if len(asked) == 1 else []})

    page.route("**/selected/", answer)
    for name in ("pod-001", "pod-025"):
        box(page, name).click()
    page.locator("#q").fill("pod-00")
    expect(words(page)).to_have_text("2 selected, 1 of them not on this page")
    until(lambda: page.title() and len(asked) > 1, what="it asks again")  # heard while the page is asked something
    assert asked[:2] == ["uid-default-pod-001,uid-default-pod-025", "uid-default-pod-025"]
    page.wait_for_timeout(300)
    expect(words(page)).to_have_text("2 selected, 1 of them not on this page")


@pytest.mark.long
def test_names_and_command_are_copied_without_a_clipboard_and_as_the_cluster_has_kubectl(
    page: Page, server: PageServer
) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.add_init_script(
        "document.addEventListener('copy', () => { window.copied = document.activeElement.value; }, true)"
    )
    open_live(page, server.url + PODS)
    server.do("own", kubeconfig="/tmp/demo.kubeconfig")
    box(page, "pod-001").click()
    page.get_by_role("button", name="Names").click()
    wait_until(page, "window.copied === 'default/pod-001'")
    page.get_by_role("button", name="kubectl").click()
    wait_until(
        page,
        "words => window.copied === words",
        "kubectl --kubeconfig /tmp/demo.kubeconfig get pods pod-001 -n default",
    )
    expect(page.get_by_role("button", name="Names")).to_be_visible()  # it no longer says that it has copied
    server.do("health", state="stale", problem="a test says so")
    page.route("**/selected/", lambda route: route.abort())
    page.get_by_role("button", name="Names").click()
    expect(words(page)).to_have_text("The server does not answer just now.")


def test_a_selection_opens_nothing_and_stays_while_the_drawer_opens(page: Page, server: PageServer) -> None:
    open_live(page, server.url + PODS)
    box(page, "pod-005").click()
    expect(page.locator("#drawer")).to_be_hidden()
    row(page, "pod-006").locator(".c-status").click()
    expect(page.locator("#drawer h1")).to_have_text("pod-006")
    expect(words(page)).to_have_text("1 selected")
    expect(box(page, "pod-005")).to_be_checked()


def test_without_scripts_there_is_nothing_to_select(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(server.url + PODS)
    expect(row(page, "pod-001")).to_be_visible()
    expect(box(page, "pod-001")).to_be_hidden()
    expect(page.locator("#selection")).to_be_hidden()
