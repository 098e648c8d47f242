"""Benchmark of each stage of an informer's work, in microseconds of CPU an event.

    python -m benchmarks.ingest_stages

Stages work on prepared events of 4.8 kB and add up to about the whole, which is measured apart: a shared informer with
one handler that reads the same events from a socket (of the load server, see `benchmarks.ingest`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from benchmarks.readers.pod_projection import Pod
from benchmarks.support.load_server import load_server
from benchmarks.support.load_server_pods import LAST_VERSION, pod
from benchmarks.support.result_table import Line, main
from informerd.cache.delta import Updated
from informerd.cache.delta_fifo import DeltaFifo
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.cache.listener import Listener
from informerd.cache.notification import Update
from informerd.cache.store import Store
from informerd.clock import SystemClock
from informerd.decoding.compressor import Compressor
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.response_stream import LineCutter
from informerd.zstd_dictionaries import PlainCompressor

PODS_IN_STORE = 10_000
HEAD = b'{"type":"MODIFIED","object":'
CHUNK = 2**18
BATCH = 150
ROUNDS = 3
_SKIP = msgspec.json.Decoder(msgspec.Raw).decode


def cpu(work: Callable[[], object], events: int) -> float:
    """Microseconds of CPU an event, the best of three rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best / events * 1e6


def stages(count: int) -> dict[str, float]:
    raws = [pod(number % PODS_IN_STORE, PODS_IN_STORE + number) for number in range(count)]
    stream = b"".join(HEAD + raw + b"}\n" for raw in raws)
    chunks = [stream[start : start + CHUNK] for start in range(0, len(stream), CHUNK)]
    decode = msgspec.json.Decoder(Pod).decode
    packer = Compressor()
    for raw in raws[:300]:
        packer.compress(raw)
    objects = [decode(raw) for raw in raws]
    return {
        "cut into lines": cpu(lambda: _cut(chunks), count),
        "decode into the projection": cpu(lambda: _each(decode, raws), count),
        "compress with the kind's dictionary": cpu(lambda: _each(packer.compress, raws), count),
        "queue (delta FIFO)": cpu(lambda: asyncio.run(_queue(objects)), count),
        "store and namespace index": cpu(lambda: _store(objects), count),
        "deliver to a handler": cpu(lambda: asyncio.run(_deliver(objects)), count),
    }


def comparisons(count: int) -> dict[str, float]:
    """Other work on the same events, for comparison."""
    raws = [pod(number % PODS_IN_STORE, PODS_IN_STORE + number) for number in range(count)]
    return {
        "for comparison: only look for the end of the JSON": cpu(lambda: _each(_SKIP, raws), count),
        "for comparison: decode the whole object into dicts": cpu(lambda: _each(msgspec.json.decode, raws), count),
        "for comparison: compress without a dictionary": cpu(lambda: _each(PlainCompressor().compress, raws), count),
    }


def _each(function: Callable[[bytes], object], raws: Sequence[bytes]) -> None:
    for raw in raws:
        function(raw)


def _cut(chunks: Sequence[bytes]) -> None:
    cutter = LineCutter()
    for chunk in chunks:
        cutter.feed(chunk)
        while cutter.lines():
            pass


def _store(objects: Sequence[Pod]) -> None:
    store: Store[Pod] = Store()
    for obj in objects:
        store.put(obj.key, obj)


async def _queue(objects: Sequence[Pod]) -> None:
    fifo: DeltaFifo[Pod] = DeltaFifo()
    for start in range(0, len(objects), BATCH):
        fifo.extend([Updated(obj.key, obj) for obj in objects[start : start + BATCH]])
        fifo.done(await fifo.pop())


async def _deliver(objects: Sequence[Pod]) -> None:
    old, last, done = Pod(), objects[-1], asyncio.Event()

    def on_update(_old: Pod, new: Pod) -> None:
        if new is last:
            done.set()

    handler: HandlerFunctions[Pod] = HandlerFunctions(on_update=on_update)
    listener: Listener[Pod] = Listener(handler, clock=SystemClock(), on_remove=lambda _listener: None)
    listener.start()
    for start in range(0, len(objects), BATCH):
        listener.enqueue([Update(old, obj) for obj in objects[start : start + BATCH]])
        await asyncio.sleep(0)
    await done.wait()
    await listener.stop()


async def read(url: str, _events: int) -> float:
    """Seconds of CPU from the first bytes to the last event, without doing anything with them."""
    used = 0.0
    last = LAST_VERSION.encode()
    async with (
        aiohttp.ClientSession(read_bufsize=CHUNK) as session,
        session.get(f"{url}/api/v1/pods?watch=true", timeout=aiohttp.ClientTimeout(total=None)) as response,
    ):
        while chunk := await response.content.readany():
            used = used or time.process_time()
            if last in chunk:
                break
    return time.process_time() - used


async def whole(url: str, _events: int) -> float:
    """Seconds of CPU from a shared informer's first update to its last."""
    first: list[float] = []
    done = asyncio.Event()

    def on_update(_old: Pod, new: Pod) -> None:
        if not first:
            first.append(time.process_time())
        if new.metadata.resource_version == LAST_VERSION:
            done.set()

    async with Client(ClusterConfig(name="load", server=url)) as client:
        factory = SharedInformerFactory(client)
        factory.informer(PODS, Pod).add_handler(HandlerFunctions(on_update=on_update))
        factory.start()
        await done.wait()
        used = time.process_time() - first[0]
        await factory.stop()
    return used


def from_socket(work: Callable[[str, int], Any], peers: Path | None, events: int) -> float:
    """Microseconds of CPU an event, the best of three rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        with load_server(peers, PODS_IN_STORE, events) as url:
            best = min(best, asyncio.run(work(url, events)))
    return best / events * 1e6


def measure(arguments: argparse.Namespace) -> list[Line]:
    peers = Path(arguments.peers) if arguments.peers else None
    found = {"read from the socket (aiohttp)": from_socket(read, peers, arguments.events)}
    found |= stages(arguments.events)
    total = from_socket(whole, peers, arguments.events)
    lines = [Line(name, {"µs an event": each}, {"of the whole": f"{each / total:.0%}"}) for name, each in found.items()]
    lines.append(Line("the whole, from socket to handler", {"µs an event": total}, {"of the whole": "100%"}))
    others = comparisons(arguments.events)
    return [*lines, *(Line(name, {"µs an event": each}, {"of the whole": "-"}) for name, each in others.items())]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=os.environ.get("PEERS"), help="folder of watch-stub")
    parser.add_argument("--events", type=int, default=20_000)
    main("Where an informer's time goes, events of 4.8 kB", measure, parser)
