"""Sockets in a process of their own; see `benchmarks.support.websocket_follower` and `log_page_follower`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def followers(
    url: str, number: int, paths: Sequence[str], *, module: str = "websocket_follower"
) -> Iterator[subprocess.Popen[str]]:
    """Open that many sockets over these pages and wait for their windows; they end with the block."""
    command = [sys.executable, "-m", f"benchmarks.support.{module}", url, str(number), *paths]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            sys.exit("the sockets did not all get their window")
        try:
            yield process
        finally:
            process.kill()


def collect_followers(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """End the sockets. Returns what each has seen."""
    found: list[dict[str, Any]] = json.loads(process.communicate(timeout=120)[0])
    return found
