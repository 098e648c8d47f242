"""Tests of images in rows, in the browser: one that has no room is cut at its beginning."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support.browser.live_page import open_live
from tests.support.browser.page_server_program import PageServer

pytestmark = pytest.mark.browser

CELL = """() => {
  const row = document.querySelector("table.table tbody tr");
  const cell = row.insertCell();
  cell.className = "c-images k-mono";
  cell.textContent = `registry.example.com/${"path/".repeat(30)}web:1.2.3`;
  const text = document.createRange();
  text.setStart(cell.firstChild, cell.textContent.length - 1);
  text.setEnd(cell.firstChild, cell.textContent.length);
  const [end, box] = [text.getBoundingClientRect(), cell.getBoundingClientRect()];
  return [cell.scrollWidth > cell.clientWidth, end.left >= box.left && end.right <= box.right + 1];
}"""
"""Whether the text has more than its room, and whether its end is in sight."""


ORDER = """() => {
  const cell = document.querySelector("table.table tbody tr").insertCell();
  cell.className = "c-images k-mono";
  cell.textContent = "10.0.0.5:5000/web:1";
  const letter = (place) => {
    const text = document.createRange();
    text.setStart(cell.firstChild, place);
    text.setEnd(cell.firstChild, place + 1);
    return text.getBoundingClientRect().left;
  };
  const places = [...cell.textContent].map((_, place) => letter(place));
  return places.every((left, place) => place === 0 || left > places[place - 1]);
}"""
"""Whether its characters stand in their order from left to right."""


def test_an_image_of_a_registry_without_a_name_reads_from_left_to_right(page: Page, server: PageServer) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    server.do("put", rows=[{"name": "pod-001"}])
    open_live(page, f"{server.url}/resources/pods/")
    assert page.evaluate(ORDER) is True


def test_the_tag_of_a_long_image_is_in_sight(page: Page, server: PageServer) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    server.do("put", rows=[{"name": "pod-001"}])
    open_live(page, f"{server.url}/resources/pods/")
    assert page.evaluate(CELL) == [True, True]
