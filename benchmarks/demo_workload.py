"""Benchmark of the demo cluster's workload: its changes a second by kind, and its cost.

    python -m benchmarks.demo_workload [--pods 120] [--rate 5] [--seconds 60]

Starts a demo cluster with its workload, watches every kind that moves as a client of its own, and counts what comes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import msgspec

from benchmarks.demo_cluster import Server, open_session
from benchmarks.support.result_table import Line, main

WATCHED_PATHS = (
    "/api/v1/pods", "/api/v1/events", "/api/v1/nodes", "/api/v1/namespaces", "/apis/apps/v1/deployments",
    "/apis/apps/v1/replicasets", "/apis/batch/v1/jobs", "/apis/crddemo.k8s.io/v1/mydemos",
)  # fmt: skip
"""Kinds that the dashboard watches by default, and jobs: the rate counts these."""
LEASES = "/apis/coordination.k8s.io/v1/leases"


@contextlib.contextmanager
def workload(pods: int, rate: float, seed: int) -> Iterator[Server]:
    """A demo cluster with a workload."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        command = [sys.executable, "-m", "devcluster", "--port", "0", "--kubeconfig", str(kubeconfig)]
        began = time.monotonic()
        size = [f"--pods={pods}", f"--rate={rate:g}", f"--seed={seed}"]
        with subprocess.Popen([*command, *size], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                yield Server(process, kubeconfig, time.monotonic() - began)
            finally:
                process.terminate()


class _Name(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Object(msgspec.Struct):
    metadata: _Name


class _Event(msgspec.Struct):
    type: str
    object: _Object


async def watch(session: aiohttp.ClientSession, path: str, counts: Counter[str]) -> None:
    """Count the events of a kind from now on, until cancelled."""
    async with session.get(path, params={"limit": "1"}) as answer:
        version = (await answer.json())["metadata"]["resourceVersion"]
    decode = msgspec.json.Decoder(_Event).decode
    params = {"watch": "1", "resourceVersion": version}
    async with session.get(path, params=params, timeout=aiohttp.ClientTimeout(total=None)) as answer:
        answer.raise_for_status()
        rest = b""
        async for chunk in answer.content.iter_any():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if decode(line).type in ("ADDED", "MODIFIED", "DELETED"):
                    counts[path.rpartition("/")[2]] += 1


async def count_pods(session: aiohttp.ClientSession) -> int:
    """Number of pods."""
    async with session.get("/api/v1/pods", params={"limit": "1"}) as answer:
        body = await answer.json()
    return len(body["items"]) + int(body["metadata"].get("remainingItemCount", 0))


async def measure_one(running: Server, settle: float, seconds: float) -> list[Line]:
    """Count for so many seconds, after some in which the workload finds its pace."""
    async with open_session(running.kubeconfig) as session:
        await asyncio.sleep(settle)
        counts: Counter[str] = Counter()
        async with asyncio.TaskGroup() as tasks:
            watching = [tasks.create_task(watch(session, path, counts)) for path in (*WATCHED_PATHS, LEASES)]
            await asyncio.sleep(1)
            counts.clear()
            used, began = running.core_seconds, time.monotonic()
            await asyncio.sleep(seconds)
            used, took = running.core_seconds - used, time.monotonic() - began
            rates = {kind: number / took for kind, number in counts.most_common()}
            for task in watching:
                task.cancel()
        leases = rates.pop("leases", 0.0)
        there = float(await count_pods(session))
    cost = {"cores": used / took, "resident, MB": running.resident_mb, "start, s": running.ready_seconds}
    return [
        Line("changes a second", {"all": sum(rates.values()), **rates}),
        Line("leases renewed a second", {"all": leases}),
        Line("pods at the end", {"number": there}),
        Line("API server and workload, one process", cost),
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    with workload(arguments.pods, arguments.rate, arguments.seed) as running:
        return asyncio.run(measure_one(running, arguments.settle, arguments.seconds))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=120)
    parser.add_argument("--rate", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settle", type=float, default=20.0, help="seconds before the count begins")
    parser.add_argument("--seconds", type=float, default=60.0)
    return parser


if __name__ == "__main__":
    main("Demo workload", measure, _parser())
