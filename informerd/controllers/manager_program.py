"""Programs that are a manager with one controller: their flags, and their run."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from informerd.controllers.command_line import cluster_from_options, configure_logging, make_parser, print_error
from informerd.errors import InformerdError
from informerd.leader_election.election_config import Election
from informerd.manager.manager import Manager

Add = Callable[[Manager], object]
"""Adds controllers to a manager."""


def make_manager_parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """`command_line` with --leader-elect and --probes."""
    parser = make_parser(program, description)
    parser.add_argument(
        "--leader-elect", metavar="LEASE", default="", help="work only while holding this Lease, NAME or NAMESPACE/NAME"
    )
    parser.add_argument("--probes", metavar="ADDRESS", help="serve /healthz, /readyz and /metrics there, such as :8081")
    return parser


def run_manager(program: str, options: argparse.Namespace, add: Add) -> int:
    """Run a manager with what `add` gives it until a signal; the exit code.

    0 after the first SIGINT or SIGTERM, 2 for flags and configuration that cannot be used, 1 for all else.
    """
    configure_logging()
    try:
        manager = Manager(
            cluster_from_options(options),
            election=election(options.leader_elect),
            probes=options.probes,
            sync_timeout=None,
            user_agent=program,
        )
        add(manager)
    except InformerdError as error:
        return print_error(program, error)
    return manager.run_program()


def election(lease: str) -> Election | None:
    """The election of a Lease by its name, if there is one. Raises InvalidCall."""
    if not lease:
        return None
    namespace, _, name = lease.rpartition("/")
    return Election(name, namespace=namespace)
