"""Benchmark of Deltaboard at Kubernetes's limits: memory, start, pages, cost of a change, by the size of the cluster.

    python -m benchmarks.limits [--pods 15000 50000 150000] [--requests 100] [--seconds 30]

A real API server holds, for each 30 pods, a node, 2 namespaces, 20 Events and 2 Mydemos: at 150,000 pods these are
5,000 nodes, 10,000 namespaces, 100,000 Events and 10,000 Mydemos, Kubernetes's published limits. A worker and one web
process, joined by Redis, follow all kinds of the settings; the same on a cluster without objects is what an object is
measured over. Pages are asked for one at a time, with filters, orders and words that nobody has asked for before.
Of the rows, those of the first kinds have a limit: of nodes, that is. The cost of a change is the processor time of
both processes at 100 changes a second, with a list of pods open, less that of as long without changes.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import quantiles

import aiohttp

from benchmarks.list_pages import addresses as list_addresses
from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.api_session import session_for
from benchmarks.support.dashboard_processes import Running, dashboard
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.marked_pod_changes import Marker
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import ClusterSize
from benchmarks.support.websocket_follower_process import followers
from tests.support.controlplane import ControlPlane

MEMORY_MB, POD_KB, START_SECONDS, ROWS_SECONDS, FIRST_BYTE_MS, GROWTH = 1200.0, 8.0, 15.0, 3.0, 150.0, 1.3
"""The limits at 150,000 pods; the cost of a change may grow so much from the smallest cluster to the largest."""
RATE = 100.0
"""Changes a second."""
SETTLE_SECONDS = 10.0
POLL_SECONDS = 0.2
"""Seconds between two looks for the first rows: a page takes some 20 ms of the process that reads lists meanwhile."""
NODES, PODS = "/resources/nodes/", "/resources/pods/"
_ROW = re.compile(rb"<tr id=\"row-")


def cluster_size(pods: int) -> ClusterSize:
    """A cluster with so many pods, and other objects as Kubernetes's limits have them for these."""
    return ClusterSize(pods, max(1, pods // 15), max(1, pods // 30), pods * 2 // 3, pods // 15)


async def seconds_until_rows(running: Running, began: float) -> tuple[float, float]:
    """Seconds since `began` until the lists of nodes and of pods have rows; both are asked for at once."""
    return await asyncio.gather(_seconds_until_rows(running, began, NODES), _seconds_until_rows(running, began, PODS))


async def _seconds_until_rows(running: Running, began: float, path: str) -> float:
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(running.url + path) as answer:
                    if _ROW.search(await answer.read()):
                        return time.monotonic() - began
            except aiohttp.ClientConnectionError:
                pass
            if time.monotonic() - began > 300:
                sys.exit(f"{path} has no rows after 300 s:\n{running.outputs()}")
            await asyncio.sleep(POLL_SECONDS)


def path_columns() -> Iterator[str]:
    """Lists with a column of a path of the objects, sorted by it."""
    paths = (".spec.nodeName", ".metadata.labels.app", ".status.podIP", ".metadata.uid", ".spec.schedulerName")
    number = 0
    while True:
        path = paths[number % len(paths)]
        yield f"{PODS}?columns=name,{path}&sort={'-' * (number % 2)}{path}&q=web-7d9c-{number:03d}"
        number += 1


def searches(address: str) -> Iterator[str]:
    """Searches for a pod each, by a part of its name."""
    number = 0
    while True:
        yield f"{address}?q=9c-{number * 37 % 1000:03d}"
        number += 1


def overviews() -> Iterator[str]:
    while True:
        yield "/"


async def first_bytes(url: str, paths: Iterator[str], requests: int) -> list[float]:
    """Milliseconds to the first byte of each of so many pages."""
    found = []
    async with aiohttp.ClientSession() as session:
        for _ in range(requests):
            path = next(paths)
            began = time.perf_counter()
            async with session.get(url + path) as answer:
                found.append((time.perf_counter() - began) * 1e3)
                await answer.read()
                if answer.status != 200:
                    sys.exit(f"{path}: {answer.status}")
    return found


PAGES = (
    ("lists, filtered and sorted", list_addresses), ("lists with a column of a path", path_columns),
    ("palette", lambda: searches("/search/")), ("feed, searched", lambda: searches("/feed/")), ("overview", overviews),
)  # fmt: skip


def measure_pages(running: Running, requests: int, name: str) -> list[Line]:
    lines = []
    for page, paths in PAGES:
        times = asyncio.run(first_bytes(running.url, paths(), requests))
        kept = quantiles(times, n=100, method="inclusive")[98] <= FIRST_BYTE_MS
        lines.append(Line(f"{name}: {page}", latency_figures(times), _verdict(first_byte=kept)))
    return lines


def change_cost(running: Running, cluster: ControlPlane, pods: int, seconds: float) -> float:
    """Milliseconds of a core, of both processes, for each change."""
    some = [(f"team-{number % cluster_size(pods).namespaces}", f"web-7d9c-{number:05d}") for number in range(50)]
    with followers(running.url, 1, [PODS]):
        before = running.core_seconds()
        time.sleep(seconds)
        at_rest = running.core_seconds() - before
        before = running.core_seconds()
        asyncio.run(_write(cluster, some[:pods], seconds))
        time.sleep(1)
        return (running.core_seconds() - before - at_rest) / (RATE * seconds) * 1e3


async def _write(cluster: ControlPlane, pods: Sequence[tuple[str, str]], seconds: float) -> None:
    async with session_for(cluster.kubeconfig) as session:
        await Marker().write_continuously(session, pods, RATE, seconds)


def measure_memory_of_none() -> float:
    """MB of both processes on a cluster without objects."""
    with filled_cluster(ClusterSize(0, 1)) as cluster, dashboard(cluster.kubeconfig, split=True) as running:
        running.wait_until_ready()
        time.sleep(SETTLE_SECONDS)
        return sum(running.memory_mb().values())


def measure_size(pods: int, empty_mb: float, arguments: argparse.Namespace) -> tuple[list[Line], float]:
    """The lines of one size, and what a change costs there."""
    name = f"{pods:,} pods"
    with filled_cluster(cluster_size(pods)) as cluster:
        began = time.monotonic()
        with dashboard(cluster.kubeconfig, split=True) as running:
            rows, rows_of_pods = asyncio.run(seconds_until_rows(running, began))
            running.wait_until_ready(within=600)
            live = time.monotonic() - began
            print(
                f"{name}: nodes after {rows:.1f} s, pods after {rows_of_pods:.1f} s, live after {live:.1f} s",
                file=sys.stderr,
            )
            time.sleep(SETTLE_SECONDS)
            memory = running.memory_mb()
            together = sum(memory.values())
            each = (together - empty_mb) / pods * 1e3
            start = Line(
                f"{name}: start",
                {
                    "rows of nodes, s": rows,
                    "rows of pods, s": rows_of_pods,
                    "live, s": live,
                    "MB of the worker": memory["worker"],
                    "MB of the web process": memory["web"],
                    "kB a pod": each,
                },
                _verdict(
                    rows=rows <= ROWS_SECONDS,
                    live=live <= START_SECONDS,
                    memory=together <= MEMORY_MB,
                    memory_of_a_pod=each <= POD_KB,
                ),
            )
            lines = [start, *measure_pages(running, arguments.requests, name)]
            cost = change_cost(running, cluster, pods, arguments.seconds)
    return lines, cost


def measure(arguments: argparse.Namespace) -> list[Line]:
    empty = measure_memory_of_none()
    lines = [Line("no objects", {"MB of both": empty})]
    costs: dict[int, float] = {}
    for pods in sorted(arguments.pods):
        more, costs[pods] = measure_size(pods, empty, arguments)
        lines += more
    first = next(iter(costs.values()))
    for pods, cost in costs.items():
        ratio = {"of the smallest": f"× {cost / first:.2f}"} if pods != min(costs) else {}
        verdict = _verdict(cost=cost <= GROWTH * first) if ratio else {}
        lines.append(Line(f"{pods:,} pods: a change", {"ms of a core": cost}, {**ratio, **verdict}))
    return lines


def _verdict(**kept: bool) -> dict[str, str]:
    """The column that says whether the limits are kept."""
    missed = [name.replace("_", " ") for name, is_kept in kept.items() if not is_kept]
    return {"limits": f"not kept: {', '.join(missed)}" if missed else "kept"}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, nargs="+", default=[15_000, 50_000, 150_000], help="sizes of the cluster")
    parser.add_argument("--requests", type=int, default=100, help="pages of each kind that are asked for")
    parser.add_argument("--seconds", type=float, default=30, help="for which pods change")
    return parser


if __name__ == "__main__":
    main("Limits", measure, _parser())
