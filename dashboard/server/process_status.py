"""Parts of the page /status/ and their figures: a number in words, with its limit where it has one."""

from __future__ import annotations

from dataclasses import dataclass

from informerd.cache.counters import Distribution

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a part."""

    name: str
    words: str
    share: float | None = None
    """Share of its limit, from 0 to 1; None where it has none."""
    since: str = ""
    """RFC 3339 time whose age follows the words; empty where none does."""


@dataclass(frozen=True, slots=True)
class StatusPart:
    """Some figures that belong together."""

    title: str
    figures: tuple[Figure, ...]
    problem: str = ""
    """What is wrong with it, as a sentence; empty where nothing is."""


def of_limit(name: str, number: float, limit: float | None, unit: str = "", *, per: float = 1) -> Figure:
    """A figure with its limit, where it has one. `per` is what one of the unit is."""
    words, ending = f"{number / per:,.0f}", f" {unit}" if unit else ""
    if not limit:
        return Figure(name, words + ending)
    return Figure(name, f"{words} of {limit / per:,.0f}{ending}", min(1.0, number / limit))


def nearly_all_within(delays: Distribution) -> str:
    """The bound within which 99 of 100 delays were, in words."""
    total, seen = sum(delays.counts), 0
    if not total:
        return "none yet"
    for bound, count in zip(delays.bounds, delays.counts, strict=False):
        seen += count
        if seen >= 0.99 * total:
            return f"99 % within {bound * 1e3:,.0f} ms"
    return f"more than 1 % over {delays.bounds[-1]:,.0f} s"
