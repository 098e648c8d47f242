"""Benchmark of lists in the web process: the cost of opening one and of a change, and the delay of the event loop.

    python -m benchmarks.list_filter_and_sort

Everything runs in this process, on rows made here: no cluster, no sockets. Times of a change are processor time. The
peer in the same run is the plain way: filter and sort all rows anew.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import time
from collections.abc import Iterable, Sequence
from statistics import median
from urllib.parse import parse_qs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django

django.setup()

from benchmarks.support.event_loop_turns import measure_turns  # noqa: E402
from benchmarks.support.list_queries import LISTS, distinct_lists  # noqa: E402
from benchmarks.support.pod_rows import pod_row  # noqa: E402
from benchmarks.support.result_table import Line, main  # noqa: E402 - Django's settings come first
from dashboard.live.index.kind_index import KindIndex  # noqa: E402
from dashboard.live.replication.replica import Replica  # noqa: E402
from dashboard.live.replication.replica_change import Change  # noqa: E402
from dashboard.objects.query.list_query import Query  # noqa: E402
from dashboard.runtime.time_slicing import TimeSlicer  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402

CHANGES = 4_000
CHANGES_PER_FRAME = 50


class Pods:
    """Some rows with all the lists of them, and changes to come."""

    def __init__(self, number: int) -> None:
        self._chance = random.Random(number)
        self._number = number
        self.replica = Replica("pods", SystemClock())
        for each in range(number):
            row = pod_row(each, 1, self._chance)
            self.replica.rows[row.uid] = row
        self.slices = TimeSlicer()
        self.results = KindIndex(self.replica, SystemClock(), self.slices)

    def frames(self, changes: int) -> list[Change]:
        """Changes of random rows, so many to a frame."""
        found = []
        for version in range(changes // CHANGES_PER_FRAME):
            numbers = self._chance.sample(range(self._number), CHANGES_PER_FRAME)
            new = [pod_row(each, version + 2, self._chance) for each in numbers]
            found.append(Change(rows=[(self.replica.rows[row.uid], row) for row in new]))
        return found

    async def open(self, params: str) -> float:
        """Seconds until a list is there."""
        began = time.perf_counter()
        result = self.results.open_result(query(params))
        await result.found_event.wait()
        result.window(0, 100)
        return time.perf_counter() - began

    def reopen(self, params: str) -> float:
        """Seconds to filter and sort all rows in one step."""
        asked, began = query(params), time.perf_counter()
        sorted((row for row in self.replica.rows.values() if asked.matches(row, 1.8e9)), key=asked.sort_key)[:100]
        return time.perf_counter() - began


def query(params: str) -> Query:
    return Query.parse(parse_qs(params), "pods")


async def measure_opening(number: int) -> Line:
    """Every list, opened one after the other as by strangers: orders and filters are shared where they are the same."""
    pods = Pods(number)
    gc.collect()
    gc.freeze()
    async with measure_turns() as took:
        times = [await pods.open(params) for params in LISTS]
        again = [await pods.open(params) for params in LISTS]
    anew = [pods.reopen(params) for params in LISTS]
    return Line(
        f"open {len(LISTS)} lists of {number:,} rows",
        {
            "median, ms": median(times) * 1e3,
            "slowest, ms": max(times) * 1e3,
            "again, slowest, ms": max(again) * 1e3,
            "loop held up, ms": max(took) * 1e3,
        },
        {"filter and sort anew": f"× {median(anew) / median(times):.1f}"},
    )


async def measure_changes(number: int, lists: Iterable[str]) -> tuple[float, float]:
    """Microseconds of processor time a change, with all of `lists` open; the best of three."""
    pods = Pods(number)
    asked = list(lists)
    for params in asked:
        await pods.open(params)
    found = []
    for _ in range(3):
        frames = pods.frames(CHANGES)
        began = time.process_time()
        for frame in frames:
            pods.results.apply(frame)
            while len(pods.slices):  # noqa: ASYNC110 - what is left is done in slices
                await asyncio.sleep(0)
        found.append((time.process_time() - began) / CHANGES * 1e6)
    return min(found), min(found) / len(asked)


async def flatness(sizes: Sequence[int]) -> list[Line]:
    costs = [await measure_changes(size, LISTS) for size in sizes]
    return [
        Line(
            f"a change, {size:,} rows, {len(LISTS)} lists",
            {"µs": cost, "µs a list": each},
            {f"at {sizes[0]:,} rows": f"× {cost / costs[0][0]:.2f}"},
        )
        for size, (cost, each) in zip(sizes, costs, strict=True)
    ]


async def many_lists(number: int = 50, rows: int = 50_000) -> Line:
    cost, each = await measure_changes(rows, distinct_lists(number))
    return Line(
        f"2,000 changes a second, {number} lists of {rows:,} rows",
        {"µs": cost, "µs a list": each, "of a core, %": cost * 2_000 / 1e4},
        {},
    )


async def all_lines(rows: int, sizes: Sequence[int]) -> list[Line]:
    return [await measure_opening(rows), *(await flatness(sizes)), await many_lists(rows=rows)]


def measure(arguments: argparse.Namespace) -> list[Line]:
    return asyncio.run(all_lines(arguments.rows, arguments.sizes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    return parser


if __name__ == "__main__":
    main("Views", measure, _parser())
