"""Fixtures of the live path's browser tests: a server that a test turns by hand, and pages of it."""

from __future__ import annotations

import json
import re
import signal
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.program import Program


class PageServer(Program):
    """tests/live/page_server.py in a process of its own."""

    url = ""

    def __init__(self) -> None:
        super().__init__("-m", "tests.live.page_server")

    def open(self) -> PageServer:
        self.start()
        self.wait_for(lambda: "port" in self.output)
        found = re.search(r"port (\d+)", self.output)
        assert found
        self.url = f"http://127.0.0.1:{found[1]}"
        return self

    def do(self, command: str, **arguments: Any) -> Any:
        """A command of page_server.Control, and its answer."""
        body = json.dumps({"do": command, **arguments}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/control", body), timeout=10) as answer:
            return json.load(answer)

    def pause(self) -> None:
        """Stop the process as an overloaded machine would; nothing it has is lost."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


@pytest.fixture
def server() -> Iterator[PageServer]:
    program = PageServer()
    try:
        yield program.open()
    finally:
        if program.running():
            program.resume()
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


def open_live(page: Page, url: str) -> None:
    """Open a page and wait until it says live; the mark would not survive a reload."""
    page.add_init_script(RECORDER)
    page.goto(url)
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("window.states.length = 0")
    page.evaluate("window.sameDocument = true")
