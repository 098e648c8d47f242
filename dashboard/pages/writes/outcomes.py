"""What a person sends, and what can come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dashboard.edits.beside import AS_REVIEWED, Beside, Otherwise, named
from dashboard.edits.diff import Change, Line
from dashboard.edits.editable import Base
from dashboard.edits.fields import Path
from dashboard.edits.merge import Merge, Side
from dashboard.edits.problems import Refusal
from informerd.errors import InformerdError


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person sends: the text, what it began with, and answers to conflicts that were shown."""

    text: str
    base: Base
    choices: Mapping[Path, Side] = field(default_factory=dict)
    seen: str = ""
    """Fingerprint of their state to which `choices` are answers."""


@dataclass(frozen=True, slots=True)
class Review:
    """What saving would do. `draft` is the one to save: its base is the state that the diff compares with."""

    draft: Draft
    changes: tuple[Change, ...]
    lines: tuple[Line, ...]
    warnings: tuple[str, ...]
    was: str = ""
    """The YAML of what is there now; empty where nothing is."""
    now: str = ""
    """The YAML of what would be stored."""
    merged: Moved | None = None
    """Where others' changes were merged in: what they were."""
    again: bool = False
    """Whether it makes a deleted object anew."""
    consequences: tuple[str, ...] = ()
    """What it will do to what runs, in sentences, as far as is known."""
    undone: tuple[str, ...] = ()
    """Fields that the text changes and that the API server would keep as they are: defaults that a text leaves out,
    what an admission plugin sets back."""
    beside: Beside = field(default_factory=dict)
    """What would be stored otherwise than it is sent."""

    @property
    def undone_words(self) -> str:
        """Which those are: ``spec.strategy.type and 3 more fields``."""
        return named(self.undone)


@dataclass(frozen=True, slots=True)
class Moved:
    """The object changed since the edit began."""

    draft: Draft
    """As it was sent: nothing of it is lost."""
    now: Base
    merge: Merge
    theirs: tuple[Change, ...]
    """All that others changed."""
    taken: tuple[Change, ...]
    """What is taken of theirs without a question."""
    kept: tuple[Change, ...]
    """What stays of the draft's own without a question."""
    by: str = ""
    """Who changed it, as far as the API server tells (a field manager)."""
    at: str = ""
    """RFC 3339; empty where the API server does not tell."""
    unsure: bool = False
    """Whether the draft may have been written before their change: no clear answer came to it."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The object was deleted since the edit began. `unsure` as with Moved."""

    draft: Draft
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Replaced:
    """Another object has the name now: the one that was edited was deleted.

    `unsure`: no clear answer came to the draft, so it may have been written before, or this be what was made of it.
    """

    draft: Draft
    now: Base
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """The API server has it. `changed` is false where it had it already."""

    version: str
    changed: bool = True
    warnings: tuple[str, ...] = ()
    read: bool = False
    """Whether no clear answer came, and reading the object showed it."""
    otherwise: Otherwise = AS_REVIEWED


@dataclass(frozen=True, slots=True)
class Unsure:
    """No clear answer came to a write, and it could not be found out whether it was stored."""

    draft: Draft
    error: InformerdError
    repeatable: bool = True
    """Whether it may be sent again without being done twice."""
    trace: str = ""
    """As Refusal.trace."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written (but see Refusal.unsure), and why.

    `draft` is what the objections are about: the text as sent, or a merge of it.
    """

    draft: Draft
    refusal: Refusal
    merged: Moved | None = None
    """Where others' changes were merged into the draft: what they were."""


Reviewed = Review | Moved | Gone | Replaced | Refused
Outcome = Reviewed | Saved | Unsure


def doubtful(outcome: Outcome, tried: str) -> Outcome:
    """The same, with the version that was `tried`, and without saying that nothing was written."""
    match outcome:
        case Moved() | Gone() | Replaced():
            return replace(outcome, unsure=True)
        case Review(merged=Moved() as merged):
            return replace(outcome, merged=replace(merged, unsure=True))
        case Refused(refusal=refusal):
            return replace(outcome, refusal=replace(refusal, unsure=True, trace=refusal.trace or tried))
        case Unsure():
            return replace(outcome, trace=outcome.trace or tried)
    return outcome
