"""Benchmark of the time from a write to the row that shows it, with 50,000 pods, 200 browsers, 100 changes a second.

    python -m benchmarks.latency [--pods 50000] [--sockets 200] [--rate 100] [--seconds 30] [--split]

Clock runs from the moment in which a write is sent to the API server until the cell of the row has changed in a page in
Chromium, or the frame has come through a websocket. A fifth of the changes are of rows in the page, the others of any
pod. `--split`: a worker and a web process joined by Redis, instead of one process. Load generator and browser run on
the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from pathlib import Path

from playwright.async_api import Page, async_playwright

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.api_session import session_for
from benchmarks.support.chromium import ARGUMENTS, chromium, open_live
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.marked_pod_changes import Marker, Pod
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import NAMESPACES, ClusterSize
from benchmarks.support.websocket_follower_process import collect_followers, followers

VISIBLE_ROWS = 100
"""Rows in the page, whose changes are looked for."""
WATCH = """
() => {
  window.marks = {};
  const look = (node) => {
    const text = (node.nodeType === 3 ? node.parentElement : node)?.closest?.("tr, tbody")?.textContent ?? "";
    for (const [mark] of text.matchAll(/1\\d{6}/g)) window.marks[mark] ??= performance.timeOrigin + performance.now();
  };
  new MutationObserver((changes) => {
    for (const change of changes) { look(change.target); change.addedNodes.forEach(look); }
  }).observe(document.querySelector("tbody"), { subtree: true, childList: true, characterData: true });
}
"""


def pages() -> list[str]:
    """Pages of 200 people: every namespace, and some lists of the whole cluster."""
    lists = [f"/resources/pods/?namespace=team-{number}" for number in range(NAMESPACES)]
    return [*lists, "/resources/pods/?sort=-restarts", "/resources/pods/?q=status%3DRunning&sort=node", "/", "/feed/"]


async def rows_of(page: Page) -> list[Pod]:
    found = await page.eval_on_selector_all(
        "tbody tr[data-name]", "rows => rows.map(row => [row.dataset.namespace, row.dataset.name])"
    )
    return [(namespace, name) for namespace, name in found]


def targets(rows: list[Pod], pods: int, count: int) -> list[Pod]:
    """Each fifth one a row of the page, in turn; the others at random."""
    chance = random.Random(1)
    anywhere = [(f"team-{number % NAMESPACES}", f"web-7d9c-{number:05d}") for number in range(pods)]
    return [rows[number // 5 % len(rows)] if number % 5 == 0 else chance.choice(anywhere) for number in range(count)]


async def measure_dashboard(running: Running, kubeconfig: Path, arguments: argparse.Namespace) -> list[Line]:
    marker = Marker()
    async with async_playwright() as playwright, session_for(kubeconfig) as session:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = await browser.new_page()
        await open_live(page, f"{running.url}/resources/pods/?namespace=team-1")
        rows = (await rows_of(page))[:VISIBLE_ROWS]
        await page.evaluate(WATCH)
        with followers(running.url, arguments.sockets, pages()) as process:
            wanted = targets(rows, arguments.pods, int(arguments.rate * arguments.seconds))
            await marker.write_continuously(session, wanted[: int(arguments.rate * 3)], arguments.rate, 3)  # to warm up
            warm = len(marker.sent_at)
            before, began = running.core_seconds(), time.monotonic()
            await marker.write_continuously(session, wanted, arguments.rate, arguments.seconds)
            cores = (running.core_seconds() - before) / (time.monotonic() - began)
            await asyncio.sleep(3)
            marks: dict[str, float] = await page.evaluate("window.marks")
            alive = await page.locator("body").get_attribute("data-live")
            seen = await asyncio.to_thread(collect_followers, process)
        await browser.close()
    counted = set(list(marker.sent_at)[warm:])
    in_page = {int(mark): at / 1e3 for mark, at in marks.items()}
    shown = [(in_page[mark] - marker.sent_at[mark]) * 1e3 for mark in counted if mark in in_page]
    due = [mark for mark in counted if marker.pod_by_mark[mark] in set(rows)]
    heard = [
        (at - marker.sent_at[int(mark)]) * 1e3
        for each in seen
        if "namespace=" in each["path"]
        for mark, at in each["marks"].items()
        if int(mark) in counted
    ]
    write = [(marker.answered_at[mark] - marker.sent_at[mark]) * 1e3 for mark in counted]
    stale = sum(each["stale"] for each in seen)
    return [
        Line("a write, until the API server has answered", latency_figures(write)),
        Line(
            f"until the row has changed in Chromium ({alive})",
            {**latency_figures(shown), "changes": len(due), "seen, %": 100 * len(shown) / max(1, len(due))},
        ),
        Line(
            f"until the frame is at the lists among {arguments.sockets} sockets",
            {**latency_figures(heard), "stale beats": stale},
        ),
        Line("Deltaboard", {"cores": cores, "MB": sum(running.memory_mb().values())}),
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    with (
        filled_cluster(ClusterSize(arguments.pods)) as cluster,
        ready_dashboard(cluster.kubeconfig, split=arguments.split) as running,
    ):
        return asyncio.run(measure_dashboard(running, cluster.kubeconfig, arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="From a write to the row that shows it.")
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--sockets", type=int, default=200)
    parser.add_argument("--rate", type=float, default=100, help="changes a second")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--split", action="store_true", help="a worker and a web process, joined by Redis")
    return parser


if __name__ == "__main__":
    main("From a write to the row", measure, _parser())
