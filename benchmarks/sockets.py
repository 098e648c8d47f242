"""Benchmark of a thousand browsers on one web process: the delay and loss of frames, and the cost of a socket.

    python -m benchmarks.sockets [--sockets 1000] [--views 20] [--rate 10] [--seconds 20] [--split]

A demo cluster without a workload has a namespace for each view, with 100 pods. Each view gets RATE changes a second, so
that each socket gets as many frames. The clock runs from the moment in which a write is sent to the API server until
the frame has come through the socket, informer and feed included. Everything runs on this machine, the load generator
too.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.support.api_servers import demo_cluster, fill_namespaces
from benchmarks.support.api_session import session_for
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.marked_pod_changes import Marker, Pod
from benchmarks.support.result_table import Line, main
from benchmarks.support.websocket_follower_process import collect_followers, followers


def delivery_times(seen: list[dict[str, Any]], marker: Marker, since: int) -> tuple[list[float], int, int]:
    """Milliseconds until each frame came, how many marks came, and how many should have."""
    by_view: dict[str, list[int]] = defaultdict(list)
    for mark, (namespace, _) in marker.pod_by_mark.items():
        if mark >= since:
            by_view[namespace].append(mark)
    late, came, due = [], 0, 0
    for each in seen:
        wanted = by_view[each["path"].partition("namespace=")[2]]
        marks = {int(mark): at for mark, at in each["marks"].items()}
        late += [(marks[mark] - marker.sent_at[mark]) * 1e3 for mark in wanted if mark in marks]
        came, due = came + sum(mark in marks for mark in wanted), due + len(wanted)
    return late, came, due


async def measure_dashboard(
    running: Running, kubeconfig: Path, pods: list[Pod], arguments: argparse.Namespace
) -> list[Line]:
    marker = Marker()
    paths = [f"/resources/pods/?namespace=team-{view}" for view in range(arguments.views)]
    web = "web" if arguments.split else "dashboard"
    async with session_for(kubeconfig) as session:
        with followers(running.url, len(paths) * 5, paths):  # what the process needs once
            await marker.write_continuously(session, pods, arguments.rate * len(pods), 3)
        await asyncio.sleep(2)
        without = running.memory_mb()[web]
        with followers(running.url, arguments.sockets, paths) as process:
            since = max(marker.sent_at) + 1
            before, began = running.core_seconds(), time.monotonic()
            await marker.write_continuously(session, pods, arguments.rate * len(pods), arguments.seconds)
            cores = (running.core_seconds() - before) / (time.monotonic() - began)
            await asyncio.sleep(2)
            with_them = running.memory_mb()[web]
            seen = await asyncio.to_thread(collect_followers, process)
    late, came, due = delivery_times(seen, marker, since)
    last = {pod: mark for mark, pod in marker.pod_by_mark.items()}
    final = sum(str(last[pods[number % len(pods)]]) in each["marks"] for number, each in enumerate(seen))
    return [
        Line(
            f"{arguments.sockets:,} sockets, {len(paths)} views, {arguments.rate:g} changes a second each",
            {
                **latency_figures(late),
                "changes told one by one, %": 100 * came / due,
                "sockets at the last state, %": 100 * final / len(seen),
                "sockets that ended": sum(bool(each["ended"]) for each in seen),
                "kB a socket": (with_them - without) * 1e3 / arguments.sockets,
                "of a core": cores,
                "frames a second": sum(each["messages"] for each in seen) / arguments.seconds,
            },
        )
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    with demo_cluster() as kubeconfig:
        pods = asyncio.run(fill_namespaces(kubeconfig, arguments.views))
        with ready_dashboard(kubeconfig, split=arguments.split) as running:
            return asyncio.run(measure_dashboard(running, kubeconfig, pods, arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="A thousand browsers on one web process.")
    parser.add_argument("--sockets", type=int, default=1_000)
    parser.add_argument("--views", type=int, default=20)
    parser.add_argument("--rate", type=float, default=10, help="changes a second in each view")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--split", action="store_true", help="a worker and a web process, joined by Redis")
    return parser


if __name__ == "__main__":
    main("A thousand browsers", measure, _parser())
