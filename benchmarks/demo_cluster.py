"""The demo cluster's API server: how soon it is ready, what 20,000 pods cost it, and how many writes it takes.

    python -m benchmarks.demo_cluster

The server runs on one core (where the system can bind it to one), its clients on the others: ten watchers of all pods,
and writers that create pods of 4.8 kB and then patch their status, over TLS as everybody does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp

from benchmarks.pods import pod
from benchmarks.table import Line, main
from informerd.rest.cluster import load_kubeconfig

NAMESPACES = 20
WRITERS = 32


@dataclass(frozen=True)
class Server:
    """A running demo cluster."""

    process: subprocess.Popen[bytes]
    kubeconfig: Path
    ready_seconds: float

    @property
    def resident_mb(self) -> float:
        """Resident memory, from /proc."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def core_seconds(self) -> float:
        """Processor time used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Start one, wait until it says that it is ready, and end it at last."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        command = [sys.executable, "-m", "devcluster", "--no-workload", "--port", "0", "--kubeconfig", str(kubeconfig)]
        began = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            ready = time.monotonic() - began
            _bind(process.pid)
            try:
                yield Server(process, kubeconfig, ready)
            finally:
                process.terminate()


def _bind(pid: int) -> None:
    """One core for the server and the others for us, where there are several."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) > 1:
        os.sched_setaffinity(pid, cores[:1])
        os.sched_setaffinity(0, cores[1:])


@contextlib.asynccontextmanager
async def client(kubeconfig: Path) -> AsyncIterator[aiohttp.ClientSession]:
    """A session for the server that the kubeconfig names."""
    access = load_kubeconfig(kubeconfig)
    authority = (access.tls.ca_data or b"").decode()
    connector = aiohttp.TCPConnector(limit=0, ssl=ssl.create_default_context(cadata=authority))
    headers = {"Authorization": f"Bearer {access.credentials.token}"}
    async with aiohttp.ClientSession(access.server, connector=connector, headers=headers) as session:
        yield session


async def write(session: aiohttp.ClientSession, method: str, bodies: Iterator[tuple[str, bytes, str]]) -> float:
    """Send all; writes a second."""
    began, count = time.monotonic(), itertools.count()

    async def writer() -> None:
        for path, body, content_type in bodies:
            headers = {"Content-Type": content_type}
            async with session.request(method, path, data=body, headers=headers) as answer:
                answer.raise_for_status()
                await answer.read()
            next(count)

    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return next(count) / (time.monotonic() - began)


async def watch(session: aiohttp.ClientSession, version: str, events: int) -> int:
    """Read a watch of all pods until it has sent so many events; how many came."""
    seen = 0
    async with session.get("/api/v1/pods", params={"watch": "1", "resourceVersion": version}) as answer:
        answer.raise_for_status()
        while seen < events:
            chunk = await answer.content.readany()
            if not chunk:
                break
            seen += chunk.count(b"\n")
    return seen


def _creates(pods: int) -> Iterator[tuple[str, bytes, str]]:
    for number in range(pods):
        obj = json.loads(pod(number, 1))
        del obj["metadata"]["resourceVersion"], obj["metadata"]["ownerReferences"]
        obj["spec"]["volumes"] = [{"name": "token", "emptyDir": {}}]
        yield f"/api/v1/namespaces/team-{number % NAMESPACES}/pods", json.dumps(obj).encode(), "application/json"


def _patches(pods: int, writes: int) -> Iterator[tuple[str, bytes, str]]:
    for write in range(writes):
        number = write % pods
        obj = json.loads(pod(number, write))
        path = f"/api/v1/namespaces/team-{number % NAMESPACES}/pods/{obj['metadata']['name']}/status"
        yield path, json.dumps({"status": obj["status"]}).encode(), "application/merge-patch+json"


async def load(running: Server, pods: int, writes: int, watchers: int) -> list[Line]:
    """Fill the server, then write under the eyes of watchers."""
    async with client(running.kubeconfig) as session:
        for number in range(NAMESPACES):
            body = json.dumps({"metadata": {"name": f"team-{number}"}})
            async with session.post("/api/v1/namespaces", data=body, headers={"Content-Type": "application/json"}):
                pass
        empty = running.resident_mb
        created = await write(session, "POST", _creates(pods))
        filled = running.resident_mb
        async with session.get("/api/v1/pods", params={"limit": "1"}) as answer:
            version = (await answer.json())["metadata"]["resourceVersion"]
        watching = [asyncio.create_task(watch(session, version, writes)) for _ in range(watchers)]
        await asyncio.sleep(0.5)
        before = running.core_seconds
        prepared = list(_patches(pods, writes))
        patched = await write(session, "PATCH", iter(prepared))
        used = running.core_seconds - before
        async with asyncio.timeout(60):
            seen = await asyncio.gather(*watching)
    return [
        Line(f"{pods:,} pods of 4.8 kB", {"resident, MB": filled, "empty, MB": empty}),
        Line("creates, nobody watching", {"writes a second": created}),
        Line(
            f"status patches, {watchers} watchers",
            {
                "writes a second": patched,
                "a core-second": writes / used,
                "events delivered, %": 100 * sum(seen) / (watchers * writes),
            },
        ),
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    starts = []
    for _ in range(arguments.starts):
        with server() as running:
            starts.append(running.ready_seconds)
    with server() as running:
        lines = asyncio.run(load(running, arguments.pods, arguments.writes, arguments.watchers))
    return [Line("start to ready", {"seconds": median(starts)}), *lines]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=20_000)
    parser.add_argument("--writes", type=int, default=10_000)
    parser.add_argument("--watchers", type=int, default=10)
    parser.add_argument("--starts", type=int, default=3)
    return parser


if __name__ == "__main__":
    main("Demo cluster", measure, _parser())
