"""Benchmark of usage: polls of the metrics API of many pods, the ring that keeps a day of them, and what pages cost.

    python -m benchmarks.usage [--pods 50000] [--polls 5]

A demo cluster in another process serves the metrics API over TLS. This process polls as a worker does: it asks, sums up
by namespace and owner, keeps, and makes the messages for the web processes. `kubectl top pods` asks the same server in
turn.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

import django

django.setup()

import msgspec  # noqa: E402
from channels.layers import InMemoryChannelLayer  # noqa: E402
from django.http import QueryDict  # noqa: E402

from benchmarks.support.event_loop_turns import measure_turns  # noqa: E402
from benchmarks.support.process_usage import resident_mb  # noqa: E402
from benchmarks.support.result_table import Line, main  # noqa: E402
from dashboard.live.index.kind_index import KindIndex  # noqa: E402
from dashboard.live.replication.channel_layer import ChannelLayerHealth  # noqa: E402
from dashboard.live.replication.epoch import new_epoch  # noqa: E402
from dashboard.live.usage.messages import ReportPart, part_decoder  # noqa: E402
from dashboard.live.usage.usage_client import UsageClient  # noqa: E402
from dashboard.live.usage.usage_collector import UsageCollector  # noqa: E402
from dashboard.live.usage.usage_history import BYTES_A_SAMPLE, COARSE, FINE, UsageHistory  # noqa: E402
from dashboard.objects.kinds.catalog import KINDS  # noqa: E402
from dashboard.objects.kinds.row import Row  # noqa: E402
from dashboard.objects.printers import build_row, projection_for  # noqa: E402
from dashboard.objects.query.list_query import Query  # noqa: E402
from dashboard.objects.usage.usage import Usage  # noqa: E402
from dashboard.runtime.time_slicing import TimeSlicer  # noqa: E402
from informerd.clock import SystemClock  # noqa: E402
from informerd.resource import Resource  # noqa: E402
from informerd.rest.client import Client  # noqa: E402
from informerd.rest.load_config import load_kubeconfig  # noqa: E402
from tests.support.kubectl import kubectl_binary  # noqa: E402
from tests.support.live.fake_channel_layer import RecordingLayer  # noqa: E402
from tests.support.live.replica_feeder import Feeder  # noqa: E402

POLL_LIMIT, RING_LIMIT = 2.0, 60.0
"""Seconds of a core for a poll; MB."""
FOLLOWED = (
    "pods", "nodes", "replicasets.apps", "deployments.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch",
)  # fmt: skip
"""Kinds whose rows the worker has."""
DAY = 24 * 3600


@contextmanager
def demo_cluster(pods: int) -> Iterator[Path]:
    """A demo cluster with about so many pods. Yields its kubeconfig."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        options = ["--port", "0", "--pods", str(pods), "--rate", "1", "--kubeconfig", str(kubeconfig)]
        with subprocess.Popen([sys.executable, "-m", "devcluster", *options], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                yield kubeconfig
            finally:
                process.terminate()


class Objects(msgspec.Struct):
    """A list of objects."""

    items: list[msgspec.Raw]


async def read_rows(client: Client) -> dict[str, dict[str, Row]]:
    """The rows of the followed kinds, by uid."""
    found: dict[str, dict[str, Row]] = {}
    for key in FOLLOWED:
        listed: Objects = (await client.list(KINDS[key].resource)).decode(Objects)
        rows = [build_row(key, msgspec.json.decode(each, type=projection_for(key))) for each in listed.items]
        found[key] = {row.uid: row for row in rows}
    return found


async def measure_polls(kubeconfig: Path, arguments: argparse.Namespace) -> tuple[list[Line], list[bytes], list[Row]]:
    async def allowed(resource: Resource) -> tuple[str, ...]:  # noqa: ARG001
        return ()

    async def is_served() -> bool:
        return True

    layer = RecordingLayer()
    async with Client(load_kubeconfig(kubeconfig)) as client:
        rows = await read_rows(client)
        gc.collect()
        gc.freeze()
        collector = UsageCollector(
            client, layer, SystemClock(), epoch=new_epoch(SystemClock()), rows=lambda: rows, allowed=allowed,
            is_served=is_served, layer_health=ChannelLayerHealth(), is_connected=lambda: True, interval=30,
        )  # fmt: skip
        cores, times = [], []
        for _ in range(arguments.polls):
            layer.sent.clear()
            began, used = time.perf_counter(), time.process_time()
            await collector.poll()
            cores.append(time.process_time() - used)
            times.append(time.perf_counter() - began)
        async with measure_turns() as turns:  # apart from the others: this takes all of a core
            layer.sent.clear()
            await collector.poll()
    parts = [message["data"] for _, message in layer.sent]
    items = [each for part in map(part_decoder.decode, parts) for each in part.items]
    measured = sum(len(usages) for key, usages in items if key == "pods")
    line = Line(
        f"a poll of {measured:,} pods",
        {"s of a core": median(cores), "s": median(times), "longest turn, ms": 1e3 * max(turns),
         "messages": len(parts), "message kB": sum(map(len, parts)) / 1e3},
        {"limit": f"{POLL_LIMIT:g} s: {'kept' if median(cores) <= POLL_LIMIT else 'not kept'}"},
    )  # fmt: skip
    return [line, *measure_kubectl(kubeconfig, arguments, median(cores))], parts, list(rows["pods"].values())


def measure_kubectl(kubeconfig: Path, arguments: argparse.Namespace, cores: float) -> list[Line]:
    """``kubectl top pods`` of the same server; nothing where there is no kubectl."""
    binary = kubectl_binary()
    if binary is None:
        print("no kubectl: kubectl top is left out", file=sys.stderr)
        return []
    used, times = [], []
    for _ in range(arguments.polls):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [binary, "top", "pods", "--all-namespaces", "--no-headers"],
            env={**os.environ, "KUBECONFIG": str(kubeconfig)}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(time.perf_counter() - began)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [
        Line(
            "kubectl top pods of the same",
            {"s of a core": median(used), "s": median(times)},
            {"of kubectl's": f"× {cores / median(used):.2f}"},
        )
    ]


def measure_ring(pods: int) -> Line:
    """A day of polls by the minute of so many pods. Spans that nobody would see again are left out."""
    usages = [
        Usage(f"team-{number % 40}/web-{number:06d}", 0.0, 15.0, 0.001 * number, number << 12) for number in range(pods)
    ]
    history, begin = UsageHistory(), 1_800_000_000 // COARSE[0] * COARSE[0]
    gc.collect()
    before, used = resident_mb(os.getpid()), []
    times = [*range(0, DAY - FINE[0] * FINE[1], COARSE[0]), *range(DAY - FINE[0] * FINE[1], DAY, FINE[0])]
    for second in times:
        began = time.process_time()
        history.record("pods", usages, begin + second)
        used.append(time.process_time() - began)
    gc.collect()
    size = history.size / 1e6
    return Line(
        f"the ring with a day of {pods:,} pods",
        {"MB": size, "MB of the process": resident_mb(os.getpid()) - before, "bytes a sample": BYTES_A_SAMPLE,
         "s of a core to record": median(used)},
        {"limit": f"{RING_LIMIT:g} MB: {'kept' if size <= RING_LIMIT else 'not kept'}"},
    )  # fmt: skip


async def measure_web(parts: list[bytes], rows: list[Row]) -> list[Line]:
    """What a report costs a web process: to take it in, and to sort a list by it."""
    clock = SystemClock()
    client = UsageClient(InMemoryChannelLayer(), clock)
    feeder, slices = Feeder("pods", clock, rows), TimeSlicer()
    index = KindIndex(feeder.replica, clock, slices, client)
    index.open_result(Query.parse(QueryDict("sort=-memory&q=cpu>10m"), "pods"))
    taken, sorted_ = [], []
    for number in range(3):
        began = time.process_time()
        for part in parts:
            report: ReportPart = part_decoder.decode(part)
            client.receive(msgspec.structs.replace(report, number=number))
        taken.append(time.process_time() - began)
        began = time.process_time()
        index.refresh_usage()
        while len(slices):  # noqa: ASYNC110 - turns of the loop are what it needs
            await asyncio.sleep(0)
        sorted_.append(time.process_time() - began)
    return [
        Line("a report in a web process", {"s of a core": median(taken)}),
        Line("a list sorted and filtered by it again", {"s of a core": median(sorted_)}),
    ]


def measure(arguments: argparse.Namespace) -> list[Line]:
    with demo_cluster(arguments.pods) as kubeconfig:
        lines, parts, rows = asyncio.run(measure_polls(kubeconfig, arguments))
    lines += asyncio.run(measure_web(parts, rows))
    lines.append(measure_ring(arguments.pods))
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=50_000, help="pods of the demo cluster, about")
    parser.add_argument("--polls", type=int, default=5, help="polls of each side")
    return parser


if __name__ == "__main__":
    main("Usage", measure, _parser())
