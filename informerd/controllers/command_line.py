"""Command line that the programs share: cluster flags, a log for people, and errors in one line without a traceback."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from informerd.errors import ConfigError, InformerdError, InvalidCall, NotWatchable, UnknownResource
from informerd.manager.signals import Signals
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import current_cluster, load_kubeconfig
from informerd.suggest import suggest_names

USAGE = 2
"""The exit code for errors of the caller: flags, configuration, names. argparse has the same."""
FAILED = 1
INTERRUPTED = 130
"""The exit code that shells report after Ctrl-C."""

Main = Callable[[], Coroutine[Any, Any, None]]

_USAGE_ERRORS = (ConfigError, InvalidCall, NotWatchable, UnknownResource)


def make_parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with --kubeconfig and --master (the names that client-go's sample controllers have)."""
    parser = argparse.ArgumentParser(prog=program, description=description, allow_abbrev=False)
    parser.add_argument(
        "--kubeconfig", type=Path, metavar="FILE", help="by default KUBECONFIG, ~/.kube/config or the pod's own account"
    )
    parser.add_argument("--master", default="", metavar="URL", help="the API server, in place of the kubeconfig's")
    return parser


def cluster_from_options(options: argparse.Namespace) -> ClusterConfig:
    """The cluster that --kubeconfig and --master name. Raises ConfigError.

    --master alone sends no credentials: those of another cluster are none of its business (client-go
    tools/clientcmd, BuildConfigFromFlags). Neither of both is what kubectl would take here.
    """
    master: str = options.master.rstrip("/")
    if master and urlsplit(master).scheme not in ("http", "https"):
        raise ConfigError(f"--master {master}: expected an address such as https://127.0.0.1:6443")
    if options.kubeconfig is not None:
        config = load_kubeconfig(options.kubeconfig, environ=os.environ)
        return replace(config, server=master) if master else config
    return ClusterConfig(name=master, server=master, why="--master") if master else current_cluster()


def configure_logging() -> None:
    """Write the log to standard error, a line each: time, level, who, what."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def run_to_end(program: str, main: Main) -> int:
    """Run it; returns the exit code. Ctrl-C and InformerdErrors end it with a message instead of a traceback."""
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        return INTERRUPTED
    except InformerdError as error:
        return print_error(program, error)
    return 0


def run_until_signal(program: str, main: Main) -> int:
    """As `run_to_end`, for a program that runs until cancelled: the first SIGINT or SIGTERM cancels it, with exit code
    0.

    The second one exits with 1 immediately.
    """

    async def watched() -> None:
        task = asyncio.create_task(main(), name=program)

        def end(_: str) -> None:
            task.cancel()

        signals.on_first(end)
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    with Signals() as signals:
        return run_to_end(program, watched)


def print_error(program: str, error: InformerdError) -> int:
    """Print the error in one line on standard error. Returns the exit code."""
    nearest = nearest_names(error) if isinstance(error, UnknownResource) else []
    hint = f"; did you mean {' or '.join(nearest)}?" if nearest else ""
    sys.stderr.write(f"{program}: {' '.join(str(error).split())}{hint}\n")
    return USAGE if isinstance(error, _USAGE_ERRORS) else FAILED


def nearest_names(error: UnknownResource) -> list[str]:
    """The resources that may have been meant, the likeliest first, three at most."""
    name = error.name.lower().partition(".")[0]
    by_plural: dict[str, list[str]] = {}
    for key in error.known:
        by_plural.setdefault(key.partition(".")[0], []).append(key)
    near = suggest_names(name, by_plural, 3, cutoff=0.7, compared=None)
    return [key for plural in near for key in by_plural[plural]][:3]
