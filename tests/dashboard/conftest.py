"""Fixtures of browser tests on the live path: a server that a test controls, and pages of it."""

from __future__ import annotations

import json
import re
import signal
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.program import Program
from tests.support.program_fork_server import ProgramPool
from tests.support.wait import until


class PageServer(Program):
    """tests/support/browser/page_server.py in a process of its own; one of a page_server_pool is there sooner."""

    url = ""

    def __init__(self, page_server_pool: ProgramPool | None = None) -> None:
        super().__init__("-m", "tests.support.browser.page_server", env={"REDIS_URL": ""})  # it has no other process
        self.pools = () if page_server_pool is None else (page_server_pool,)

    def open(self) -> PageServer:
        self.start()
        self.wait_for(lambda: self._port() is not None)
        self.url = f"http://127.0.0.1:{self._port()}"
        return self

    def _port(self) -> str | None:
        found = re.search(r"^port (\d+)$", self.output, re.MULTILINE)
        return found and found[1]

    def do(self, command: str, **arguments: Any) -> Any:
        """A command of page_server.Control, and its answer."""
        body = json.dumps({"do": command, **arguments}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/control", body), timeout=30) as answer:
            return json.load(answer)

    def pause(self) -> None:
        """Stop the process as an overloaded machine would; nothing it has is lost."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


@pytest.fixture
def server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    program = PageServer(page_server_pool)
    try:
        yield program.open()
    finally:
        if program.running():
            program.resume()
        program.__exit__()


def one_server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    """What a module's fixture yields from: one server for all its tests, of which each changes objects of its own."""
    program = PageServer(page_server_pool)
    try:
        yield program.open()
    finally:
        program.__exit__()


RECORDER = """
window.states = [];
window.flashed = [];
window.gone = [];
document.addEventListener("deltaboard:state", ({detail}) => window.states.push(detail));
document.addEventListener("DOMContentLoaded", () => new MutationObserver((records) => {
  for (const {target} of records) {
    if (target.matches("tr[data-gone]")) window.gone.push(target.dataset.name);
    if (target.matches("td.changed")) {
      window.flashed.push(`${target.closest("tr").dataset.name ?? target.closest("tr").id} ${target.cellIndex}`);
    }
  }
}).observe(document.body, {subtree: true, attributeFilter: ["class", "data-gone"]}));
"""
"""Notes what is there for a moment only: states of the connection, cells that flash, rows struck out."""


BEATS = """(many) => new Promise((heard, missed) => {
  const wanted = many;
  setTimeout(() => missed(new Error(`heard ${wanted - many} of ${wanted} heartbeats within 60 s`)), 60_000);
  document.addEventListener("deltaboard:beat", () => { many -= 1; if (many === 0) heard(); });
})"""


def hears(page: Page, beats: int) -> None:
    """Wait until a page has heard the server so often; it says something each second."""
    page.evaluate(BEATS, beats)


LATE = ("has not been heard since", "is too slow for so many changes")
"""What a page says where its server, its line or its browser had no time: on a busy machine it may at any moment."""


def faults(page: Page) -> list[dict[str, str]]:
    """The states other than live that it has gone through since it was live first, but for what a busy machine does."""
    found = page.evaluate("window.states.filter(({state}) => state !== 'live')")
    return [each for each in found if not any(words in each["words"] for words in LATE)]


SAYS_COPIED = """() => {
  window.saidCopied = false;
  const says = () => [...document.querySelectorAll("button")].some((each) => each.textContent.includes("Copied"));
  const observer = new MutationObserver(() => { window.saidCopied ||= says(); });
  observer.observe(document.body, {subtree: true, childList: true});
}"""


def copies(page: Page, press: Callable[[], None]) -> None:
    """Press a button and wait until it has said that it copied: it does for a moment only."""
    page.evaluate(SAYS_COPIED)
    press()
    until(lambda: page.evaluate("window.saidCopied"), what="Copied")


def has_copied(page: Page, words: str) -> None:
    """Wait until the clipboard has these words; the button says so for a moment only."""
    until(lambda: page.evaluate("navigator.clipboard.readText()") == words, what=words)


def open_live(page: Page, url: str) -> None:
    """Open a page and wait until it says live; the mark would not survive a reload."""
    page.add_init_script(RECORDER)
    page.goto(url)
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("window.states.length = 0")
    page.evaluate("window.sameDocument = true")
