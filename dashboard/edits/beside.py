"""What the API server makes of what is sent to it: as a review showed it, and as a write found it to be stored.

A webhook or a policy may do something else at the write than in the dry run before it, and a default may have changed
between the two: what was not shown before is said after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.edits.diff import changes
from dashboard.edits.editable import Part, editable, fingerprint
from dashboard.edits.fields import ABSENT, Value

NAMED = 5
"""Fields that one sentence names; the rest is counted."""

Beside = Mapping[str, str]
"""Fields that are stored otherwise than they were sent, with a digest of each value; empty for one that is left out."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What is stored otherwise than a review showed."""

    unseen: tuple[str, ...] = ()
    """Fields of which the review had not said that the API server sets them, or leaves them as they were sent."""
    anew: tuple[str, ...] = ()
    """Fields that the review showed as set by the API server, and that have another value now: a time, an id."""

    @property
    def words(self) -> str:
        """In sentences; empty where all is as reviewed."""
        said = []
        if self.unseen:
            said.append(f"Not all is as reviewed: the API server stored {named(self.unseen)} otherwise.")
        if self.anew:
            value = "another value" if len(self.anew) == 1 else "other values"
            said.append(f"The API server set {named(self.anew)} to {value} than the review showed.")
        return " ".join(said)


AS_REVIEWED = Otherwise()


def beside(sent: dict[str, Value], stored: dict[str, Value], part: Part = "spec") -> Beside:
    """What became, or would become, of an object beside what was sent of it."""
    found = changes(editable(sent, part), editable(stored, part))
    return {each.field: "" if each.now is ABSENT else fingerprint(each.now)[:12] for each in found}


def otherwise(seen: Beside | None, made: Beside) -> Otherwise:
    """What was made beside what was sent, compared with what was `seen` of that; None: nobody knows what was seen."""
    if seen is None:
        return AS_REVIEWED
    differing = [name for name in {**seen, **made} if seen.get(name) != made.get(name)]
    anew = tuple(name for name in differing if seen.get(name) and made.get(name))
    return Otherwise(tuple(name for name in differing if name not in anew), anew)


def named(fields: Sequence[str]) -> str:
    """``spec.strategy.type and 3 more fields``."""
    first, more = ", ".join(fields[:NAMED]), len(fields) - NAMED
    return f"{first} and {more} more field{'s' if more > 1 else ''}" if more > 0 else first
