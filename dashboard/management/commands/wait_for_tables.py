"""Command ``manage.py wait_for_tables``: waits until the database has all tables of this version."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection

from dashboard.management.exit_message import exit_with_message, one_line
from dashboard.management.pending_migrations import pending_migrations
from dashboard.runtime.project_files import COMMAND

UNREACHABLE_SECONDS, MIGRATION_SECONDS = 60, 600
INTERVAL = 1.0


class Command(BaseCommand):
    requires_system_checks: list[str] = []
    help = (
        "Wait until another process has run `migrate`. Exits with 0 when the database has all tables, or cannot be "
        "reached for a while: Deltaboard starts without it, too. Exits with 1 where tables are still missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--unreachable", type=int, default=UNREACHABLE_SECONDS,
            help="seconds to wait for a database that cannot be reached (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--within", type=int, default=MIGRATION_SECONDS,
            help="seconds to wait for tables (default: %(default)s)",
        )  # fmt: skip

    def handle(self, *_: Any, unreachable: int, within: int, **__: Any) -> None:
        started = time.monotonic()
        while True:
            waited = time.monotonic() - started
            try:
                missing = pending_migrations()
            except DatabaseError as error:
                if waited >= unreachable:
                    self.stdout.write(one_line(f"The database cannot be reached, and is not waited for: {error}"))
                    return
            else:
                if not missing:
                    return
                if waited >= within:
                    reason = f"The database lacks {', '.join(missing)}: run {COMMAND} migrate with this version."
                    exit_with_message(self.stderr, reason)
            connection.close()
            time.sleep(INTERVAL)
