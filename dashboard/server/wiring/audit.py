"""Builds the recorder of the audit log from the settings."""

from __future__ import annotations

import sys

from django.conf import settings

from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.audit.seal import Sealer
from dashboard.pages.audit.store import AuditStore, Retention
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import Clock

READING_TIME_LIMIT = 10.0
"""Seconds for one question of those who read the audit log, whose filter may have to look at all of it."""


def build_sealer() -> Sealer:
    """Seals with DELTABOARD_AUDIT_KEY, else with SECRET_KEY."""
    return Sealer(settings.DELTABOARD_AUDIT_KEY or [settings.SECRET_KEY])


def build_audit_recorder(clock: Clock) -> AuditRecorder:
    """The recorder of a web process, as DELTABOARD_AUDIT says."""
    if settings.DELTABOARD_AUDIT == "off":
        return AuditRecorder(clock)
    retention = Retention(settings.DELTABOARD_AUDIT_MEGABYTES, settings.DELTABOARD_AUDIT_DAYS)
    print_line = _print_line if settings.DELTABOARD_AUDIT == "stdout" else None
    database = DatabaseExecutor(clock, content="entries of the audit log")
    reader = DatabaseExecutor(clock, time_limit=READING_TIME_LIMIT, content="views of the audit log")
    return AuditRecorder(clock, AuditStore(clock, database, build_sealer(), retention, print_line, reader=reader))


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
