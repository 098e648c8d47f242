"""Benchmark of an informer's first list of all pods, by each way of listing: what it costs the API server, and itself.

    python -m benchmarks.first_list [--pods 30000] [--rounds 3]

A real API server holds the pods, in memory before the first round. Each informer is new, has the dashboard's projection
of a pod, and ends when its store has all of them. Of the rounds the median counts. The peer is the streaming list,
client-go's default.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import msgspec
import uvloop

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.process_usage import core_seconds
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import ClusterSize
from dashboard.objects.printers import projection_for
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.reflector_settings import PAGES_FROM_MEMORY, ReflectorSettings
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane

DASHBOARD = ReflectorSettings(lists_by_version=True).for_list("v{}.{}".format(*PAGES_FROM_MEMORY))
WAYS = {
    "streaming list": ReflectorSettings(),
    "a page, then one answer": DASHBOARD,
    "consistent pages of 500 to 5,000": msgspec.structs.replace(DASHBOARD, whole_within=0.0),
    "consistent pages of 500": ReflectorSettings(streaming_lists=False, consistent_lists=True),
    "any version, in one answer": ReflectorSettings(streaming_lists=False),
}


async def first_list(cluster: ControlPlane, settings: ReflectorSettings, pods: int) -> tuple[float, float, float]:
    """Seconds that it takes, and of a core of the API server and of this process."""
    async with (
        Client(load_kubeconfig(cluster.kubeconfig)) as client,
        SharedInformerFactory(client, settings=settings) as factory,
    ):
        informer = factory.informer(PODS, projection_for("pods"))
        before = time.monotonic(), core_seconds(cluster.apiserver_pid), time.process_time()
        factory.start()
        await factory.wait_for_cache_sync()
        after = time.monotonic(), core_seconds(cluster.apiserver_pid), time.process_time()
        if len(informer.store) != pods:
            raise SystemExit(f"the store has {len(informer.store)} of {pods} pods")
    seconds, api_server, own = (end - begin for begin, end in zip(before, after, strict=True))
    return seconds, api_server, own


def measure(arguments: argparse.Namespace) -> list[Line]:
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in WAYS}
    with filled_cluster(ClusterSize(arguments.pods, 50)) as cluster:
        uvloop.run(first_list(cluster, ReflectorSettings(), arguments.pods))
        for _ in range(arguments.rounds):
            for name, settings in WAYS.items():
                found[name].append(uvloop.run(first_list(cluster, settings, arguments.pods)))
    medians = {name: [median(each) for each in zip(*rounds, strict=True)] for name, rounds in found.items()}
    peer = medians["streaming list"]
    return [
        Line(
            name,
            {"seconds": seconds, "s of the API server's core": api_server, "s of the informer's core": own},
            {
                "seconds, to a streaming list's": f"× {seconds / peer[0]:.2f}",
                "the API server's": f"× {api_server / max(peer[1], 0.01):.2f}",
            },
        )
        for name, (seconds, api_server, own) in medians.items()
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=30_000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser


if __name__ == "__main__":
    main("The first list", measure, _parser())
