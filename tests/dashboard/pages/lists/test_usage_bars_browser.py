"""Tests of bars of usage in rows, in the browser: those of a column begin at one place."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser

BARS = """(column) => [...document.querySelectorAll(`td.c-${column} .share svg`)].map((bar) => {
  const cell = bar.closest("td");
  return [bar.getBoundingClientRect().x, cell.scrollWidth > cell.clientWidth];
})"""
"""Left end of each bar, and whether its cell is cut off."""


@pytest.mark.parametrize("width", [1440, 390])
def test_bars_of_a_column_begin_at_one_place(page: Page, server: PageServer, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    names = [f"pod-{number:03d}" for number in range(4)]
    server.do("put", rows=[{"name": name, "node": "n" * 6 * number} for number, name in enumerate(names, 1)])
    server.do("measure", usages=[])
    open_live(page, f"{server.url}/resources/pods/")
    amounts = [(0.005, 5, 0), (0.05, 95, 0), (1.5, 20_000, 0), (16, 300, 2)]
    server.do("measure", usages=[
        {"key": f"default/{name}", "cpu": cpu, "mebibytes": size, "of_cpu": 20, "of_mebibytes": 20_000,
         "pods": 38, "unmeasured": unmeasured}
        for name, (cpu, size, unmeasured) in zip(names, amounts, strict=True)
    ])  # fmt: skip
    expect(page.locator("td.c-memory .share svg")).to_have_count(4)
    for column in ("cpu", "memory"):
        bars = page.evaluate(BARS, column)
        assert len({x for x, _ in bars}) == 1, bars
        assert not any(is_cut_off for _, is_cut_off in bars)
