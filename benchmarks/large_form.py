"""Benchmark of the editor of a kind with 1,500 fields: time to the first paint, and the cost of the form while typing.

    python -m benchmarks.large_form [--requests 30]

A real API server with a definition of the size of Prometheus operator's Prometheus
(tests/support/forms/prometheus_schema.py);
the dashboard in one process. "First shown" is Chromium's first contentful paint with an empty cache, from navigation,
in a window that is at rest, and in one that is still being opened; "form drawn" is its largest one, which the form is a
part of; nothing is asked of the page before it has loaded. Beside it the same of a page without a form. Merging and
rewriting are of two objects of 5,000 lines, in process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
from playwright.async_api import async_playwright

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.chromium import ARGUMENTS, SETTLE_SECONDS, chromium, new_window
from benchmarks.support.dashboard_processes import dashboard
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import ClusterSize
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.three_way import merge
from tests.support.controlplane import ControlPlane
from tests.support.forms.operator_schemas import GROUP, count, definition
from tests.support.forms.prometheus_schema import prometheus

COLD = 7
"""Browsers without a cache that open the editor, one after the other."""
LINES = 5_000
CONTAINER = {"name": "proxy", "image": "proxy:1", "args": ["--a", "--b"], "ports": [{"containerPort": 8080}]}
SPEC: dict[str, Any] = {
    "replicas": 2, "retention": "15d", "externalLabels": {"cluster": "eu"}, "containers": [CONTAINER],
    "remoteWrite": [{"url": "https://metrics.example.com/write"}],
    "resources": {"limits": {"cpu": "2", "memory": "8Gi"}},
}  # fmt: skip
FIRST_PAINT_SCRIPT = """(name) => new Promise((resolve) => new PerformanceObserver((list) => resolve(
    list.getEntriesByName(name)[0]?.startTime ?? 0)).observe({ type: "paint", buffered: true }))"""
LARGEST = """() => new Promise((resolve) => new PerformanceObserver((list) => resolve(
    list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true }))"""


def create_large_kind(cluster: ControlPlane) -> str:
    """The definition and an object of it; gives the path of its editor."""
    with TemporaryDirectory() as folder:
        manifest = Path(folder) / "prometheus.yaml"
        manifest.write_text(json.dumps(definition("Prometheus", prometheus())))
        cluster.apply_crd(manifest)
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Prometheus", "metadata": {"name": "one"}, "spec": SPEC}
    cluster.create(f"/apis/{GROUP}/v1/namespaces/default/prometheuses", body)
    return f"/resources/prometheuses.{GROUP}/default/one/edit/"


async def first_bytes(address: str, requests: int) -> dict[str, float]:
    took: list[float] = []
    size = 0
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        for _ in range(requests):
            began = time.perf_counter()
            async with session.get(address, headers={"Accept-Encoding": "gzip"}) as answer:
                took.append((time.perf_counter() - began) * 1e3)
                size = len(await answer.read())
                if answer.status != 200:
                    sys.exit(f"{address}: {answer.status}")
    worst = quantiles(took, n=100, method="inclusive")[98]
    return {"first byte p50, ms": median(took), "p99, ms": worst, "first, ms": took[0], "kB": size / 1e3}


async def measure_cold_load(address: str, *, settled: float = SETTLE_SECONDS) -> dict[str, float]:
    shown, drawn = [], []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for _ in range(COLD):
            page = await new_window(browser, settled=settled)
            await page.goto(address, wait_until="load")
            shown.append(await page.evaluate(FIRST_PAINT_SCRIPT, "first-contentful-paint"))
            drawn.append(await page.evaluate(LARGEST))
            await page.context.close()
        await browser.close()
    return {"first shown, median, ms": median(shown), "worst, ms": max(shown), "form drawn, median, ms": median(drawn)}


def in_process() -> list[Line]:
    """Merge and rewrite of two objects of LINES lines that were changed on both sides."""
    items = [{"name": f"item-{number}", "value": number, "labels": {"a": "b"}} for number in range(LINES // 4)]
    base = {"kind": "X", "metadata": {"name": "x"}, "spec": {"map": {item["name"]: item for item in items}}}
    mine, theirs = (_changed(base, step) for step in (7, 11))
    document = parse(to_yaml(mine))
    merged = merge(base, theirs, mine).value
    works: dict[str, Callable[[], object]] = {
        "merge": lambda: merge(base, theirs, mine), "rewrite": lambda: rewrite(document, merged),
        "parse": lambda: parse(document.text),
    }  # fmt: skip
    name = f"two objects of {document.text.count(chr(10)):,} lines"
    return [Line(name, {f"{work}, ms": _milliseconds(function) for work, function in works.items()})]


def _changed(base: dict[str, Any], step: int) -> dict[str, Any]:
    fields = base["spec"]["map"]
    changed = {
        name: {**item, f"by-{step}": step} if number % step == 0 else item
        for number, (name, item) in enumerate(fields.items())
    }
    return {**base, "spec": {"map": changed}}


def _milliseconds(function: Callable[[], object]) -> float:
    took = []
    for _ in range(9):
        began = time.perf_counter()
        function()
        took.append((time.perf_counter() - began) * 1e3)
    return median(took)


def measure(arguments: argparse.Namespace) -> list[Line]:
    with filled_cluster(ClusterSize(1)) as cluster, dashboard(cluster.kubeconfig) as running:
        running.wait_until_ready()
        address = running.url + create_large_kind(cluster)
        name = f"editor of {count(prometheus()):,} fields"
        lines = [Line(name, asyncio.run(first_bytes(address, arguments.requests)))]
        lines.append(Line("the same in Chromium, cold", asyncio.run(measure_cold_load(address))))
        lines.append(Line("in a window that opens", asyncio.run(measure_cold_load(address, settled=0))))
        lines.append(Line("a page without a form (drafts)", asyncio.run(measure_cold_load(f"{running.url}/drafts/"))))
    return lines + in_process()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Forms of a large schema.")
    parser.add_argument("--requests", type=int, default=30)
    return parser


if __name__ == "__main__":
    main("Forms", measure, _parser())
