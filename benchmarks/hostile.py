"""Benchmark of an honest person's page beside hostile clients: its delay, `/healthz`, and the web process's memory.

    python -m benchmarks.hostile [--pods 5000] [--seconds 30] [--attacks NAME …]

A real API server, a worker and a web process joined by Redis. Beside each attack one page follows a list with RATE
changes a second, and `/healthz` is asked ten times a second; the first line has the same without an attack. Memory is
that of the web process: how much it grew while the attack ran, and how much of that is left `--rest` seconds later.
Each of the attacked pages is opened once before: code and schemas that a first visitor loads are not an attack's.
Attacks (benchmarks/support/hostile_client.py) run on the same machine, but get the processor only where nobody else
wants it.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.api_session import session_for
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.hostile_client import ATTACKS, HOSTILE_KIND, Attack, use_honestly
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.marked_pod_changes import Marker
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import ClusterSize
from benchmarks.support.websocket_follower_process import collect_followers, followers
from tests.support.controlplane import ControlPlane

RATE = 5.0
"""Changes a second of the pods in the page."""
NAMESPACE = "team-0"
HEALTHZ_EVERY = 0.1
HOSTILE_PATTERN = "^(.|.|.|.)+!$"
NESTED_LEVELS = 12


def hostile_definition() -> dict[str, Any]:
    """A definition whose sample takes 10^12 items, with a pattern that takes exponential time where it is tried."""
    node: dict[str, Any] = {"type": "string", "pattern": HOSTILE_PATTERN}
    for _ in range(NESTED_LEVELS):
        node = {"type": "array", "minItems": 10, "items": node}
    spec = {
        "type": "object", "required": ["word", "deep"],
        "properties": {"word": {"type": "string", "pattern": HOSTILE_PATTERN}, "deep": node},
    }  # fmt: skip
    plural, _, group = HOSTILE_KIND.partition(".")
    schema = {"type": "object", "required": ["spec"], "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": plural, "singular": "trap", "kind": "Trap"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": HOSTILE_KIND},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }  # fmt: skip


async def ask_healthz(url: str, took: list[float]) -> None:
    """Ask again and again until cancelled; milliseconds of each answer, whatever it was."""
    async with aiohttp.ClientSession() as session:
        while True:
            began = time.monotonic()
            try:
                async with session.get(f"{url}/healthz", timeout=aiohttp.ClientTimeout(total=30)) as answer:
                    await answer.read()
            except (aiohttp.ClientError, TimeoutError):
                pass
            finally:  # what was not answered counts with the time for which nobody did
                took.append((time.monotonic() - began) * 1e3)
            await asyncio.sleep(max(0.0, HEALTHZ_EVERY - (time.monotonic() - began)))


async def watch_memory(running: Running, seen: list[float]) -> None:
    """Resident MB of the web process, ten times a second until cancelled."""
    while True:
        seen.append(running.memory_mb()["web"])
        await asyncio.sleep(0.1)


async def measure_attack(
    running: Running, kubeconfig: Path, name: str, marker: Marker, arguments: argparse.Namespace
) -> Line:
    """One line; `name` is empty for none."""
    healthz: list[float] = []
    memory: list[float] = []
    pods = [(NAMESPACE, f"web-7d9c-{number:05d}") for number in range(0, min(2000, arguments.pods), 20)]
    before = running.memory_mb()["web"]
    since = len(marker.sent_at)
    prefix = running.programs["web"].env["DELTABOARD_CHANNEL_PREFIX"]
    async with session_for(kubeconfig) as session:
        with followers(running.url, 1, [f"/resources/pods/?namespace={NAMESPACE}"]) as process:
            attack = _start_attack(name, running.url, arguments.seconds, prefix) if name else None
            watching = [
                asyncio.create_task(ask_healthz(running.url, healthz)),
                asyncio.create_task(watch_memory(running, memory)),
            ]
            await marker.write_continuously(session, pods, RATE, arguments.seconds)
            await asyncio.sleep(2)
            for task in watching:
                task.cancel()
            if attack is not None:
                print(f"{name}: {await asyncio.to_thread(_result_of, attack)}", file=sys.stderr)
            (seen,) = await asyncio.to_thread(collect_followers, process)
    await asyncio.sleep(arguments.rest)
    counted = [*marker.sent_at][since:]
    shown = {int(mark): at for mark, at in seen["marks"].items()}
    late = [(shown[mark] - marker.sent_at[mark]) * 1e3 for mark in counted if mark in shown]
    return Line(
        name or "no attack",
        {
            "healthz p99, ms": latency_figures(healthz)["p99, ms"],
            "change p50, ms": latency_figures(late)["p50, ms"] if len(late) > 1 else math.inf,
            "change p99, ms": latency_figures(late)["p99, ms"] if len(late) > 1 else math.inf,
            "changes shown, %": 100 * len(late) / len(counted),
            "grown, MB": max(memory) - before,
            "left of it, MB": running.memory_mb()["web"] - before,
            "stale beats": seen["stale"],
        },
    )


def _start_attack(name: str, url: str, seconds: float, prefix: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.support.hostile_client", name, url, str(seconds), prefix]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _result_of(attack: subprocess.Popen[str]) -> str:
    try:
        return attack.communicate(timeout=60)[0].strip() or "it ended with nothing to say"
    except subprocess.TimeoutExpired:
        attack.kill()
        attack.communicate()
        return "it had to be killed"


async def measure_all(running: Running, cluster: ControlPlane, arguments: argparse.Namespace) -> list[Line]:
    marker = Marker()
    await Attack(running.url, 60, "").run_once(use_honestly)
    lines = [await measure_attack(running, cluster.kubeconfig, "", marker, arguments)]
    for name in arguments.attacks:
        lines.append(await measure_attack(running, cluster.kubeconfig, name, marker, arguments))
        if not running.programs["web"].running():
            sys.exit(f"the web process did not survive {name}:\n{running.outputs()}")
    return lines


def measure(arguments: argparse.Namespace) -> list[Line]:
    with filled_cluster(ClusterSize(arguments.pods)) as cluster:
        cluster.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", hostile_definition())
        with ready_dashboard(cluster.kubeconfig, split=True, tables=True, limited=True) as running:
            lines = asyncio.run(measure_all(running, cluster, arguments))
    first = lines[0].figures
    for line in lines[1:]:
        names = ("healthz p99, ms", "change p99, ms")
        line.ratios.update({f"{name}, ratio": f"× {line.figures[name] / first[name]:.1f}" for name in names})
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="An honest page beside hostile clients.")
    parser.add_argument("--pods", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rest", type=float, default=10, help="seconds until it is looked what memory is left")
    parser.add_argument("--attacks", nargs="*", choices=[*ATTACKS], default=[*ATTACKS])
    return parser


if __name__ == "__main__":
    main("Hostile clients", measure, _parser())
