"""Result of one object of a text, and its message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dashboard.objects.problems.write_refusal import Problem, Refusal, uncertain_refusal
from dashboard.pages.create.many.manifests import Manifest
from dashboard.pages.writes.admission_changes import NO_DRIFT, DryRunDrift
from dashboard.pages.writes.create_object import NAMELESS, UNCERTAIN_TITLE
from dashboard.pages.writes.target import Target

ResultState = Literal["made", "changed", "same", "failed", "busy", "skipped", "waiting"]
"""busy: can be retried automatically · skipped: not selected · waiting: not tried."""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of one object of the text."""

    number: int
    """Number of its part; `line` is the part's too."""
    line: int
    words: str
    state: ResultState
    href: str = ""
    refusal: Refusal | None = None
    warnings: tuple[str, ...] = ()
    confirmed_by_read: bool = False
    """Whether no clear answer came, and reading the object proved the write."""
    drift: DryRunDrift = NO_DRIFT
    """Stored values that differ from the review."""

    @property
    def is_open(self) -> bool:
        """Whether something is left to do."""
        return self.state in ("failed", "busy", "waiting")


def untried_result(part: Manifest, outcome: ResultState) -> Result:
    """Result of an object that was not tried: ``Mydemo one``, from the text."""
    return Result(part.number, part.line, part.words, outcome)


def done_result(
    part: Manifest, target: Target, outcome: ResultState, warnings: tuple[str, ...] = (), *, read: bool = False
) -> Result:
    """Result of an object that matches the text; `read`: no clear answer came, and reading it proved the write."""
    return Result(part.number, part.line, target.words, outcome, target.href, warnings=warnings, confirmed_by_read=read)


def failed_result(part: Manifest, target: Target | None, refusal: Refusal) -> Result:
    """Result of a refused object, with positions in the whole text."""
    named = target is not None and target.name
    words = target.words if target is not None and named else untried_result(part, "failed").words
    return Result(part.number, part.line, words, "failed", refusal=part.locate(refusal))


def uncertain_result(part: Manifest) -> Result:
    """Result of an object with a generated name, where it may have been created already."""
    return failed_result(part, None, uncertain_refusal(UNCERTAIN_TITLE, NAMELESS))


def stale_result(part: Manifest, target: Target, words: str) -> Result:
    """Result of an object that is left alone, because it changed since the review."""
    return failed_result(part, target, Refusal((Problem(words, line=part.line, column=1),), 409, "Not done"))
