"""Benchmark of an open page's cost to its browser: hours of heartbeats and changes, as fast as Chromium takes them.

Each second of those hours has its heartbeat and four changes; each fifth second adds a row and removes one. Memory is
measured after a garbage collection, so growth is a leak. Then the page is left alone: the share of a core at rest,
shown and hidden, is that of all processes of its browser together.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.support.result_table import Line, main
from tests.dashboard.live.test_reconnect_browser import HIDE
from tests.support.browser.chromium import ARGUMENTS, chromium_path
from tests.support.browser.page_heap_and_dom_counts import Costs, costs_of
from tests.support.browser.page_server_program import PageServer

PAGES = {"list": "/resources/pods/?sort=-restarts", "list and drawer": "/resources/pods/?open=default/pod-001",
         "feed": "/feed/", "overview": "/", "details": "/resources/pods/default/pod-001/"}  # fmt: skip
POINTS = 4
TICKS = 100
"""Clock ticks a second in /proc, on every Linux."""


def measure(arguments: argparse.Namespace) -> list[Line]:
    """Every page, one after the other, each with a server and a browser of its own."""
    lines: list[Line] = []
    with sync_playwright() as playwright:
        for name in arguments.pages:
            server = PageServer()
            try:
                server.open()
                browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
                lines += _lines(name, browser, server, arguments)
                browser.close()
            finally:
                server.__exit__()
    return lines


def _lines(name: str, browser: Browser, server: PageServer, arguments: argparse.Namespace) -> list[Line]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(server.url + PAGES[name])
    page.wait_for_selector("body[data-live=live]")
    lines = []
    seconds = int(arguments.hours * 3600)
    for point in range(1, POINTS + 1):
        begun = time.monotonic()
        _live_through(server, seconds // POINTS)
        took = time.monotonic() - begun
        page.wait_for_timeout(arguments.settle * 1000)  # what is struck out goes, marks fade
        figures = _figures(costs_of(page)) | {"s": took, "sockets": server.do("stats")["opened"]}
        lines.append(Line(f"{name}, after {seconds * point // POINTS:,} s", figures))
    return [*lines, Line(f"{name}, at rest", _at_rest(page, browser, arguments))]


def _live_through(server: PageServer, seconds: int) -> None:
    wanted = server.do("stats")["lived"] + seconds
    server.do("pass_time", seconds=seconds)
    while server.do("stats")["lived"] < wanted:
        time.sleep(0.2)


def _figures(costs: Costs) -> dict[str, float]:
    return {"heap, MB": costs.heap / 1e6, "nodes": costs.nodes, "listeners": costs.listeners,
            "elements": costs.elements}  # fmt: skip


def _at_rest(page: Page, browser: Browser, arguments: argparse.Namespace) -> dict[str, float]:
    figures = {}
    for name, hidden in (("shown, % of a core", False), ("hidden, % of a core", True)):
        page.evaluate(HIDE, arg=hidden)
        page.wait_for_timeout(arguments.settle * 1000)
        before = _processor_seconds(browser)
        page.wait_for_timeout(arguments.rest * 1000)
        figures[name] = 100 * (_processor_seconds(browser) - before) / arguments.rest
    return figures


def _processor_seconds(browser: Browser) -> float:
    """Processor seconds of all processes of the browser so far."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    total = 0.0
    for process in processes:
        fields = Path(f"/proc/{process['id']}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=8, help="how long the pages are open (8)")
    parser.add_argument("--rest", type=float, default=20, help="seconds for which they are left alone then (20)")
    parser.add_argument("--settle", type=float, default=8, help="seconds before anything is measured (8)")
    parser.add_argument("--pages", nargs="+", choices=[*PAGES], default=[*PAGES], help="which pages (all)")
    main("Hours of an open page", measure, parser)
