"""Page server as a program, and what a test does with it."""

from __future__ import annotations

import json
import re
import signal
import urllib.request
from collections.abc import Iterator
from typing import Any

from tests.support.program import Program
from tests.support.program_fork_server import ProgramPool


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


def one_server(page_server_pool: ProgramPool) -> Iterator[PageServer]:
    """What a module's fixture yields from: one server for all its tests, of which each changes objects of its own."""
    program = PageServer(page_server_pool)
    try:
        yield program.open()
    finally:
        program.__exit__()
