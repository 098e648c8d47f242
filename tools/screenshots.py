"""Pictures of every page on the demo cluster: ``python -m tools.screenshots [FOLDER]``, or `make screenshots`.

Starts the program as a person would, waits until it is live and has something to show, and takes each page at each
width, light and dark. ``--readme`` takes only docs/deltaboard.png, the README's picture.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
README_PICTURE = ROOT / "docs" / "deltaboard.png"
ARGUMENTS = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run"]  # fmt: skip
WIDTHS = {390: 844, 1440: 900, 2560: 1300}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MYDEMOS = "/resources/mydemos.crddemo.k8s.io/"
PAGES = {
    "overview": "/",
    "list": "/resources/pods/",
    "mydemos": MYDEMOS,
    "feed": "/feed/",
    "controllers": "/controllers/",
}
START_LIMIT = 60.0
"""Seconds for the program to answer."""
SETTLE = 20.0
"""Seconds for the demo cluster's workload to make a picture worth taking."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextlib.contextmanager
def program() -> Iterator[str]:
    """The dashboard on its demo cluster; gives its address and ends it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "DELTABOARD_CLUSTER": "demo", "DELTABOARD_VAR": home}
        command = [sys.executable, "manage.py", "deltaboard", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + START_LIMIT
            while not answers(f"{url}/readyz"):
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("the dashboard did not start")
                time.sleep(0.2)
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    return found or sys.exit("screenshots need Chromium: install it, or name the program in CHROMIUM")


def open_live(page: Page, address: str) -> None:
    """Open a page and wait until it says live and has drawn everything."""
    page.goto(address)
    page.wait_for_selector("body[data-live=live]", timeout=20_000)
    page.wait_for_timeout(800)


def objects(page: Page, url: str) -> dict[str, str]:
    """Addresses of an object worth a picture of each kind of page."""
    open_live(page, f"{url}/resources/pods/?sort=-restarts")
    pod = page.locator("tbody td.c-name a").first.get_attribute("href")
    open_live(page, f"{url}{MYDEMOS}")
    mydemo = page.locator("tbody td.c-name a").first.get_attribute("href")
    return {"detail": f"{pod}", "mydemo": f"{mydemo}", "edit": f"{mydemo}edit/", "delete": f"{mydemo}delete/"}


def take_all(browser: Browser, url: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pages = PAGES | objects(browser.new_page(), url)
    for width, height in WIDTHS.items():
        for scheme in SCHEMES:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            for name, path in pages.items():
                open_live(page, url + path)
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
            context.close()


def take_readme(browser: Browser, url: str) -> None:
    """The list of pods in a moment when something has just come or gone."""
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
    open_live(page, f"{url}/resources/pods/")
    page.wait_for_selector(":is(tr.added, tr[data-gone]):nth-child(-n + 18)", timeout=120_000)
    page.screenshot(path=README_PICTURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "screenshots")
    parser.add_argument("--readme", action="store_true", help=f"take only {README_PICTURE.relative_to(ROOT)}")
    parser.add_argument("--settle", type=float, default=SETTLE, metavar="SECONDS", help="let the workload run so long")
    options = parser.parse_args()
    path = chromium()
    with program() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        time.sleep(options.settle)
        if options.readme:
            take_readme(browser, url)
        else:
            take_all(browser, url, options.folder)
        browser.close()


if __name__ == "__main__":
    main()
