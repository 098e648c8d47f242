"""Tests of the overview in a browser without scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser


def test_without_scripts_there_is_no_chart_that_only_a_script_could_draw(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/")
    expect(page.locator(".latest-card")).to_be_visible()
    expect(page.locator(".chart-card")).to_be_hidden()
