"""Benchmark of the demo cluster's API server: its start, its cost with 20,000 pods, and its writes a second.

    python -m benchmarks.demo_cluster

The server runs on one core (where the system can bind it to one), its clients on the others: ten watchers of all pods,
and writers that create pods of 4.8 kB and then patch their status, over TLS as everybody does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import cast

import aiohttp

from benchmarks.support.load_server_pods import pod
from benchmarks.support.process_usage import core_seconds, resident_mb
from benchmarks.support.result_table import Line, main
from informerd.rest.load_config import ClusterConfig, load_kubeconfig

NAMESPACES = 20
WRITERS = 32
JSON = "application/json"
_EVENT = b'{"type":"'
_LENGTH = re.compile(rb"(?i)content-length: (\d+)")


@dataclass(frozen=True)
class Server:
    """A running demo cluster."""

    process: subprocess.Popen[bytes]
    kubeconfig: Path
    ready_seconds: float

    @property
    def resident_mb(self) -> float:
        """Resident memory, in MB."""
        return resident_mb(self.process.pid)

    @property
    def core_seconds(self) -> float:
        """Processor time used so far, in seconds."""
        return core_seconds(self.process.pid)


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """A demo cluster that is ready; it ends with the block."""
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
    """Bind the server to one core and this process to the others, where there are several."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) > 1:
        os.sched_setaffinity(pid, cores[:1])
        os.sched_setaffinity(0, cores[1:])


@contextlib.asynccontextmanager
async def open_session(kubeconfig: Path) -> AsyncIterator[aiohttp.ClientSession]:
    """A session for the server that the kubeconfig names."""
    access = load_kubeconfig(kubeconfig)
    authority = (access.tls.ca_data or b"").decode()
    connector = aiohttp.TCPConnector(limit=0, ssl=ssl.create_default_context(cadata=authority))
    headers = {"Authorization": f"Bearer {access.credentials.token}"}
    async with aiohttp.ClientSession(access.server, connector=connector, headers=headers) as session:
        yield session


class _Writer(asyncio.Protocol):
    """One connection that sends a request, waits for its answer and sends the next: little else costs our core time."""

    def __init__(self, head: str, method: str, bodies: Iterator[tuple[str, bytes, str]]) -> None:
        self._head = head
        self._method = method
        self._bodies = bodies
        self._answer = b""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._next()

    def data_received(self, data: bytes) -> None:
        self._answer += data
        head, end, body = self._answer.partition(b"\r\n\r\n")
        if not end or len(body) < int(_LENGTH.search(head)[1]):  # type: ignore[index]
            return
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            self.ended.set_exception(RuntimeError(self._answer.decode()))
            return
        self._answer = b""
        self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(error or EOFError())

    def _next(self) -> None:
        for path, body, content_type in self._bodies:
            lines = (
                f"{self._method} {path} {self._head}Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            self._transport.write(lines.encode() + body)
            return
        self.ended.set_result(None)
        self._transport.close()


async def write(access: ClusterConfig, method: str, bodies: list[tuple[str, bytes, str]]) -> float:
    """Send all bodies. Returns the writes a second."""
    host, head, tls = _access(access)
    began, left = time.monotonic(), iter(bodies)
    loop = asyncio.get_running_loop()
    opened = [
        loop.create_connection(lambda: _Writer(head, method, left), *host, ssl=tls, server_hostname=host[0])
        for _ in range(WRITERS)
    ]
    await asyncio.gather(*(writer.ended for _, writer in await asyncio.gather(*opened)))
    return len(bodies) / (time.monotonic() - began)


def _access(access: ClusterConfig) -> tuple[tuple[str, int], str, ssl.SSLContext]:
    """Host and port, the part of a request's head after its path, and TLS."""
    host, _, port = access.server.removeprefix("https://").rpartition(":")
    authority = (access.tls.ca_data or b"").decode()
    head = f"HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {access.credentials.token}\r\n"
    return (host, int(port)), head, ssl.create_default_context(cadata=authority)


class Watch(threading.Thread):
    """Reads a watch of all pods until `events` events have come. A thread: OpenSSL reads without Python's lock."""

    def __init__(self, access: ClusterConfig, version: str, events: int) -> None:
        super().__init__(daemon=True)
        self._access = access
        self._version = version
        self._events = events
        self.event_count = 0

    def run(self) -> None:
        host, head, tls = _access(self._access)
        query = f"/api/v1/pods?watch=1&resourceVersion={self._version}&timeoutSeconds=120"
        with socket.create_connection(host) as raw, tls.wrap_socket(raw, server_hostname=host[0]) as held:
            held.sendall(f"GET {query} {head}\r\n".encode())
            rest = b""
            while self.event_count < self._events and (chunk := rest + held.recv(1 << 18)) != rest:
                self.event_count += chunk.count(_EVENT)
                rest = chunk[1 - len(_EVENT) :]


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


async def measure_load(running: Server, pods: int, writes: int, watchers: int) -> list[Line]:
    """Fill the server, then write while watchers follow. Returns the figures of each step."""
    access = load_kubeconfig(running.kubeconfig)
    spaces = ({"metadata": {"name": f"team-{number}"}} for number in range(NAMESPACES))
    await write(access, "POST", [("/api/v1/namespaces", json.dumps(space).encode(), JSON) for space in spaces])
    empty = running.resident_mb
    created = await write(access, "POST", list(_creates(pods)))
    filled = running.resident_mb
    async with (
        open_session(running.kubeconfig) as session,
        session.get("/api/v1/pods", params={"limit": "1"}) as answer,
    ):
        version = (await answer.json())["metadata"]["resourceVersion"]
    patches = list(_patches(pods, writes))
    watching = [Watch(access, version, writes) for _ in range(watchers)]
    for watch in watching:
        watch.start()
    before = running.core_seconds
    patched = await write(access, "PATCH", patches)
    used = running.core_seconds - before
    for watch in watching:
        await asyncio.to_thread(watch.join, 60)
    return [
        Line(f"{pods:,} pods of 4.8 kB", {"resident, MB": filled, "empty, MB": empty}),
        Line("creates, nobody watching", {"writes a second": created}),
        Line(
            f"status patches, {watchers} watchers",
            {
                "writes a second": patched,
                "a core-second": writes / used,
                "events delivered, %": 100 * sum(watch.event_count for watch in watching) / (watchers * writes),
            },
        ),
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    starts = []
    for _ in range(arguments.starts):
        with server() as running:
            starts.append(running.ready_seconds)
    with server() as running:
        lines = asyncio.run(measure_load(running, arguments.pods, arguments.writes, arguments.watchers))
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
