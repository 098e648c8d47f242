"""Free TCP ports for the servers of tests, different ones for each worker of a run."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from collections.abc import Iterator

FIRST_PORT = 20_000
"""First port to listen on, below those that the system gives to outgoing connections."""
PORTS = 2_000
"""Number of ports for each worker of a test run."""
WORKERS = 6
"""Number of workers that have ports of their own."""


def _candidates() -> Iterator[int]:
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
    own = range(FIRST_PORT + worker * PORTS, FIRST_PORT + (worker + 1) * PORTS)
    return itertools.islice(itertools.cycle(own), os.getpid() % PORTS, None)


_ports = _candidates()


def free_ports(count: int) -> list[int]:
    """TCP ports on 127.0.0.1 that were free a moment ago, all different, and are not given out again for a while."""
    found: list[int] = []
    while len(found) < count:
        port = next(_ports)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
    return found
