"""Tests of the sentences that say why a page is not live, in Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.support.program import ROOT

pytestmark = pytest.mark.browser

DAY = 86_400
NOON = 1_800_014_400
WORDS = """async ([source, since, now]) => {
  const { wordsOf } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return wordsOf({}, [{ text: "Pods have not been up to date since {since}.", since, state: "stale" }], 1, now);
}"""


def test_a_time_of_another_day_is_told_with_its_day(chromium: Browser) -> None:
    source = (ROOT / "static/js/live/status_text.js").read_text()
    context = chromium.new_context(timezone_id="UTC")
    page = context.new_page()
    told = [page.evaluate(WORDS, [source, since, NOON]) for since in (NOON - 60, NOON - 3 * DAY)]
    assert told == [
        "Pods have not been up to date since 11:59:00.",
        "Pods have not been up to date since 01-12 12:00:00.",
    ]
    context.close()
