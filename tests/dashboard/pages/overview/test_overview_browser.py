"""Tests of the overview's chart in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser


def test_without_scripts_there_is_no_chart_that_only_a_script_could_draw(
    new_context: Callable[..., BrowserContext], server: PageServer
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/")
    expect(page.locator(".latest-card")).to_be_visible()
    expect(page.locator(".chart-card")).to_be_hidden()


PIXEL = """(share) => {
  const canvas = document.querySelector("#chart canvas");
  const [x, y] = [canvas.width * share, canvas.height / 4].map(Math.round);
  return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].join();
}"""
"""The colour of the chart above its bars, at a share of its width."""


def test_a_gap_is_a_band_in_the_chart(page: Page, server: PageServer) -> None:
    open_live(page, f"{server.url}/")
    page.evaluate(
        """() => {
          const rates = JSON.parse(document.getElementById("rates-data").textContent);
          const gaps = [[rates.start + 300, rates.start + 600]];
          document.dispatchEvent(new CustomEvent("deltaboard:rates", {detail: {...rates, gaps}}));
        }"""
    )
    outside, inside = (page.evaluate(PIXEL, share) for share in (0.2, 0.5))
    assert inside != outside
    expect(page.get_by_role("img", name="others may be missing")).to_be_visible()
