"""Benchmark of the feed in a real browser under fast changes: its cost in the browser and on the server.

    nice -n -20 python -m benchmarks.feed [--rate 2000] [--seconds 20] [--views 50]

A web process whose cluster is made up (support/web_process_with_changing_feed.py) brings RATE changes a second, nine
tenths of them of 5,000 pods in 500 ReplicaSets, the others Events. Chromium's processes are all counted, that which
draws too. Input is a click or a key, sent through the browser as a person's is, from its time stamp until it has been
handled and the next frame is drawn. Then the server alone: with no feed open, with one, and with so many, each with
another filter.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from playwright.async_api import async_playwright

from benchmarks.support.chromium import ARGUMENTS, chromium, heap_and_nodes, open_live
from benchmarks.support.input_latency import measure_inputs
from benchmarks.support.process_usage import processes_below, total_core_seconds
from benchmarks.support.result_table import Line, main
from benchmarks.support.websocket_follower_process import followers

SETTLE = 5.0
"""Seconds before anything is measured, unless it is said otherwise."""


@contextmanager
def server(rate: int) -> Iterator[tuple[str, int]]:
    """The web process: its address and its process id."""
    command = [sys.executable, "-m", "benchmarks.support.web_process_with_changing_feed", str(rate)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline() if process.stdout is not None else ""
        if not line.startswith("port "):
            sys.exit("the server of made-up changes did not start")
        try:
            yield f"http://127.0.0.1:{line.split()[1]}", process.pid
        finally:
            process.terminate()


async def in_browser(url: str, path: str, arguments: argparse.Namespace) -> Line:
    """One page of the feed."""
    rate, seconds = arguments.rate, arguments.seconds
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = await browser.new_page(viewport={"width": 1440, "height": 900})
        session = await page.context.new_cdp_session(page)
        await session.send("Performance.enable")
        await open_live(page, f"{url}{path}")
        await asyncio.sleep(arguments.settle)
        heap, nodes = await heap_and_nodes(session)
        own = [pid for pid in processes_below(os.getpid()) if "chrom" in _name(pid)]
        before, began = total_core_seconds(own), time.monotonic()
        await asyncio.sleep(seconds)
        busy = (total_core_seconds(own) - before) / (time.monotonic() - began)
        late = await measure_inputs(page, seconds)
        heap_after, nodes_after = await heap_and_nodes(session)
        lines = await page.locator("ol.feed > li").count()
        said = (await page.locator("h1").inner_text()).replace("\n", " ")
        await browser.close()
    print(f"{path}: {said!r}", file=sys.stderr)
    return Line(
        f"{path} at {rate:,} changes a second",
        {
            "of a core, %": 100 * busy,
            "input p50, ms": median(late),
            "input p99, ms": quantiles(late, n=100, method="inclusive")[98],
            "heap, MB": heap,
            "heap at the end, MB": heap_after,
            "nodes": nodes,
            "nodes at the end": nodes_after,
            "lines": lines,
        },
    )


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def on_server(url: str, pid: int, views: int, seconds: float, settle: float) -> list[Line]:
    """What the web process uses, with the making up of changes, and how much more with feeds open."""

    def used() -> float:
        time.sleep(min(2.0, settle))
        before, began = total_core_seconds([pid]), time.monotonic()
        time.sleep(seconds)
        return 100 * (total_core_seconds([pid]) - before) / (time.monotonic() - began)

    found = {"none": used()}
    with followers(url, 1, ["/feed/"]):
        found["one"] = used()
    paths = [
        f"/feed/?namespace=team-{number}" if number % 2 else f"/feed/?q=web-{number:02d}" for number in range(views)
    ]
    with followers(url, views, paths):
        found[f"{views}, each with another filter"] = used()
    return [
        Line(f"server, feeds open: {name}", {"of a core, %": busy, "for feeds, %": busy - found["none"]})
        for name, busy in found.items()
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    print(f"load: {Path('/proc/loadavg').read_text().strip()}", file=sys.stderr)
    with server(arguments.rate) as (url, pid):
        lines = [asyncio.run(in_browser(url, "/feed/", arguments))]
        lines.append(asyncio.run(in_browser(url, "/feed/?folds=off", arguments)))
        lines += on_server(url, pid, arguments.views, arguments.seconds, arguments.settle)
    print(f"load: {Path('/proc/loadavg').read_text().strip()}", file=sys.stderr)
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=2_000, help="changes a second")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--settle", type=float, default=SETTLE, help="seconds before anything is measured")
    parser.add_argument("--views", type=int, default=50)
    return parser


if __name__ == "__main__":
    main("Feed", measure, _parser())
