"""A fact of an object: its name, and lines that say it. Facts of one matter stand together in a section."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dashboard.live.messages import Tone
from dashboard.resources.words import Sentence, Words

Line = str | Words | Iterable[Words] | None
"""What a line is made of. Nothing makes none."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Everything here is text from the cluster: escape it."""

    name: str
    lines: tuple[Sentence, ...]
    tone: Tone | Literal[""] = ""
    """Set where it is news, good or bad."""
    given: bool = False
    """Whether its name is one that people gave, as a volume has: shown as it is."""


@dataclass(frozen=True, slots=True)
class Section:
    """Facts under a title."""

    id: str
    """Fit for an element's id, and no other section's of the object."""
    title: str
    facts: tuple[Fact, ...]


def fact(name: str, *lines: Line, tone: Tone | Literal[""] = "", given: bool = False) -> Fact | None:
    """None where there is nothing to say."""
    said = tuple(sentence for line in lines if (sentence := _sentence(line)))
    return Fact(name, said, tone, given) if said else None


def section(name: str, title: str, *facts: Fact | None) -> tuple[Section, ...]:
    """One, or none where there are no facts."""
    there = tuple(each for each in facts if each is not None)
    return (Section(name, title, there),) if there else ()


def joined(parts: Iterable[Iterable[Words]], between: str = ", ") -> list[Words]:
    """Sentences one after another, without those that say nothing."""
    pieces: list[Words] = []
    for part in parts:
        if inside := list(part):
            pieces += [*([Words(between)] if pieces else []), *inside]
    return pieces


def _sentence(line: Line) -> Sentence:
    if line is None:
        return ()
    pieces = (Words(line),) if isinstance(line, str) else (line,) if isinstance(line, Words) else tuple(line)
    return tuple(piece for piece in pieces if piece.text)
