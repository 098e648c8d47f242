"""Health of one object: status word, tone, what is wrong in words, and since when."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from dashboard.objects.kinds.row import Tone

SEVERITY: tuple[Tone, ...] = ("ok", "idle", "busy", "warn", "bad")
"""Tones from the best to the worst. Idle outranks ok: who is suspended or done is not at work, though all is well."""


class Health(NamedTuple):
    """Health of an object: status word, tone, what is wrong in words, and since when (Unix seconds)."""

    status: str = "Current"
    tone: Tone = "idle"
    reason: str = ""
    since: float | None = None


NOT_REPORTED = Health("Not reported")
"""Health of an object without a status: no controller has said anything about it."""
NO_VERDICT = Health("No verdict")
"""Health of an object, or a condition, that says nothing that is understood here."""
WITHOUT_VERDICT = frozenset({NOT_REPORTED.status, NO_VERDICT.status})
"""Status words that say nothing about an object."""


def worst(findings: Iterable[Health]) -> Health | None:
    """The finding of the worst tone, the first of several, with the reason of the first that has one; None where there
    is none.
    """
    listed = list(findings)
    found = max(listed, key=lambda finding: SEVERITY.index(finding.tone), default=None)
    if found is None or found.reason:
        return found
    told = next((each for each in listed if each.tone == found.tone and each.reason), found)
    return found._replace(reason=told.reason, since=told.since)


def unix_seconds(text: Any) -> float | None:
    """Unix seconds of a moment as objects write it, RFC 3339; None for anything else and for the beginning of time,
    which some write for no moment.
    """
    try:
        moment = msgspec.convert(text, datetime).timestamp()
    except (msgspec.ValidationError, OverflowError, ValueError):
        return None
    return moment if moment > 0 else None
