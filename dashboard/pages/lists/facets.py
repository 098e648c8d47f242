"""Facets of a list: the number of its rows by status, and how many of those have a worse tone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dashboard.objects.kinds.row import Tone
from dashboard.objects.query.list_query import Query

_BEST_FIRST: tuple[Tone, ...] = ("ok", "idle", "busy", "warn", "bad")
_WORDS: Mapping[Tone, str] = MappingProxyType(
    {"ok": "well", "idle": "at rest", "busy": "on the way", "warn": "need a look", "bad": "wrong"}
)


@dataclass(frozen=True, slots=True)
class FacetShare:
    """Rows of a status whose tone is worse than the status's best: pods that are Running but not ready."""

    tone: Tone
    count: int

    @property
    def words(self) -> str:
        """The meaning of the tone, for readers who do not see its colour."""
        return _WORDS[self.tone]


@dataclass(frozen=True, slots=True)
class Facet:
    """Number of rows with a status; `href` adds it to the filter, or removes it where it `is_active`.

    A status has one facet, because there is one filter for it: `tone` is the best among its rows, and `worse_shares`
    counts the rows with another tone.
    """

    status: str
    tone: Tone
    count: int
    href: str
    is_active: bool
    worse_shares: tuple[FacetShare, ...] = ()


def facets_of(counts: Mapping[tuple[str, Tone], int], query: Query) -> tuple[Facet, ...]:
    """The facets of rows counted by status and tone, the most frequent first."""
    parts: dict[str, list[FacetShare]] = {}
    for (status, tone), count in counts.items():
        parts.setdefault(status, []).append(FacetShare(tone, count))
    facets = [_facet(status, parts[status], query) for status in parts]
    return tuple(sorted(facets, key=lambda facet: (-facet.count, facet.status)))


def _facet(status: str, parts: list[FacetShare], query: Query) -> Facet:
    best, *worse = sorted(parts, key=lambda part: _BEST_FIRST.index(part.tone))
    return Facet(
        status=status,
        tone=best.tone,
        count=sum(part.count for part in parts),
        href=query.with_status(status).href(),
        is_active=status.casefold() in query.statuses,
        worse_shares=tuple(worse),
    )
