"""Smoke test of the feed benchmark, in a real browser, with output that programs can read."""

from __future__ import annotations

import pytest

from tests.support.benchmark_runner import figures_of
from tests.support.browser.chromium import chromium_path

pytestmark = pytest.mark.browser


@pytest.mark.soak
def test_the_feeds_benchmark_prints_what_programs_read() -> None:
    chromium_path()
    sizes = ["--rate", "300", "--seconds", "2", "--views", "2", "--settle", "0.5"]
    lines = figures_of("feed", *sizes)
    page = lines["/feed/ at 300 changes a second"]
    assert page["lines"] > 0
    assert page["input p50, ms"] > 0
    assert lines["server, feeds open: none"]["of a core, %"] > 0
