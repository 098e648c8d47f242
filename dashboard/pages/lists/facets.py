"""The facets of a list: how many of its rows have which status, and how many of those are worse off than the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.live.messages import Tone
from dashboard.resources.query import Query

_BEST_FIRST: tuple[Tone, ...] = ("ok", "idle", "busy", "warn", "bad")
_WORDS: Mapping[Tone, str] = MappingProxyType(
    {"ok": "well", "idle": "at rest", "busy": "on the way", "warn": "need a look", "bad": "wrong"}
)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a status whose tone is worse than the best of it: pods that are Running but not ready."""

    tone: Tone
    count: int

    @property
    def words(self) -> str:
        """What the tone means, for who does not see its colour."""
        return _WORDS[self.tone]


@dataclass(frozen=True, slots=True)
class Facet:
    """How many rows have a status; `href` adds it to the filter, or takes it away where it is `active`.

    A status has one facet, because there is one filter for it: `tone` is the best among its rows, and `worse` tells
    how many have another.
    """

    status: str
    tone: Tone
    count: int
    href: str
    active: bool
    worse: tuple[Part, ...] = ()


def facets_of(counts: Mapping[tuple[str, Tone], int], query: Query) -> tuple[Facet, ...]:
    """The facets of rows counted by status and tone, the commonest first."""
    parts: dict[str, list[Part]] = {}
    for (status, tone), count in counts.items():
        parts.setdefault(status, []).append(Part(tone, count))
    found = [_facet(status, parts[status], query) for status in parts]
    return tuple(sorted(found, key=lambda facet: (-facet.count, facet.status)))


def _facet(status: str, parts: list[Part], query: Query) -> Facet:
    best, *worse = sorted(parts, key=lambda part: _BEST_FIRST.index(part.tone))
    return Facet(
        status=status,
        tone=best.tone,
        count=sum(part.count for part in parts),
        href=query.with_status(status).href(),
        active=status.casefold() in query.statuses,
        worse=tuple(worse),
    )
