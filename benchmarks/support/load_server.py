"""Load server for the readers: the program `watch-stub` where it is installed, else the stub API server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def has_watch_stub(peers: Path | None) -> bool:
    return peers is not None and shutil.which("watch-stub", path=str(peers)) is not None


@contextmanager
def load_server(peers: Path | None, pods: int, events: int, *flags: str) -> Iterator[str]:
    """A fresh load server with so many pods, which then sends so many events; gives its URL.

    `flags` are watch-stub's own, to which -watchlist is always given. Without peers they are the stub API server's.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    if peers is not None and has_watch_stub(peers):
        sizes = ["-n", str(pods), "-m", str(events), "-port", str(port)]
        command = [str(peers / "watch-stub"), *sizes, "-watchlist", *flags]
    else:
        module = "benchmarks.support.stub_api_server"
        command = [sys.executable, "-m", module, str(port), str(pods), str(events), *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait_until_it_listens(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _wait_until_it_listens(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while not _listens(port):
        if process.poll() is not None:
            sys.exit(f"the load server ended by itself with {process.returncode}")
        if time.monotonic() > deadline:
            sys.exit("the load server does not listen")
        time.sleep(0.05)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
