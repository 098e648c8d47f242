"""Benchmark of the age of open pages under fast changes to 50 different lists of 50,000 rows, over real sockets.

    python -m benchmarks.frame_latency [--rows 50000] [--rate 2000] [--views 50] [--seconds 20]

A web process with a made-up cluster (support/web_process_with_changing_rows.py) has each list open in a socket. A
change falls into a page's window by chance. Its age is the time from the moment at which it was due, 50 ms of a
worker's tick and the process's own lateness included, until the frame that shows it has come through the socket. Load
generator and sockets run on the same machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from statistics import median, quantiles
from typing import Any

from benchmarks.support.list_queries import distinct_lists
from benchmarks.support.process_usage import total_core_seconds
from benchmarks.support.result_table import Line, main
from benchmarks.support.websocket_follower_process import collect_followers, followers

FIRST = 1_000_000
"""The first mark, as in benchmarks.support.web_process_with_changing_rows."""
WARM_UP_SECONDS = 3.0
"""Seconds before anything is measured."""
SETTLE_SECONDS = 2.0
"""Seconds for what is late."""


def ages(seen: list[dict[str, Any]], due: dict[int, float]) -> list[list[float]]:
    """Milliseconds from when it was due until it was shown, of each change that a page showed, page by page."""
    return [[(at - due[int(mark)]) * 1e3 for mark, at in each["marks"].items() if int(mark) in due] for each in seen]


def measure_server(url: str, pid: int, began: float, arguments: argparse.Namespace) -> Line:
    paths = [f"/resources/pods/?{params}" for params in distinct_lists(arguments.views)]
    with followers(url, len(paths), paths) as process:
        time.sleep(WARM_UP_SECONDS)
        since, used = time.time(), total_core_seconds([pid])
        time.sleep(arguments.seconds)
        until, used = time.time(), total_core_seconds([pid]) - used
        time.sleep(SETTLE_SECONDS)
        seen = collect_followers(process)
    first, last = (round((moment - began) * arguments.rate) for moment in (since, until))
    due = {FIRST + number: began + number / arguments.rate for number in range(first, last)}
    by_page = ages(seen, due)
    found = [age for page in by_page for age in page]
    late = [
        (at - due[int(mark)]) * 1e3
        for each in seen
        for mark, at in each["marks"].items()
        if int(mark) in due and due[int(mark)] > until - arguments.seconds / 4
    ]
    return Line(
        f"{arguments.rate:,} changes a second, {len(paths)} lists of {arguments.rows:,} rows",
        {
            "p50, ms": median(found),
            "p99, ms": quantiles(found, n=100, method="inclusive")[98],
            "oldest page, ms": max(found),
            "p99 in the last quarter, ms": quantiles(late, n=100, method="inclusive")[98],
            "changes shown": len(found),
            "pages that showed some": sum(bool(page) for page in by_page),
            "frames a second": sum(each["messages"] for each in seen)
            / (WARM_UP_SECONDS + arguments.seconds + SETTLE_SECONDS),
            "sockets that ended": sum(bool(each["ended"]) for each in seen),
            "of a core": used / (until - since),
        },
    )


def measure(arguments: argparse.Namespace) -> list[Line]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.support.web_process_with_changing_rows",
        str(arguments.rows),
        str(arguments.rate),
    ]
    environ = {**os.environ, "REDIS_URL": ""}  # it has no other process
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        said = [process.stdout.readline().split() if process.stdout is not None else [] for _ in range(2)]
        try:
            (_, port), (_, began) = said
            return [measure_server(f"http://127.0.0.1:{port}", process.pid, float(began), arguments)]
        finally:
            process.terminate()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="How old pages become while changes come fast.")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rate", type=int, default=2_000, help="changes a second")
    parser.add_argument("--views", type=int, default=50, help="different lists, each with a socket")
    parser.add_argument("--seconds", type=float, default=20)
    return parser


if __name__ == "__main__":
    main("Ages of pages", measure, _parser())
