"""Smoke test of the feed benchmark, in a real browser, with output that programs can read."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.browser.chromium import chromium_path

pytestmark = pytest.mark.browser


def test_the_feeds_benchmark_prints_what_programs_read() -> None:
    chromium_path()
    sizes = ["--rate", "300", "--seconds", "2", "--views", "2", "--settle", "0.5"]
    command = [sys.executable, "-m", "benchmarks.feed_browser", "--json", *sizes]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=170)
    lines = {line["name"]: line["figures"] for line in json.loads(done.stdout)["lines"]}
    page = lines["/feed/ at 300 changes a second"]
    assert page["lines"] > 0
    assert page["input p50, ms"] > 0
    assert lines["server, feeds open: none"]["of a core, %"] > 0
