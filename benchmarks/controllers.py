"""Benchmark of a controller that does nothing on 10,000 pods, and of kopf on the same load.

    python -m benchmarks.controllers

A load server lists 10,000 pods of 4.8 kB, and when all have been handled it sends an event for each as fast as it is
read. What is measured ends when every pod has been handled once more, and begins when the first event is asked for, so
that reading, decoding, cache and queue are in it. Each reader is a process of its own with a fresh load server; of
several `--rounds` the median counts. kopf's handler is on.event, which like ours writes nothing to the objects.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from statistics import median

from benchmarks.support.load_server import load_server
from benchmarks.support.result_table import Line, main

OURS = "informerd, 4 workers"


def readers() -> dict[str, list[str]]:
    """Each reader's command, in which URL and PODS are to be replaced."""
    module = [sys.executable, "-m"]
    return {
        OURS: [*module, "benchmarks.readers.informerd_controller", "URL", "PODS", "4"],
        "informerd, 1 worker": [*module, "benchmarks.readers.informerd_controller", "URL", "PODS", "1"],
        "kopf, on.event": [*module, "benchmarks.readers.kopf_operator", "URL", "PODS"],
    }


def run(command: list[str], pods: int) -> dict[str, float]:
    """Run a reader against a fresh load server. Returns what it printed."""
    with load_server(None, pods, pods, "asked") as url:
        filled = [{"URL": url, "PODS": str(pods)}.get(word, word) for word in command]
        done = subprocess.run(filled, check=True, stdout=subprocess.PIPE, text=True, timeout=900)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measure(arguments: argparse.Namespace) -> list[Line]:
    rounds: dict[str, list[dict[str, float]]] = {}
    for number in range(arguments.rounds):
        for name, command in readers().items():
            print(f"round {number + 1} of {arguments.rounds}: {name} …", file=sys.stderr)
            rounds.setdefault(name, []).append(run(command, arguments.pods))
    found = {
        name: {figure: median(each[figure] for each in figures) for figure in figures[0]}
        for name, figures in rounds.items()
    }
    return [_line(name, figures, found[OURS], arguments.pods) for name, figures in found.items()]


def _line(name: str, figures: dict[str, float], ours: dict[str, float], pods: int) -> Line:
    shown = {
        "first handling after, s": figures["first_seconds"],
        "all there were handled after, s": figures["listed_seconds"],
        f"{pods:,} events handled in, s": figures["events_seconds"],
        "of the reader's processor, s": figures["events_core_seconds"],
        "events handled a second": pods / figures["events_seconds"],
        "resident, MB": figures["rss_mb"],
        "at most, MB": figures["peak_mb"],
    }
    return Line(name, shown, {"informerd's events": f"× {figures['events_seconds'] / ours['events_seconds']:.1f}"})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser


if __name__ == "__main__":
    main("Controllers that do nothing, of pods of 4.8 kB", measure, _parser())
