"""Command ``deltaboard`` of an installed wheel: runs the dashboard for one person, and the other commands."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command, execute_from_command_line
from django.db import DatabaseError

from dashboard.management.exit_message import exit_if_nobody_reads
from informerd.version import VERSION

_EPILOG = """\
environment variables set the rest (docs/settings.md of the project).
Database, token and history are in the user's folder for such things; DELTABOARD_VAR names another one.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. A setting that is missing or wrong is one line, not a trace, and Ctrl+C is none."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    try:
        if given[:1] == ["manage"]:
            execute_from_command_line(["deltaboard manage", *given[1:]])
        else:
            parser = _parser()
            _run(parser, vars(parser.parse_args(given)))
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    except BrokenPipeError:
        exit_if_nobody_reads()
        raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="deltaboard",
        description="A live dashboard of the cluster that your kubeconfig names, in your browser.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Deltaboard {VERSION}")
    _add_options(parser)
    commands = parser.add_subparsers(dest="command", metavar="{demo,doctor,manage}")
    _add_options(commands.add_parser("demo", help="the built-in demo cluster, whatever is configured"))
    doctor = commands.add_parser("doctor", help="say what works: cluster, rights, metrics, database, Redis")
    doctor.add_argument("--context", default=argparse.SUPPRESS, help="context of the kubeconfig")
    doctor.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, for programs")
    commands.add_parser("manage", help="the other commands, such as history and audit; `manage help` lists them")
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Options of the dashboard, before or after `demo`: one that is left out has no attribute."""
    left_out = argparse.SUPPRESS
    parser.add_argument("--context", default=left_out, help="context of the kubeconfig (default: its current context)")
    parser.add_argument(
        "--port", type=int, default=left_out, help="TCP port, 0 for a free one (default: PORT, or 8000)"
    )
    parser.add_argument("--bind", default=left_out, help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--read-only", action="store_true", default=left_out, help="let nothing be written to the cluster"
    )
    parser.add_argument("--no-browser", action="store_true", default=left_out, help="open no browser")
    parser.add_argument(
        "--no-token", action="store_true", default=left_out, help="let every account of this machine open the dashboard"
    )


def _run(parser: argparse.ArgumentParser, options: dict[str, Any]) -> None:
    command = options.pop("command")
    if command == "manage":
        parser.error("write `deltaboard manage COMMAND`, without options before it")
    if command == "doctor" and options.keys() - {"context", "json", "read_only"}:
        parser.error("doctor starts no dashboard: of the options it takes --context, --read-only and --json")
    if command == "demo" and "context" in options:
        parser.error("the demo cluster has no contexts: leave --context out")
    if options.pop("read_only", False):
        os.environ["DELTABOARD_READ_ONLY"] = "on"
    if command == "demo":
        os.environ["DELTABOARD_CLUSTER"] = "demo"
    import django

    django.setup()
    if command == "doctor":
        call_command("doctor", **options)
        return
    with suppress(DatabaseError):  # the next command says it, and runs without
        call_command("migrate", verbosity=0)
    call_command("deltaboard", browser=not options.pop("no_browser", False), **options)


if __name__ == "__main__":
    main()
