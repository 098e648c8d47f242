"""Submissions of the editor, and their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dashboard.objects.fields.field_access import Path
from dashboard.objects.merge.diff import Change, Line
from dashboard.objects.merge.three_way import MergeResult, Side
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.pages.writes.admission_changes import NO_DRIFT, AdmissionChanges, DryRunDrift, fields_text
from dashboard.pages.writes.editable_part import Base
from informerd.errors import InformerdError

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Submission:
    """A posted edit: the text, its base, and answers to conflicts that were shown."""

    text: str
    base: Base
    choices: Mapping[Path, Side] = field(default_factory=dict)
    seen_fingerprint: str = ""
    """Fingerprint of the other users' state that `choices` answer to."""


@dataclass(frozen=True, slots=True)
class Review:
    """Result of a dry run. `draft` is the one to save: its base is the state that the diff compares with."""

    draft: Submission
    changes: tuple[Change, ...]
    lines: tuple[Line, ...]
    warnings: tuple[str, ...]
    current_yaml: str = ""
    """The YAML of the existing object; empty where there is none."""
    new_yaml: str = ""
    """The YAML that would be stored."""
    merged: Moved | None = None
    """Other users' changes that were merged in."""
    is_recreation: bool = False
    """Whether it re-creates a deleted object."""
    consequences: tuple[str, ...] = ()
    """Known effects on the running cluster, in sentences."""
    ignored_fields: tuple[str, ...] = ()
    """Fields that the text changes and that the API server would leave unchanged: omitted defaults, values that an
    admission plugin resets.
    """
    admission_changes: AdmissionChanges = field(default_factory=dict)
    """Admission changes of the dry run."""

    @property
    def ignored_fields_text(self) -> str:
        """These fields in words: ``spec.strategy.type and 3 more fields``."""
        return fields_text(self.ignored_fields)


@dataclass(frozen=True, slots=True)
class Moved:
    """The object changed since the edit began."""

    draft: Submission
    """The submission, unchanged."""
    current: Base
    merge: MergeResult
    theirs: tuple[Change, ...]
    """All changes by others."""
    merged_changes: tuple[Change, ...]
    """Their changes that are taken without a question."""
    own_changes: tuple[Change, ...]
    """Changes of the draft that stay without a question."""
    author: str = ""
    """Author of the change, as far as the API server has it (a field manager)."""
    changed_at: str = ""
    """RFC 3339; empty where the API server has no time."""
    unsure: bool = False
    """Whether the draft may have been written before their change: no clear answer came to it."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The object was deleted since the edit began. `unsure` as in Moved."""

    draft: Submission
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Replaced:
    """Another object has the name now: the edited one was deleted.

    `unsure`: no clear answer came to the draft, so it may have been written before, or this object may come from it.
    """

    draft: Submission
    current: Base
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """The API server has stored it. `changed` is false where it was stored already."""

    version: str
    changed: bool = True
    warnings: tuple[str, ...] = ()
    confirmed_by_read: bool = False
    """Whether no clear answer came, and reading the object proved the write."""
    drift: DryRunDrift = NO_DRIFT
    before: str = ""
    """The resourceVersion on top of which it was written; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """No clear answer came to a write, and it is unknown whether it was stored."""

    draft: Submission
    error: InformerdError
    repeatable: bool = True
    """Whether a retry cannot apply it twice."""
    trace: str = ""
    """As Refusal.trace."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written (but see Refusal.unsure), with the reason.

    `draft` is the text that the problems are about: as sent, or merged.
    """

    draft: Submission
    refusal: Refusal
    merged: Moved | None = None
    """Other users' changes that were merged into the draft."""


Outcome = Review | Moved | Gone | Replaced | Refused | Saved | Unsure


class OutcomeReached(Exception):
    """Ends the steps of an edit with an outcome that needs no further step."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(type(outcome).__name__)
        self.outcome = outcome


def returns_outcome(steps: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T | Outcome]]:
    """Decorate the steps of an edit: they also return the outcome of an `OutcomeReached`."""

    @wraps(steps)
    async def wrapped(*args: P.args, **options: P.kwargs) -> T | Outcome:
        try:
            return await steps(*args, **options)
        except OutcomeReached as end:
            return end.outcome

    return wrapped


def mark_unsure(outcome: Outcome, tried_version: str) -> Outcome:
    """The same outcome with the `tried_version`, and without the claim that nothing was written."""
    match outcome:
        case Moved() | Gone() | Replaced():
            return replace(outcome, unsure=True)
        case Review(merged=Moved() as merged):
            return replace(outcome, merged=replace(merged, unsure=True))
        case Refused(refusal=refusal):
            return replace(outcome, refusal=replace(refusal, unsure=True, trace=refusal.trace or tried_version))
        case Unsure():
            return replace(outcome, trace=outcome.trace or tried_version)
    return outcome
