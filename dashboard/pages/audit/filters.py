"""Filter of the audit log's page, read from an address and written to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from dashboard.objects.query.value_parser import parse_duration
from dashboard.pages.audit.entry import OUTCOMES

MAX_LENGTH = 300
"""Most characters of a value."""
TEXTS = ("person", "verb", "kind", "namespace", "name", "uid", "run", "outcome", "q")
OPEN = "open"
"""Outcome of an intent that has none."""
OUTCOME_CHOICES = (*OUTCOMES, OPEN)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What is shown. Every value has to match; empty ones match everything."""

    person: str = ""
    """Part of the name."""
    verb: str = ""
    """Several are separated by commas."""
    kind: str = ""
    """Key of the kind, or its plural alone."""
    namespace: str = ""
    """Several are separated by commas."""
    name: str = ""
    """Part of the object's name."""
    uid: str = ""
    run: str = ""
    outcome: str = ""
    q: str = ""
    """Part of an entry's text: a field, a value, a request id."""
    since: str = ""
    until: str = ""
    """As typed: an RFC 3339 time, UTC where it names no zone; or how long ago, ``2h``."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Its parts for an address."""
        found = ((name, getattr(self, name)) for name in (*TEXTS, "since", "until"))
        return tuple((name, value) for name, value in found if value)

    @property
    def query(self) -> str:
        return urlencode(self.pairs)


def parse_filter(params: Mapping[str, str]) -> AuditFilter:
    """The filter of an address's parameters; values are cut to MAX_LENGTH."""
    return AuditFilter(**{name: params.get(name, "").strip()[:MAX_LENGTH] for name in (*TEXTS, "since", "until")})


def filter_problem(chosen: AuditFilter, now: float) -> str:
    """What cannot be read of it, as a sentence; empty where all can."""
    for name in ("since", "until"):
        text = getattr(chosen, name)
        if text and parse_moment(text, now) is None:
            return f"“{text}” is not a time: write it as 2026-11-28T15:04:05Z, or as how long ago, such as 2h or 7d."
    if chosen.outcome and chosen.outcome not in OUTCOME_CHOICES:
        return f"“{chosen.outcome}” is not an outcome: choose one of {', '.join(OUTCOME_CHOICES)}."
    return ""


def parse_moment(text: str, now: float) -> float | None:
    """Unix seconds of a time, or of how long ago something was; None where it is neither."""
    ago = parse_duration(text)
    if ago is not None:
        return now - ago
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
