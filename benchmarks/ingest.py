"""Benchmark of the whole informer, from the socket to handler and indexed store, against its peers in the same run.

    python -m benchmarks.ingest --peers DIR

DIR (or the variable PEERS) holds the programs `watch-stub`, a load server that lists and watches pods of 4.8 kB from
prepared bytes, and `client-go-informer`, client-go's shared informer in three kinds. Without them a load server of our
own sends the same bytes, and `kubernetes.informer` of the official Python client is the only peer. Everything runs on
this machine, one reader at a time, each with a fresh load server; of several `--rounds` the median counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.support.load_server import has_watch_stub, load_server
from benchmarks.support.result_table import Line, main

OURS = "informerd"
LARGE = "informerd, 100,000 pods"
IDLE = "informerd, 20 kinds without events"
IDLE_SECONDS = int(os.environ.get("IDLE_SECONDS", "20"))


def readers(peers: Path | None) -> dict[str, list[str]]:
    """Each reader's command, in which URL, PODS and EVENTS are to be replaced."""
    module = [sys.executable, "-m"]
    found = {
        OURS: [*module, "benchmarks.readers.informerd", "URL", "PODS", "EVENTS"],
        "informerd, the dashboard's columns": [
            *module,
            "benchmarks.readers.informerd",
            "URL",
            "PODS",
            "EVENTS",
            "dashboard",
        ],
        "kubernetes.informer": [*module, "benchmarks.readers.official_client", "URL", "PODS", "EVENTS"],
    }
    if peers is not None and has_watch_stub(peers):
        go = str(peers / "client-go-informer")
        found |= {
            "client-go dynamic (JSON)": [go, "-kind", "dynamic", "-server", "URL"],
            "client-go typed (JSON)": [go, "-kind", "typed", "-server", "URL"],
            "client-go typed (protobuf)": [go, "-kind", "protobuf", "-server", "URL"],
        }
    return found


def run(command: list[str], peers: Path | None, pods: int, events: int) -> dict[str, float]:
    """Run a reader against a fresh load server. Returns what it printed."""
    flags = ["-protobuf"] if "protobuf" in command else []
    with load_server(peers, pods, events, *flags) as url:
        words = {"URL": url, "PODS": str(pods), "EVENTS": str(events), "SECONDS": str(IDLE_SECONDS)}
        filled = [words.get(word, word) for word in command]
        done = subprocess.run(filled, check=True, stdout=subprocess.PIPE, text=True, timeout=900)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measure(arguments: argparse.Namespace) -> list[Line]:
    peers = Path(arguments.peers) if arguments.peers else None
    if not has_watch_stub(peers):
        print("no watch-stub and no client-go-informer: give their folder as --peers DIR or PEERS", file=sys.stderr)
    rounds: dict[str, list[dict[str, float]]] = {}
    for number in range(arguments.rounds):
        for name, command in readers(peers).items():
            print(f"round {number + 1} of {arguments.rounds}: {name} …", file=sys.stderr)
            rounds.setdefault(name, []).append(run(command, peers, arguments.pods, arguments.events))
        print(f"round {number + 1} of {arguments.rounds}: {LARGE} …", file=sys.stderr)
        large = run(readers(peers)[OURS], peers, 10 * arguments.pods, arguments.events)
        rounds.setdefault(LARGE, []).append(large)
    found = {name: _median(figures) for name, figures in rounds.items()}
    print(f"{IDLE}, for {IDLE_SECONDS} s …", file=sys.stderr)
    idle = run([sys.executable, "-m", "benchmarks.readers.idle_informers", "URL", "SECONDS"], None, 1, 0)
    lines = [_line(name, figures, found[OURS]) for name, figures in found.items()]
    return [*lines, Line(IDLE, {"% of a core": idle["core_percent"]})]


def _median(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(figures[name] for figures in rounds) for name in rounds[0]}


def _line(name: str, figures: dict[str, float], ours: dict[str, float]) -> Line:
    shown = {
        "first sync, s": figures["list_seconds"],
        "events a second": figures["events_per_second"],
        "resident, MB": figures["rss_mb"],
    }
    if "bytes_per_object" in figures:
        shown["resident bytes a pod"] = figures["bytes_per_object"]
    ratios: dict[str, str] = {
        "informerd's sync": _times(figures["list_seconds"] / ours["list_seconds"]),
        "informerd's events": _times(ours["events_per_second"] / figures["events_per_second"]),
    }
    return Line(name, shown, ratios)


def _times(ratio: float) -> str:
    return f"× {ratio:.1f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=os.environ.get("PEERS"), help="folder of the peer programs")
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    return parser


if __name__ == "__main__":
    main("Ingest of pods of 4.8 kB", measure, _parser())
