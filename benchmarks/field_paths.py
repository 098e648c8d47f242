"""Benchmark of fields by path: the cost of a new one over many objects, the delay of the event loop, and the cost
after.

    python -m benchmarks.field_paths

Everything runs in this process, on pods made here (4.8 kB, packed with a dictionary as the informer packs them): no
cluster, no sockets. The peer in the same run is the plain way: decode every object whole, filter and sort.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import time
import tracemalloc
from collections.abc import Sequence
from urllib.parse import parse_qs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django

django.setup()

import msgspec  # noqa: E402 - Django's settings come first

from benchmarks.support.event_loop_turns import measure_turns  # noqa: E402
from benchmarks.support.load_server_pods import pod  # noqa: E402
from benchmarks.support.result_table import Line, main  # noqa: E402 - Django's settings come first
from dashboard.live.index.kind_index import KindIndex  # noqa: E402
from dashboard.live.replication.replica import Replica  # noqa: E402
from dashboard.live.replication.replica_change import Change  # noqa: E402
from dashboard.objects.kinds.row import Row  # noqa: E402
from dashboard.objects.printers import build_row, projection_for  # noqa: E402
from dashboard.objects.query.list_query import Query  # noqa: E402
from dashboard.objects.query.path_order import values_key  # noqa: E402
from dashboard.runtime.time_slicing import TimeSlicer  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402
from informerd.objects import Blob  # noqa: E402
from informerd.zstd_dictionaries import Dictionary, train_dictionary  # noqa: E402

LISTS = (
    "sort=.spec.nodeName", "sort=-.status.podIP", "q=.spec.containers[*].image=*app*", "q=.spec.foo=1",
    r"sort=.metadata.labels.app", "q=.status.conditions[?(@.type==Ready)].status=True",
)  # fmt: skip
"""A new path each: what every pod has, with few values and with as many as pods, and what none has."""
CHANGES = 4_000
CHANGES_PER_FRAME = 50


def query(params: str) -> Query:
    return Query.parse(parse_qs(params), "pods")


class Pods:
    """Rows with their whole objects, and changes to come."""

    def __init__(self, number: int) -> None:
        self._dictionary = train_dictionary([pod(each, 1) for each in range(200)])
        self._number = number
        self.replica = Replica("pods", SystemClock())
        for each in range(number):
            row = self.row(each, 1)
            self.replica.rows[row.uid] = row
        self.slices = TimeSlicer()
        self.results = KindIndex(self.replica, SystemClock(), self.slices)

    def row(self, number: int, version: int) -> Row:
        raw = pod(number, version)
        assert isinstance(self._dictionary, Dictionary)
        decoded = msgspec.json.decode(raw, type=projection_for("pods"))
        packed = Blob(self._dictionary.compress(raw), self._dictionary)
        return build_row("pods", msgspec.structs.replace(decoded, blob=packed))

    def frames(self, version: int) -> list[Change]:
        found = []
        for first in range(0, CHANGES, CHANGES_PER_FRAME):
            new = [self.row((first + each) * 7 % self._number, version) for each in range(CHANGES_PER_FRAME)]
            found.append(Change(rows=[(self.replica.rows[row.uid], row) for row in new]))
        return found

    async def open(self, params: str) -> float:
        """Seconds until a list is there."""
        began = time.perf_counter()
        result = self.results.open_result(query(params))
        await result.found_event.wait()
        result.window(0, 100)
        return time.perf_counter() - began

    async def settle(self) -> None:
        while len(self.slices):  # noqa: ASYNC110 - turns of the loop are what it needs
            await asyncio.sleep(0)

    def reopen(self, params: str) -> float:
        """Seconds to decode all rows whole, and sort them, in one step."""
        asked, began = query(params), time.perf_counter()
        path = asked.required_paths[0]
        sorted((values_key(path, path.values(row.decode_object())), row.uid) for row in self.replica.rows.values())
        return time.perf_counter() - began


async def new_paths(number: int) -> list[Line]:
    pods = Pods(number)
    gc.collect()
    gc.freeze()
    lines = []
    for params in LISTS:
        async with measure_turns(time.thread_time) as took:
            seconds = await pods.open(params)
        asked = {"s": seconds, "longest turn, ms": max(took) * 1e3, "again, ms": (await pods.open(params)) * 1e3}
        lines.append(Line(f"{params}, {number:,} pods", asked, {"all in one step": f"{pods.reopen(params):.2f} s"}))
    return lines


async def new_path_under_load(number: int) -> Line:
    """A new path while 2,000 changes a second come."""
    pods = Pods(number)
    frames = iter([frame for version in (2, 3) for frame in pods.frames(version)])
    opening = asyncio.ensure_future(pods.open("sort=.spec.nodeName"))
    async with measure_turns(time.thread_time) as took:
        while not opening.done() and (frame := next(frames, None)) is not None:
            pods.results.apply(frame)
            await asyncio.sleep(CHANGES_PER_FRAME / 2_000)
        seconds = await opening
    return Line(
        f"the same while 2,000 changes a second come, {number:,} pods",
        {"s": seconds, "longest turn, ms": max(took) * 1e3},
        {},
    )


async def measure_path_memory(number: int) -> list[Line]:
    lines = []
    for params in LISTS:
        pods = Pods(number)
        gc.collect()
        tracemalloc.start()
        asked = query(params)
        pods.results.path_columns.use(asked.required_paths)
        await pods.settle()
        gc.collect()
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        lines.append(
            Line(
                f"kept of {asked.required_paths[0]}, {number:,} pods",
                {"MB": size / 1e6, "bytes a row": size / number},
                {},
            )
        )
    return lines


async def measure_changes(number: int, lists: Sequence[str]) -> float:
    """Microseconds of processor time a change; the best of three."""
    pods = Pods(number)
    for params in lists:
        await pods.open(params)
    found = []
    for turn in range(3):
        frames = pods.frames(turn + 2)
        began = time.process_time()
        for frame in frames:
            pods.results.apply(frame)
            await pods.settle()
        found.append((time.process_time() - began) / CHANGES * 1e6)
    return min(found)


async def deltas(sizes: Sequence[int]) -> list[Line]:
    lines, first = [], 0.0
    for size in sizes:
        cost, without = await measure_changes(size, LISTS), await measure_changes(size, ("", "sort=node"))
        first = first or cost
        lines.append(
            Line(
                f"a change, {size:,} rows, {len(LISTS)} paths",
                {"µs": cost, "µs without paths": without},
                {f"at {sizes[0]:,} rows": f"× {cost / first:.2f}"},
            )
        )
    return lines


async def all_lines(rows: int, sizes: Sequence[int]) -> list[Line]:
    return [
        *(await new_paths(rows)),
        await new_path_under_load(rows),
        *(await measure_path_memory(rows)),
        *(await deltas(sizes)),
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    return asyncio.run(all_lines(arguments.rows, arguments.sizes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    return parser


if __name__ == "__main__":
    main("Fields by path", measure, _parser())
