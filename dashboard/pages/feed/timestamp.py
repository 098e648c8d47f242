"""Time as the feed's page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.live.rendering.time_texts import rfc3339, utc_text


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A time for display: `text` is UTC, `datetime` RFC 3339, `field` the value of a datetime-local input."""

    text: str
    datetime: str
    field: str


def moment_of(moment: float) -> Timestamp:
    """The time at a Unix second."""
    seconds = rfc3339(round(moment, 3))
    return Timestamp(utc_text(moment), seconds, seconds.removesuffix("Z"))
