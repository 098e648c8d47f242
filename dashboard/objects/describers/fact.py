"""Facts of an object, each a name with lines of text; related facts form a section."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dashboard.objects.kinds.row import Tone
from dashboard.runtime.text_with_links import Sentence, TextPiece

Line = str | TextPiece | Iterable[TextPiece] | None
"""Source of a line. An empty one makes no line."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A name with its lines, all of them text from the cluster: escape it."""

    name: str
    lines: tuple[Sentence, ...]
    tone: Tone | Literal[""] = ""
    """Tone of the value where it is good or bad news."""
    is_user_named: bool = False
    """Whether its name was given by people, as a volume's is: shown unchanged."""


@dataclass(frozen=True, slots=True)
class Section:
    """Facts under a title."""

    id: str
    """Valid in an element's id, and unique among the sections of the object."""
    title: str
    facts: tuple[Fact, ...]


def make_fact(name: str, *lines: Line, tone: Tone | Literal[""] = "", is_user_named: bool = False) -> Fact | None:
    """A fact; None where it has no lines."""
    sentences = tuple(sentence for line in lines if (sentence := _sentence(line)))
    return Fact(name, sentences, tone, is_user_named) if sentences else None


def make_section(name: str, title: str, *facts: Fact | None) -> tuple[Section, ...]:
    """A tuple with one section; empty where it has no facts."""
    there = tuple(each for each in facts if each is not None)
    return (Section(name, title, there),) if there else ()


def join_sentences(parts: Iterable[Iterable[TextPiece]], between: str = ", ") -> list[TextPiece]:
    """Sentences joined, without the empty ones."""
    pieces: list[TextPiece] = []
    for part in parts:
        if inside := list(part):
            pieces += [*([TextPiece(between)] if pieces else []), *inside]
    return pieces


def _sentence(line: Line) -> Sentence:
    if line is None:
        return ()
    pieces = (TextPiece(line),) if isinstance(line, str) else (line,) if isinstance(line, TextPiece) else tuple(line)
    return tuple(piece for piece in pieces if piece.text)
