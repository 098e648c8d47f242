"""Tests of copying in the browser: status lines, names and kubectl commands."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.live_page import has_copied, open_live, press_and_wait_for_copied
from tests.support.browser.page_server_program import PageServer

COPIED = "navigator.clipboard.readText()"
POD = "/resources/pods/default/pod-003/"


@pytest.fixture
def reader(new_context: Callable[..., BrowserContext], server: PageServer) -> Page:
    """A page that may read what was copied."""
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    return context.new_page()


@pytest.mark.long
@pytest.mark.parametrize("place", [POD, "/resources/pods/?open=default/pod-003"])
def test_the_status_line_says_what_how_since_when_where_and_when(reader: Page, server: PageServer, place: str) -> None:
    server.do("put", rows=[{"name": "pod-003", "version": 2, "status": "Crash_Loop*", "tone": "bad"}])
    open_live(reader, server.url + place)
    press_and_wait_for_copied(reader, reader.get_by_role("button", name="Status line").click)
    line = reader.evaluate(COPIED)
    assert "\n" not in line
    assert line.startswith(f"**Pod [default/pod-003]({server.url}{POD})**: ")
    assert re.search(r" · created [0-9 :-]+ UTC · cluster test · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$", line)


def test_a_page_that_is_not_live_says_so_in_what_it_copies(reader: Page, server: PageServer) -> None:
    open_live(reader, server.url + POD)
    server.do("health", state="stale", problem="the watch was closed")
    expect(reader.locator("body")).to_have_attribute("data-live", "stale")
    press_and_wait_for_copied(reader, reader.get_by_role("button", name="Status line").click)
    assert re.search(r" UTC, as last heard at [0-9 :-]+ UTC$", reader.evaluate(COPIED))


def test_name_and_command_are_copied_and_the_command_finds_a_cluster_that_is_the_dashboards_own(
    reader: Page, server: PageServer
) -> None:
    server.do("own", kubeconfig="/tmp/a b/demo.kubeconfig")
    open_live(reader, server.url + POD)
    reader.get_by_role("button", name="Name", exact=True).click()
    has_copied(reader, "pod-003")
    reader.get_by_role("button", name="kubectl", exact=True).click()
    has_copied(reader, "kubectl --kubeconfig '/tmp/a b/demo.kubeconfig' get pods pod-003 -n default -o yaml")
    reader.goto(f"{server.url}/resources/pods/")
    reader.get_by_text("Export").click()
    expect(reader.locator("#command")).to_have_text("kubectl --kubeconfig '/tmp/a b/demo.kubeconfig' get pods -A")
    expect(reader.locator(".export")).to_contain_text("Deltaboard runs this cluster")
    reader.locator(".export").get_by_role("button", name="Copy").click()
    has_copied(reader, "kubectl --kubeconfig '/tmp/a b/demo.kubeconfig' get pods -A")


def test_without_a_clipboard_copying_works_the_old_way(page: Page, server: PageServer) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    open_live(page, server.url + POD)
    press_and_wait_for_copied(page, page.get_by_role("button", name="Name", exact=True).click)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    page.keyboard.press("Control+v")
    expect(page.get_by_role("combobox", name="Go to")).to_have_value("pod-003")
