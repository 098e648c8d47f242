"""Chromium for the browser tests: one process a run, one fresh context a test, watched for CSP violations."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.support.skip_if_missing import missing
from tests.support.wait import until

UNUSED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding",
    "PreconnectToSearch", "SpareRendererForSitePerProcess", "ThirdPartyStoragePartitioning",
)  # fmt: skip
"""Features of Chromium that no test wants. The first two have each window load two pages for the address bar that
nobody sees, a third of what opening one costs; the spare renderer is a second process for each page, made for a next
one that is not opened; the rest is Playwright's own list, which ours takes the place of."""
ARGUMENTS = [
    f"--disable-features={','.join(UNUSED)}",
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
HEADLESS_SHELL = "chromium-headless-shell"
"""The same engine without windows, tabs and menus, for half of the processor's time a page; and without the
back/forward cache."""
PATIENCE = 30_000
"""Milliseconds for which a test waits for what a page does or shows. A test that passes never waits so long, and how
long it may take is no test's question but a benchmark's: here it is what a machine takes with 40 programs to run."""
WHAT = """addEventListener("securitypolicyviolation", (event) => {
    const element = event.composedPath()[0];
    const what = element.outerHTML ?? String(element);
    const { effectiveDirective, sourceFile } = event;
    console.error(`Content Security Policy, ${effectiveDirective} of ${what.slice(0, 300)} in ${sourceFile}`);
});"""
"""Script that logs the element of each CSP violation, which the browser's own message leaves out."""
FAULTS = ("Content Security Policy", "Content-Security-Policy", "Uncaught", "TypeError", "ReferenceError")


def chromium_path(*, whole: bool = False) -> str:
    """The program that CHROMIUM names, or Debian's headless shell, or its chromium; the last where the `whole` browser
    is needed. Skips the test (fails under CI) where there is none.
    """
    named = os.environ.get("CHROMIUM")
    programs = [named] if named else [*([] if whole else [HEADLESS_SHELL]), "chromium", "google-chrome"]
    path = next(filter(None, map(shutil.which, programs)), None)
    if path is None:
        missing("Chromium", "install Debian's package chromium, or name the program in CHROMIUM")
    return path


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        loop = asyncio._get_running_loop()
        yield browser
        asyncio._set_running_loop(loop)  # the last test may be one without a browser, see pytest_runtest_protocol
        browser.close()


class Watched:
    """Collects what a page complains about: CSP violations and script errors fail the test that met them."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def console(self, message: ConsoleMessage) -> None:
        lost = "Failed to fetch" in message.text  # a line that a test cut
        if message.type == "error" and not lost and any(word in message.text for word in FAULTS):
            place = message.location
            self.faults.append(f"{message.text} ({place['url']}, line {place['lineNumber']})")

    def watch(self, page: Page) -> None:
        page.on("console", self.console)
        page.on("pageerror", self.error)

    def error(self, error: Error) -> None:
        """All but what a page does that is left while it loads: the browser gives up fetching htmx, which counts as
        fetched then, and runs the deferred scripts after it that it has already. Nobody sees that page again, and one
        that stays without htmx says offline; so the scripts do not ask whether it is there.
        """
        if str(error) != "htmx is not defined":
            self.faults.append(str(error))


@pytest.fixture
def new_context(chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Makes browser contexts (options as Playwright's new_context); all their pages are watched."""
    watched = Watched()
    contexts: list[BrowserContext] = []

    def make(**options: object) -> BrowserContext:
        context = chromium.new_context(viewport={"width": 1440, "height": 900}, **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        context.add_init_script(WHAT)
        context.on("page", watched.watch)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert watched.faults == [], watched.faults


def wait_until(page: Page, expression: str, argument: object = None) -> None:
    """Wait until the JavaScript `expression` is true.

    Playwright's own `wait_for_function` evaluates text in the page from the second try on, which the CSP forbids.
    """

    def holds() -> bool:
        try:
            return bool(page.evaluate(expression, argument))
        except Error as error:
            if "context was destroyed" not in str(error):  # by a navigation: the next page is asked then
                raise
            return False

    until(holds, what=expression)


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context().new_page()
