"""Chromium for benchmarks."""

from __future__ import annotations

import os
import shutil
import sys

from playwright.async_api import Page

ARGUMENTS = [
    "--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip


def chromium() -> str:
    """Debian's chromium, or what CHROMIUM names; ends the program with a sentence where there is none."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    return found or sys.exit("this benchmark needs Chromium: install it, or name the program in CHROMIUM")


async def open_live(page: Page, address: str) -> None:
    """Open a page and wait until it says live."""
    await page.goto(address)
    await page.wait_for_selector("body[data-live=live]", timeout=60_000)
