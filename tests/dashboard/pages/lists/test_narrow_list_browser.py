"""Tests of lists in windows without room for all of a table, in the browser: the sort control, the node of a pod."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser


def test_a_phone_sorts_a_list_by_memory_without_scripts(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/resources/pods/?q=pod-00&columns=name,memory")
    page.locator("details.sort > summary").press("Enter")
    page.get_by_role("navigation", name="Sort by").get_by_role("link", name="Memory largest first").click()
    expect(page).to_have_url(f"{server.url}/resources/pods/?q=pod-00&sort=-memory&columns=name,memory")
    page.locator("details.sort > summary").press("Enter")
    expect(page.locator("#sort [aria-current]")).to_have_text("Memory largest first, reverse it")


@pytest.mark.parametrize("width", [1440, 1600])
def test_the_node_of_a_pod_is_in_sight_beside_cpu_and_memory(page: Page, server: PageServer, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    name = "fraud-scorer-sqfz45grzk-557gg"
    server.do("put", rows=[
        {"name": name, "node": "ip-10-0-1-23.eu-1.internal", "ip": "10.244.123.201", "status": "CrashLoopBackOff",
         "tone": "bad", "restarts": 15, "last-restart": 1.8e9},
    ])  # fmt: skip
    server.do("measure", usages=[
        {"key": f"default/{name}", "cpu": 0.242, "mebibytes": 735, "of_cpu": 1, "of_mebibytes": 1024},
    ])  # fmt: skip
    open_live(page, f"{server.url}/resources/pods/?q={name}")
    cell = page.locator("td.c-node")
    expect(cell).to_be_visible()
    card = page.locator(".table-card").bounding_box()
    box = cell.bounding_box()
    assert card is not None
    assert box is not None
    assert box["x"] + box["width"] <= card["x"] + card["width"]
    open_live(page, f"{server.url}/resources/pods/?columns=name,ip,last-restart")
    expect(page.locator("th.c-ip")).to_be_visible()  # who asks for a column has it
