"""Tests of pages at 400 %: a window of 1280 × 1024 has 320 × 256 CSS pixels then (WCAG 2.2, 1.4.10)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.accessibility.test_keyboard import PAGES
from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer, one_server
from tests.support.long_tests import long_but
from tests.support.program_fork_server import ProgramPool

pytestmark = pytest.mark.browser

LOST = """() => {
  const [width, height] = [document.documentElement.clientWidth, document.documentElement.clientHeight];
  const words = (one) => one.outerHTML.slice(0, 120);
  const scrolls = (one) => {
    for (let each = one.parentElement; each; each = each.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth) return true;
    }
    return false;
  };
  const parts = [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, h1, h2, h3, p, label",
  )].filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => !one.closest("[inert], .skip"));
  const outside = parts.filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && (box.right > width + 1 || box.left < -1) && !scrolls(one);
  });
  const fixed = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
    && /fixed|sticky/.test(getComputedStyle(one).position) && !one.closest("[inert], dialog, [popover], #drawer"));
  const covered = new Array(height).fill(false);
  for (const one of fixed) {
    const box = one.getBoundingClientRect();
    const [top, bottom] = [box.top, box.bottom].map((each) => Math.max(0, Math.round(each)));
    if (box.width > width / 2) covered.fill(true, top, bottom);
  }
  return {
    over: document.documentElement.scrollWidth - width,
    outside: outside.map(words),
    read: covered.filter((each) => !each).length / height,
  };
}"""
"""How much wider the page is than its window, what is outside of it and cannot be scrolled to, and the share of the
window's height in which the page is read when it has been scrolled: that which nothing that stays lies over."""


@pytest.fixture(scope="module")
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    yield from one_server(page_server_pool)


@pytest.mark.parametrize("name", long_but(PAGES, "list"))
def test_at_400_percent_a_page_is_read_by_scrolling_down_alone(page: Page, server: PageServer, name: str) -> None:
    page.set_viewport_size({"width": 320, "height": 256})
    if name == "controllers":
        server.do("run_controllers", keys=["a", "b"])
    open_live(page, server.url + PAGES[name])
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    found = page.evaluate(LOST)
    assert found["over"] <= 0
    assert found["outside"] == []
    assert found["read"] > 0.5, "what stays in place takes most of the window"
