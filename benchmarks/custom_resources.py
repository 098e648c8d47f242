"""Benchmark of many custom resources: memory a kind, time to its first row, and the editor of 2,000 fields.

    python -m benchmarks.custom_resources [--definitions 200] [--followed 60] [--objects 50] [--requests 20]

A real API server with that many definitions, each with printed columns and objects with conditions; the dashboard in
one process. "First row" is from the request of a list's page to the page that has the row, asked anew until it has,
for each kind that is followed on demand, one after the other; beside it kubectl's way, one list request to the API
server. Memory is the growth of the process once all of them are followed. "First byte" is of the editor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from benchmarks.large_form import first_bytes
from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.dashboard_processes import Running, dashboard
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import ClusterSize
from tests.support.api_client import DEFINITIONS
from tests.support.controlplane import ControlPlane
from tests.support.custom.project_crds import AGE, READY, STATUS, CustomKind, condition
from tests.support.forms.operator_schemas import GROUP, count, definition
from tests.support.forms.pod_schema import pod_spec
from tests.support.forms.prometheus_schema import prometheus
from tests.support.forms.schema_builders import group
from tests.support.wait import until

FIRST_ROW_WITHIN = 30.0
"""Seconds after which a list is given up."""
POLL = 0.02


def kinds(number: int) -> list[CustomKind]:
    """That many kinds of twenty groups, each with printed columns and a condition."""
    status = {"conditions": [condition("Ready", "True", "Ready", "it is up to date")]}
    return [
        CustomKind(
            f"things{each:03d}.group{each % 20}.example.com", f"Thing{each:03d}", (READY, STATUS, AGE), {}, status
        )
        for each in range(number)
    ]


def create(cluster: ControlPlane, kind: CustomKind, objects: int) -> None:
    """The definition's objects, with their status."""
    path = f"/apis/{kind.group}/{kind.version}/namespaces/default/{kind.plural}"
    until(lambda: cluster.exists(path), what=f"{kind.key} served")
    for number in range(objects):
        cluster.create(path, kind.obj(f"row-{number}"))
        cluster.patch(f"{path}/row-{number}/status", {"status": kind.status})


async def time_to_first_row(session: aiohttp.ClientSession, url: str) -> float:
    """Milliseconds until a page of the list has its first row. Raises SystemExit where none comes."""
    began = time.perf_counter()
    while time.perf_counter() - began < FIRST_ROW_WITHIN:
        async with session.get(url) as answer:
            if "row-0<" in await answer.text():
                return (time.perf_counter() - began) * 1e3
        await asyncio.sleep(POLL)
    raise SystemExit(f"{url}: no row after {FIRST_ROW_WITHIN:.0f} s")


async def open_lists(running: Running, followed: list[CustomKind]) -> list[float]:
    async with aiohttp.ClientSession() as session:
        return [await time_to_first_row(session, f"{running.url}/resources/{kind.key}/") for kind in followed]


def list_requests(cluster: ControlPlane, followed: list[CustomKind]) -> list[float]:
    took = []
    for kind in followed:
        began = time.perf_counter()
        cluster.get(f"/apis/{kind.group}/{kind.version}/{kind.plural}?limit=500")
        took.append((time.perf_counter() - began) * 1e3)
    return took


def create_large_kind(cluster: ControlPlane) -> tuple[str, int]:
    """A definition of more than 2,000 fields and an object; the path of its editor and the number of fields."""
    schema: dict[str, Any] = prometheus()
    schema["properties"]["canary"] = group(pod_spec())
    with TemporaryDirectory() as folder:
        manifest = Path(folder) / "large.yaml"
        manifest.write_text(json.dumps(definition("Prometheus", schema)))
        cluster.apply_crd(manifest)
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Prometheus", "metadata": {"name": "one"}, "spec": {"replicas": 2}}
    cluster.create(f"/apis/{GROUP}/v1/namespaces/default/prometheuses", body)
    return f"/resources/prometheuses.{GROUP}/default/one/edit/", count(schema)


def _spread(took: list[float]) -> dict[str, float]:
    return {"p50, ms": median(took), "p99, ms": quantiles(took, n=100, method="inclusive")[98], "worst, ms": max(took)}


def measure(arguments: argparse.Namespace) -> list[Line]:
    with filled_cluster(ClusterSize(1)) as cluster:
        every = kinds(arguments.definitions)
        for kind in every:
            cluster.create(DEFINITIONS, kind.definition())
        followed = every[: arguments.followed]
        for kind in followed:
            create(cluster, kind, arguments.objects)
        editor, fields = create_large_kind(cluster)
        with dashboard(cluster.kubeconfig) as running:
            running.wait_until_ready()
            before = running.memory_mb()["dashboard"]
            shown = asyncio.run(open_lists(running, followed))
            grown = running.memory_mb()["dashboard"] - before
            listed = list_requests(cluster, followed)
            pages = asyncio.run(first_bytes(running.url + editor, arguments.requests))
    name = f"first row of {len(followed)} of {len(every)} kinds"
    ratio = {"list request": f"× {median(shown) / median(listed):.1f}"}
    return [
        Line(name, {**_spread(shown), "MB a kind": grown / len(followed)}, ratio),
        Line("a list request to the API server", _spread(listed)),
        Line(f"editor of {fields:,} fields", pages),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Many custom resources.")
    parser.add_argument("--definitions", type=int, default=200)
    parser.add_argument("--followed", type=int, default=60)
    parser.add_argument("--objects", type=int, default=50, help="objects of each followed kind")
    parser.add_argument("--requests", type=int, default=20, help="requests of the editor's page")
    return parser


if __name__ == "__main__":
    main("Custom resources", measure, _parser())
