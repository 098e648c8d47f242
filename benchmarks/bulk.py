"""Benchmark of a thousand labels set in one bulk run: its time from the confirmed review, and the delay of others
meanwhile.

    python -m benchmarks.bulk [--objects 1000] [--sockets 50] [--rate 20] [--split]

The demo cluster has a namespace with that many pods and others with 100 each. In Chromium a label for all that the list
shows is tried out and confirmed; the clock runs from that press until the page shows the last result, and then the API
server is asked whether each pod has the label. Meanwhile another browser has the same list open, sockets follow it and
the other namespaces, RATE pods a second of those change, and a list is requested every quarter of a second. Everything
runs on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from playwright.async_api import Browser, Page, async_playwright, expect

from benchmarks.support.api_servers import create_object, demo_cluster, fill_namespaces
from benchmarks.support.api_session import session_for
from benchmarks.support.chromium import ARGUMENTS, chromium, open_live
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.load_server_pods import pod
from benchmarks.support.marked_pod_changes import Marker, Pod
from benchmarks.support.result_table import Line, main
from benchmarks.support.websocket_follower_process import collect_followers, followers

LIMIT = 20.0
"""Seconds that it may take (the goal for 1,000 labels)."""
NAMESPACE = "many"
"""Namespace of those that are labelled."""
OTHER_BROWSERS = 4
"""Namespaces whose pods change beside."""
LIST = "/resources/pods/?namespace="
_WATCH_STATE = """
window.states = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() => window.states.push(document.body.dataset.live))
  .observe(document.body, { attributeFilter: ["data-live"] }));
