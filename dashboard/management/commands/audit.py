"""Command ``manage.py audit``: verifies the audit log, and writes it to stdout."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from contextlib import closing
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from dashboard.management.exit_message import exit_with_message
from dashboard.pages.audit.filters import parse_moment
from dashboard.pages.audit.sealed_row import Broken
from dashboard.pages.audit.verify import Report, entries_between, verify_record
from dashboard.runtime.project_files import COMMAND
from dashboard.server.wiring.audit import build_sealer

TRIES = 3
"""How often a record is verified that retention cuts meanwhile."""


class Command(BaseCommand):
    requires_system_checks: list[str] = []  # it has no pages
    help = "Verify the audit log, or export it as JSON lines (docs/audit.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        when = "a time such as 2026-11-28T15:04:05Z, or how long ago, such as 7d"
        commands = parser.add_subparsers(dest="command", required=True, metavar="{verify,export}")
        verify = commands.add_parser(
            "verify", help="exit with 0 where nothing was changed, removed or inserted, else with 1"
        )
        export = commands.add_parser("export", help="write one line of JSON for each entry, oldest first")
        for each in (verify, export):
            each.add_argument("--since", default="", help=f"only entries from then on: {when}")
            each.add_argument("--until", default="", help=f"only entries before then: {when}")
        verify.add_argument(
            "--head",
            default="",
            metavar="SEQ:HASH",
            help="an entry that was noted before, as verify prints it: it must still be there, unchanged",
        )

    def handle(self, *_: Any, command: str, since: str, until: str, head: str = "", **__: Any) -> None:
        first, last = self._moment("--since", since, 0.0), self._moment("--until", until, float("inf"))
        noted = self._noted(head)
        try:
            with closing(connections[DEFAULT_DB_ALIAS]):
                if command == "export":
                    self._export(first, last)
                else:
                    self._verify(first, last, noted)
        except Broken as broken:
            exit_with_message(self.stderr, broken)
        except ImproperlyConfigured as error:
            exit_with_message(self.stderr, error, code=2)
        except DatabaseError as error:
            exit_with_message(
                self.stderr, f"The database cannot be read; has {COMMAND} migrate been run? The error: {error}", code=2
            )

    def _export(self, since: float, until: float) -> None:
        for entry in entries_between(DEFAULT_DB_ALIAS, since, until):
            sys.stdout.write(f"{entry.line}\n")
        sys.stdout.flush()

    def _verify(self, since: float, until: float, noted: tuple[int, str] | None) -> None:
        report = _verified(since, until)
        if noted is not None:
            self._check_noted(*noted)
        self.stdout.write("\n".join(_sentences(report)))

    def _check_noted(self, seq: int, noted_hash: str) -> None:
        found = next(entries_between(DEFAULT_DB_ALIAS, 0.0, float("inf"), seq), None)
        if found is None or found.seq != seq:
            raise Broken(f"Entry {seq} is not there, though it was noted: it was removed, or deleted by retention.")
        if found.hash != noted_hash:
            raise Broken(f"Entry {seq} is not the one that was noted: the audit log was replaced.")

    def _moment(self, option: str, text: str, default: float) -> float:
        moment = parse_moment(text, time.time()) if text else default
        if moment is None:
            exit_with_message(
                self.stderr,
                f"{option} cannot be read: {text!r} is neither a time such as 2026-11-28T15:04:05Z "
                "nor how long ago, such as 7d",
                code=2,
            )
        return moment

    def _noted(self, text: str) -> tuple[int, str] | None:
        seq, _, noted_hash = text.partition(":")
        if not text:
            return None
        if not (seq.isascii() and seq.isdecimal() and len(noted_hash) == 64):
            exit_with_message(self.stderr, "--head cannot be read: write it as verify prints it, SEQ:HASH", code=2)
        return int(seq), noted_hash


def _verified(since: float, until: float) -> Report:
    """Verify; again where retention has deleted entries meanwhile. Raises Broken."""
    for tries_left in reversed(range(TRIES)):
        begins = _first()
        try:
            return verify_record(DEFAULT_DB_ALIAS, build_sealer(), since, until)
        except Broken:
            if not tries_left or _first() == begins:
                raise
    return Report()


def _first() -> int:
    entry = next(entries_between(DEFAULT_DB_ALIAS, 0.0, float("inf")), None)
    return entry.seq if entry is not None else 0


def _sentences(report: Report) -> list[str]:
    if not report.count:
        return ["The audit log has no entries."]
    entries = f"{report.count:,} entries, {report.first} to {report.last}, are as they were written"
    lines = [f"{entries}, {report.first_time} to {report.last_time}."]
    if report.cut_at:
        lines.append(f"Retention deleted the entries before {report.first}, lastly at {report.cut_at}.")
    if report.unanswered:
        lines.append(f"Of {report.unanswered:,} requests it is not known whether they were done.")
    return [*lines, f"Head: {report.last}:{report.last_hash}"]
