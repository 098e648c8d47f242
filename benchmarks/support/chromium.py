"""Chromium for benchmarks."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys

from playwright.async_api import Browser, CDPSession, Page

ARGUMENTS = [
    "--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
"""With all features that people's browsers have, unlike the tests' own."""
SETTLE_SECONDS = 1.0
"""Seconds after which a new window is at rest. Chromium loads two pages of its own for each, for the address bar, and
makes a spare process: on two processors the first page paints 60 to 110 ms later where it is asked for meanwhile."""


async def new_window(browser: Browser, *, settled: float = SETTLE_SECONDS) -> Page:
    """A window with nothing cached; at rest, as somebody has it who opens a page in it."""
    page = await (await browser.new_context()).new_page()
    await asyncio.sleep(settled)
    return page


def chromium() -> str:
    """Debian's chromium, or what CHROMIUM names; ends the program with a sentence where there is none."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    return found or sys.exit("this benchmark needs Chromium: install it, or name the program in CHROMIUM")


async def open_live(page: Page, address: str) -> None:
    """Open a page and wait until it says live."""
    await page.goto(address)
    await page.wait_for_selector("body[data-live=live]", timeout=60_000)


async def heap_and_nodes(session: CDPSession) -> tuple[float, float]:
    """MB of JavaScript heap and DOM nodes, after a collection."""
    await session.send("HeapProfiler.collectGarbage")
    metrics = {each["name"]: each["value"] for each in (await session.send("Performance.getMetrics"))["metrics"]}
    return metrics["JSHeapUsedSize"] / 1e6, metrics["Nodes"]
