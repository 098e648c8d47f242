"""Demo cluster process: ``python -m devcluster --port 6443 --kubeconfig FILE [--no-workload]``.

`--pods` and `--rate` set the size of the workload and its changes a second; `--seed` makes the workload repeatable.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from devcluster.crds import create_crds
from devcluster.demo_server import ADDRESS, DemoServer
from devcluster.kubeconfig import write_kubeconfig
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints.faults import Faults
from devcluster.workload.demo.scaled_inventory import make_fleet as fleet_of
from devcluster.workload.run import random_source_for, run_workload
from devcluster.workload.seed.seed import fill_cluster
from devcluster.workload_size import DEFAULT_PODS, DEFAULT_RATE, WorkloadSize, read_pods, read_rate, read_seed
from informerd.rest.load_config import ClusterConfig, TlsConfig, UserConfig


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="devcluster", description="A Kubernetes API server in memory, with a workload."
    )
    port, about_port = _argument(read_port), "port on 127.0.0.1, 0 for any free one (default %(default)s)"
    parser.add_argument("--port", type=port, default=6443, help=about_port)
    parser.add_argument("--kubeconfig", type=Path, metavar="FILE", help="write a kubeconfig to FILE (- for stdout)")
    parser.add_argument("--no-workload", action="store_true", help="start an empty cluster without a workload")
    pods, rate, whole = _argument(read_pods), _argument(read_rate), _argument(read_seed)
    parser.add_argument(
        "--pods", type=pods, default=DEFAULT_PODS, help="approximate number of pods (default %(default)s)"
    )
    parser.add_argument(
        "--rate", type=rate, default=DEFAULT_RATE, help="approximate number of changes a second (default %(default)g)"
    )
    parser.add_argument("--seed", type=whole, help="a whole number that makes the workload repeatable")
    parser.add_argument("--faults", action="store_true", help="serve /faults, which injects faults on request")
    parser.add_argument("--bookmark-seconds", type=float, default=60.0, help=argparse.SUPPRESS)
    parser.add_argument("--exit-with-parent", action="store_true", help="end when standard input ends")
    return parser.parse_args(arguments)


def read_port(text: str) -> int:
    """A port, or 0 for any. Raises ValueError."""
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise ValueError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


_T = TypeVar("_T")


def _argument(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """A reader whose sentence argparse says."""

    def reading(text: str) -> _T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reading


async def serve(options: argparse.Namespace) -> None:
    """Serve until SIGINT, SIGTERM or, where asked for, the end of standard input. Raises OSError."""
    rng = random.Random(options.seed)  # noqa: S311 - names and a demo's chances, no secrets
    core = ApiServer(now=time.time, rng=rng)
    create_crds(core)
    size = WorkloadSize(options.pods, options.rate, options.seed)
    fleet, dice = fleet_of(size.pods), random_source_for(size)
    if not options.no_workload:
        fill_cluster(core, fleet, dice, suspend_cron_jobs=not size.rate)
    ended = asyncio.Event()
    faults = Faults(core.store, rng) if options.faults else None
    async with contextlib.AsyncExitStack() as stack:
        serving = DemoServer(core, port=options.port, faults=faults, bookmark_seconds=options.bookmark_seconds)
        await stack.enter_async_context(serving)
        garbage = asyncio.create_task(core.garbage_collector.run(), name="garbage")
        stack.push_async_callback(_cancelled, garbage)
        if options.kubeconfig:
            write_kubeconfig(options.kubeconfig, server=serving.url, authority=serving.authority, token=serving.token)
        if not options.no_workload:
            running = run_workload(workload_config(serving), fleet, dice, rate=size.rate)
            workload = asyncio.create_task(running, name="workload")
            stack.push_async_callback(_cancelled, workload)
        _end_on_signals(ended)
        if options.exit_with_parent:
            _end_with_standard_input(ended)
        sys.stdout.write(f"devcluster: ready at {serving.url}\n")
        sys.stdout.flush()
        await ended.wait()


def workload_config(server: DemoServer) -> ClusterConfig:
    """The workload reaches the server as everybody does."""
    return ClusterConfig(
        name="demo",
        server=server.url,
        why="the demo cluster's own workload",
        tls=TlsConfig(ca_data=server.authority),
        credentials=UserConfig(token=server.token),
    )


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _end_on_signals(ended: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)


def _end_with_standard_input(ended: asyncio.Event) -> None:
    """The parent holds the other end: when it dies, however it dies, reading gives the end."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()

    def read() -> None:
        if not os.read(descriptor, 4096):
            loop.remove_reader(descriptor)
            ended.set()

    loop.add_reader(descriptor, read)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's, which halves what a request costs; None where there is none, as on Windows."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def main() -> int:
    """Run; the exit status."""
    options = parse()
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(serve(options))
    except OSError as error:
        in_use = f"port {options.port} on {ADDRESS} is in use" if error.errno == errno.EADDRINUSE else str(error)
        sys.stderr.write(f"devcluster: {in_use}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
