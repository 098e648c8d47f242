"""Pending deletion of an object: since when, for how long, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dashboard.objects.fields.unstructured import as_map, as_text

MAX_FINALIZERS = 100
"""Most finalizers that are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """A pending deletion, as the object has it."""

    requested_at: float
    """Unix seconds. The API server writes when the grace period ends; that is a moment later."""
    grace: int
    """Seconds of the grace period; 0 for all objects but pods."""
    finalizers: tuple[str, ...]

    @property
    def wait_text(self) -> str:
        """``, grace period 30 s, waits for finalizers a, b and 2 more``; empty where nothing keeps it."""
        grace = f", grace period {self.grace} s" if self.grace else ""
        names = ", ".join(self.finalizers[:MAX_FINALIZERS])
        more = len(self.finalizers) - MAX_FINALIZERS
        names += f" and {more:,} more" if more > 0 else ""
        plural = "s" if len(self.finalizers) > 1 else ""
        return grace + (f", waits for finalizer{plural} {names}" if names else "")


def deletion_of(obj: Mapping[str, Any]) -> Deletion | None:
    """The pending deletion; None where there is none, or its time cannot be read.

    Never raises, whatever the object holds: an invalid grace period counts as none.
    """
    metadata = as_map(obj.get("metadata"))
    try:
        until = datetime.fromisoformat(metadata["deletionTimestamp"]).timestamp()
    except (KeyError, OSError, OverflowError, TypeError, ValueError):
        return None
    if not _is_moment(until):
        return None
    grace = metadata.get("deletionGracePeriodSeconds")
    if not isinstance(grace, int) or isinstance(grace, bool) or grace < 0 or not _is_moment(until, grace):
        grace = 0
    finalizers = metadata.get("finalizers")
    names = tuple(map(as_text, finalizers)) if isinstance(finalizers, list) else ()
    return Deletion(until - grace, grace, names)


def _is_moment(until: float, before: int = 0) -> bool:
    """Whether the moment so many seconds before `until` is a valid date."""
    try:
        datetime.fromtimestamp(until - before, UTC)
    except (OSError, OverflowError, ValueError):
        return False
    return True