"""
"""Run in a page before anything of it: notes each state it comes to be in."""


@dataclass
class SideEffects:
    """Effects on others: milliseconds until a list was there, and the states that the other browser showed."""

    first: list[float] = field(default_factory=list)
    progress: set[float] = field(default_factory=set)
    dry_run: float = 0.0
    run: float = 0.0


async def create_pods(kubeconfig: Path, objects: int) -> None:
    """The pods that are labelled."""
    async with session_for(kubeconfig) as session:
        await create_object(session, "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        for number in range(objects):
            made = json.loads(pod(number, 1))["metadata"]
            spec = {"containers": [{"name": "app", "image": "app"}]}
            obj = {"metadata": {"name": made["name"], "labels": made["labels"]}, "spec": spec}
            await create_object(session, f"/api/v1/namespaces/{NAMESPACE}/pods", obj)


async def count_labelled(kubeconfig: Path) -> int:
    """Number of labelled pods, from the API server."""
    query = {"labelSelector": "bench=bulk"}
    async with (
        session_for(kubeconfig) as session,
        session.get(f"/api/v1/namespaces/{NAMESPACE}/pods", params=query) as got,
    ):
        return len((await got.json())["items"])


async def change_all(page: Page, url: str, objects: int, side_effects: SideEffects) -> None:
    """As a person does it; notes how long the dry run and the run took and which progress was shown."""
    await page.goto(f"{url}/resources/pods/bulk/?namespace={NAMESPACE}")
    await page.get_by_role("button", name="Choose what to do").click()
    labels = page.get_by_label("Labels to set")
    await expect(labels.or_(page.get_by_text("cannot be used"))).to_be_visible(timeout=60_000)
    if not await labels.count():
        sys.exit(await page.locator("main").inner_text())
    await labels.fill("bench=bulk")
    began = time.monotonic()
    await page.get_by_role("button", name="Try it out").click()
    confirm = page.locator("button[name=start]")
    await expect(confirm).to_contain_text(f"{objects:,}", timeout=120_000)
    side_effects.dry_run = time.monotonic() - began
    began = time.monotonic()
    await confirm.click()
    done = page.get_by_text(f"{objects:,} changed.")
    while not await done.count():
        if await page.get_by_text("cannot be used").count():
            sys.exit(await page.locator("main").inner_text())
        with suppress(Exception):  # the page is just being replaced
            side_effects.progress.add(await page.locator("progress").evaluate("bar => bar.value", timeout=500))
        await asyncio.sleep(0.05)
    side_effects.run = time.monotonic() - began


async def ask(url: str, side_effects: SideEffects) -> None:
    """A list that is asked for over and over: when its first byte comes."""
    async with aiohttp.ClientSession() as session:
        for number in range(10**6):
            began = time.perf_counter()
            async with session.get(f"{url}{LIST}team-{number % OTHER_BROWSERS}") as answer:
                side_effects.first.append((time.perf_counter() - began) * 1e3)
                await answer.read()
            await asyncio.sleep(0.25)


@asynccontextmanager
async def run_meanwhile(work: Callable[[], Awaitable[Any]]) -> Any:
    """Goes on with the work until the block ends."""
    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def in_browsers(
    browser: Browser, running: Running, kubeconfig: Path, pods: list[Pod], arguments: argparse.Namespace
) -> list[Line]:
    beside, marker, url = SideEffects(), Marker(), running.url
    paths = [f"{LIST}{NAMESPACE}", *(f"{LIST}team-{number}" for number in range(OTHER_BROWSERS))]
    other = await (await browser.new_context()).new_page()
    await other.add_init_script(_WATCH_STATE)
    await open_live(other, url + LIST + NAMESPACE)
    page = await (await browser.new_context()).new_page()
    with followers(url, arguments.sockets, paths) as process:
        async with session_for(kubeconfig) as session:
            before, began = running.core_seconds(), time.monotonic()
            async with (
                run_meanwhile(lambda: marker.write_continuously(session, pods, arguments.rate, 600)),
                run_meanwhile(lambda: ask(url, beside)),
            ):
                await change_all(page, url, arguments.objects, beside)
            cores = (running.core_seconds() - before) / (time.monotonic() - began)
            await asyncio.sleep(1.5)
        seen = await asyncio.to_thread(collect_followers, process)
    states = await other.evaluate("window.states")
    late = [
        (each["marks"][str(mark)] - sent) * 1e3
        for each in seen
        for mark, sent in marker.sent_at.items()
        if each["path"].endswith(marker.pod_by_mark[mark][0]) and str(mark) in each["marks"]
    ]
    what = f"{arguments.objects:,} labels"
    share = {f"of the {LIMIT:g} s it may take": f"× {beside.run / LIMIT:.2f}"}
    return [
        Line(f"{what}: the dry run, to its review", {"s": beside.dry_run}),
        Line(
            f"{what}: the run, to the last result",
            {
                "s": beside.run,
                "a second": arguments.objects / beside.run,
                "shown on the way": len(beside.progress),
                "labelled by then, %": 100 * await count_labelled(kubeconfig) / arguments.objects,
            },
            share,
        ),
        Line(
            f"another list, asked for {len(beside.first)} times",
            {"p50, ms": sorted(beside.first)[len(beside.first) // 2], "worst, ms": max(beside.first)},
        ),
        Line(
            f"{arguments.sockets} sockets, {arguments.rate:g} changes a second beside",
            {
                **latency_figures(late),
                "longest without a heartbeat, s": max(each["silence"] for each in seen),
                "heartbeats not live": sum(each["stale"] for each in seen),
                "ended": sum(bool(each["ended"]) for each in seen),
                "of a core": cores,
            },
        ),
        Line("the list in another browser", {"times not live": sum(state != "live" for state in states[1:])}),
    ]


async def measure_run(running: Running, kubeconfig: Path, pods: list[Pod], arguments: argparse.Namespace) -> list[Line]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            return await in_browsers(browser, running, kubeconfig, pods, arguments)
        finally:
            await browser.close()


def measure(arguments: argparse.Namespace) -> list[Line]:
    with demo_cluster() as kubeconfig:
        asyncio.run(create_pods(kubeconfig, arguments.objects))
        pods = asyncio.run(fill_namespaces(kubeconfig, OTHER_BROWSERS))
        with ready_dashboard(kubeconfig, split=arguments.split, tables=True) as running:
            return asyncio.run(measure_run(running, kubeconfig, pods, arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=1_000, help="pods that are labelled (1000)")
    parser.add_argument("--sockets", type=int, default=50, help="browsers that look at lists meanwhile (50)")
    parser.add_argument("--rate", type=float, default=20, help="changes a second beside it (20)")
    parser.add_argument("--split", action="store_true", help="a worker and a web process, joined by Redis")
    return parser


if __name__ == "__main__":
    main("A label on a thousand pods", measure, _parser())
