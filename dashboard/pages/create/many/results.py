"""What became of one object of a text, and how it is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.creating.sending import MAYBE, NAMELESS
from dashboard.creating.texts import Part
from dashboard.edits.beside import AS_REVIEWED, Otherwise
from dashboard.edits.editable import Target
from dashboard.edits.problems import Problem, Refusal, doubted

Fate = Literal["made", "changed", "same", "failed", "busy", "skipped", "waiting"]
"""busy: the very same can be sent again by itself · skipped: not wanted · waiting: not tried."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one object of the text."""

    number: int
    """Its part's, as is `line`."""
    line: int
    words: str
    fate: Fate
    href: str = ""
    refusal: Refusal | None = None
    warnings: tuple[str, ...] = ()
    read: bool = False
    """Whether no clear answer came, and reading the object showed it."""
    otherwise: Otherwise = AS_REVIEWED
    """What is stored otherwise than the review showed."""

    @property
    def is_open(self) -> bool:
        """Whether there is something left to do."""
        return self.fate in ("failed", "busy", "waiting")


def result_of(part: Part, fate: Fate) -> Result:
    """Of one that was not tried: ``Mydemo one``, as the text has it."""
    return Result(part.number, part.line, part.words, fate)


def done(part: Part, target: Target, fate: Fate, warnings: tuple[str, ...] = (), *, read: bool = False) -> Result:
    """Of one that is as the text has it; `read`: no clear answer came, and reading it showed so."""
    return Result(part.number, part.line, target.words, fate, target.href, warnings=warnings, read=read)


def failed(part: Part, target: Target | None, refusal: Refusal) -> Result:
    """Of one that was refused, with the places in the whole text."""
    named = target is not None and target.name
    words = target.words if target is not None and named else result_of(part, "failed").words
    return Result(part.number, part.line, words, "failed", refusal=part.located(refusal))


def maybe(part: Part) -> Result:
    """Of one that has no name of its own, where making it may have succeeded already."""
    return failed(part, None, doubted(MAYBE, NAMELESS))


def not_done(part: Part, target: Target, words: str) -> Result:
    """Of one that is left alone, since it is not as it was reviewed."""
    return failed(part, target, Refusal((Problem(words, line=part.line, column=1),), 409, "Not done"))
