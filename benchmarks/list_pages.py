"""Benchmark of list pages over 50,000 pods: first byte, size, rows, memory, and first paint with an empty cache.

    python -m benchmarks.list_pages [--pods 50000] [--requests 300] [--views 200] [--embedded]

A real API server; a worker and one web process joined by Redis (`--embedded`: one process). Pages are asked for one at
a time with filters and orders that nobody has asked for before, then again while so many other lists are open and 50
changes a second come. "Cold" is Chromium with an empty cache, from navigation to the first row.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

import aiohttp
from playwright.async_api import Browser, async_playwright

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.api_session import session_for
from benchmarks.support.chromium import ARGUMENTS, chromium
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.marked_pod_changes import Marker
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import NAMESPACES, ClusterSize
from benchmarks.support.websocket_follower_process import followers

PODS = "/resources/pods/"
_WATCH = """
const look = () => requestAnimationFrame(() => {
  if (!document.querySelector("tbody tr[data-name]")) look();
  else setTimeout(() => { window.rowsDrawn = performance.now(); });
});
look();
"""
"""Run in the page before anything of it: notes when the frame that has the first row has been drawn."""
_ROW = re.compile(rb"<tr id=\"row-")
_LATER = re.compile(rb"data-total=\"0\"><small>of ")
"""In a page whose rows have not been found yet."""
_CHANCE = random.Random(7)
SORTS = ("name", "-name", "node", "-restarts", "-age", "age", "status", "ip", "-node", "ready")


def addresses() -> Iterator[str]:
    """Lists that nobody has open yet: words, columns, labels, ranges, namespaces, in any order, any page of it."""
    while True:
        number = _CHANCE.randrange(10**6)
        filters = (
            f"web-7d9c-{number % 50_000 // 100:03d}", f"node=node-{number % 100}", f"label:app=web-{number % 50}",
            f"restarts>{number % 7}", f"-node=node-{number % 100}", f"age<{number}d", "status=Running",
            f"ip=10.1.{number % 250}.*", f"label:app=web-{number % 50} restarts>{number % 5}", "",
        )  # fmt: skip
        query = {"q": _CHANCE.choice(filters), "sort": _CHANCE.choice(SORTS)}
        if number % 3 == 0:
            query["namespace"] = f"team-{number % NAMESPACES}"
        yield f"{PODS}?{urlencode(query)}"


async def measure_requests(url: str, requests: int) -> dict[str, float]:
    """Milliseconds to the first byte and what came, over so many pages."""
    first: list[float] = []
    weights: list[int] = []
    rows: list[int] = []
    later = 0
    paths = addresses()
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        for _ in range(requests):
            path = next(paths)
            began = time.perf_counter()
            async with session.get(url + path, headers={"Accept-Encoding": "gzip"}) as answer:
                first.append((time.perf_counter() - began) * 1e3)
                body = await answer.read()
                if answer.status != 200:
                    sys.exit(f"{path}: {answer.status}")
            weights.append(len(body))
            page = gzip.decompress(body)
            rows.append(len(_ROW.findall(page)))
            later += _LATER.search(page) is not None
    return {
        "first byte p50, ms": median(first),
        "p99, ms": quantiles(first, n=100, method="inclusive")[98],
        "worst, ms": max(first),
        "kB at most": max(weights) / 1e3,
        "rows at most": max(rows),
        "whose rows came later, %": 100 * later / requests,
    }


async def measure_cold_load(browser: Browser, url: str, times: int) -> dict[str, float]:
    """Milliseconds from navigation to the first row and to ``data-live=live``, and the page's weight and heap.

    Each time in a fresh context. A script in the page records when rows are drawn: a question from outside would wait
    until the page's own scripts have run.
    """
    shown, alive, weights, heaps, nodes = [], [], [], [], []
    for _ in range(times):
        context = await browser.new_context()
        page = await context.new_page()
        await page.add_init_script(_WATCH)
        network = await context.new_cdp_session(page)
        await network.send("Network.enable")
        loaded: list[float] = []
        network.on("Network.loadingFinished", lambda event, loaded=loaded: loaded.append(event["encodedDataLength"]))
        await page.goto(url + PODS, wait_until="commit")
        await page.wait_for_selector("body[data-live=live]")
        alive.append(await page.evaluate("performance.now()"))
        shown.append(await page.evaluate("window.rowsDrawn"))
        await asyncio.sleep(1)
        await network.send("HeapProfiler.collectGarbage")
        usage = await network.send("Runtime.getHeapUsage")
        heaps.append(usage["usedSize"] / 1e6)
        nodes.append(await page.evaluate("document.querySelectorAll('*').length"))
        weights.append(sum(loaded) / 1e3)
        await context.close()
    figures = {
        "first row, median, ms": median(shown),
        "worst, ms": max(shown),
        "live, median, ms": median(alive),
        "JS heap, MB": max(heaps),
    }
    return {**figures, "elements": max(nodes), "kB at most": max(weights)}


async def measure_dashboard(running: Running, kubeconfig: Path, arguments: argparse.Namespace) -> list[Line]:
    memory = running.memory_mb()
    what = "one process" if arguments.embedded else "worker and web"
    lines = [Line(f"{what}, {arguments.pods:,} pods", {"MB": sum(memory.values()), **_each(memory)})]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        lines.append(Line("the list in Chromium, cold", await measure_cold_load(browser, running.url, arguments.cold)))
        lines.append(
            Line(f"{arguments.requests} lists that are new", await measure_requests(running.url, arguments.requests))
        )
        some = [next(_others) for _others in [addresses()] for _ in range(arguments.views)]
        pods = [(f"team-{number % NAMESPACES}", f"web-7d9c-{number:05d}") for number in range(0, arguments.pods, 97)]
        async with session_for(kubeconfig) as session:
            with followers(running.url, len(some), some):
                writing = asyncio.create_task(Marker().write_continuously(session, pods, 50, 600))
                before, began = running.core_seconds(), time.monotonic()
                await asyncio.sleep(arguments.beside)
                cores = (running.core_seconds() - before) / (time.monotonic() - began)
                figures = await measure_requests(running.url, arguments.requests)
                memory = running.memory_mb()
                writing.cancel()
                await asyncio.wait((writing,))
        beside = {"of a core before": cores, "MB": sum(memory.values()), **_each(memory)}
        lines.append(Line(f"the same, {len(some)} others open, 50 changes a second", {**figures, **beside}))
        await browser.close()
    return lines


def _each(memory: dict[str, float]) -> dict[str, float]:
    return {f"{name}, MB": megabytes for name, megabytes in memory.items()} if len(memory) > 1 else {}


def measure(arguments: argparse.Namespace) -> list[Line]:
    with (
        filled_cluster(ClusterSize(arguments.pods)) as cluster,
        ready_dashboard(cluster.kubeconfig, split=not arguments.embedded) as running,
    ):
        time.sleep(3)
        try:
            return asyncio.run(measure_dashboard(running, cluster.kubeconfig, arguments))
        except aiohttp.ClientError:
            print(running.outputs(), file=sys.stderr)
            raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="List pages over 50,000 pods.")
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--cold", type=int, default=7, help="browsers without a cache, one after the other")
    parser.add_argument("--views", type=int, default=200, help="distinct lists that are open beside")
    parser.add_argument("--beside", type=float, default=10, help="seconds for which they are before anything is asked")
    parser.add_argument("--embedded", action="store_true", help="one process instead of worker and web process")
    return parser


if __name__ == "__main__":
    main("List pages", measure, _parser())
