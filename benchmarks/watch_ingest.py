"""Watch ingest, whole pipeline (reflector to store to handler), against the peers in the same run.

    python -m benchmarks.watch_ingest --peers DIR

DIR (or the variable PEERS) holds the programs `watch-stub`, a load server that lists and watches pods of 4.8 kB from
prepared bytes, and `client-go-informer`, client-go's shared informer. Everything runs on this machine, one reader at a
time, each with a fresh load server.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.table import Line, main

OURS = "informerd"


def readers(peers: Path) -> dict[str, list[str]]:
    """Each reader's command, to which the load server's URL is added."""
    go = str(peers / "client-go-informer")
    return {
        OURS: [sys.executable, "-m", "benchmarks.readers.informerd", "URL"],
        "kubernetes.informer": [sys.executable, "-m", "benchmarks.readers.official", "URL", "PODS"],
        "client-go dynamic": [go, "-kind", "dynamic", "-server", "URL"],
        "client-go typed JSON": [go, "-kind", "typed", "-server", "URL"],
        "client-go protobuf": [go, "-kind", "protobuf", "-server", "URL"],
    }


@contextmanager
def load_server(peers: Path, pods: int, events: int, *flags: str) -> Iterator[str]:
    """A fresh load server; gives its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [str(peers / "watch-stub"), "-n", str(pods), "-m", str(events), "-port", str(port), "-watchlist", *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def run(command: list[str], peers: Path, pods: int, events: int) -> dict[str, Any]:
    flags = ["-protobuf"] if "protobuf" in command else []
    with load_server(peers, pods, events, *flags) as url:
        filled = [url if word == "URL" else str(pods) if word == "PODS" else word for word in command]
        done = subprocess.run(filled, check=True, capture_output=True, text=True, timeout=600)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer


def measure(arguments: argparse.Namespace) -> list[Line]:
    peers = Path(arguments.peers or "")
    if not shutil.which("watch-stub", path=str(peers)):
        sys.exit("watch_ingest needs the folder of watch-stub and client-go-informer: --peers DIR or PEERS=DIR")
    found = {}
    for name, command in readers(peers).items():
        print(f"measuring {name} …", file=sys.stderr)
        found[name] = run(command, peers, arguments.pods, arguments.events)
    ours = found[OURS]
    return [
        Line(
            name,
            {
                "list, s": figures["list_seconds"],
                "events a second": figures["events_per_second"],
                "resident, MB": figures["rss_mb"],
            },
            {
                "informerd's ingest": f"× {ours['events_per_second'] / figures['events_per_second']:.1f}",
                "informerd's list": f"× {figures['list_seconds'] / ours['list_seconds']:.1f}",
            },
        )
        for name, figures in found.items()
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=os.environ.get("PEERS"), help="folder of the peer programs")
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=50_000)
    main("Watch ingest, pods of 4.8 kB", measure, parser)
