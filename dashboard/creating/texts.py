"""Several documents in one text: where each begins, what it holds, and what is wrong with those that hold nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dashboard.edits.document import EMPTY, MAX_BYTES, Document, DocumentError, parse
from dashboard.edits.fields import Path, Value
from dashboard.edits.problems import Problem, Refusal

MOST = 200
"""Objects in one text."""
_BEGINS = re.compile(r"---(?=\s|$)")
_ENDS = re.compile(r"\.\.\.(?=\s|$)")
_NOTHING = re.compile(r"\s*(#.*|%.*|---\s*(#.*)?)?")


@dataclass(frozen=True, slots=True)
class Part:
    """One object of a text."""

    number: int
    """From 1, in the order of the text."""
    line: int
    """Where it begins, from 1."""
    value: dict[str, Value]
    """Empty where it cannot be read."""
    refusal: Refusal | None = None
    """Why it cannot be read."""
    document: Document | None = None
    offset: int = 0
    """Lines of the text before its document."""
    within: Path = ()
    """Where in its document it stands: an item of a List."""

    def located(self, refusal: Refusal) -> Refusal:
        """The same with each problem's place in the whole text."""
        return replace(refusal, problems=tuple(map(self._located, refusal.problems)))

    def _located(self, problem: Problem) -> Problem:
        position = self.document.position((*self.within, *problem.path)) if self.document is not None else None
        if problem.line or position is None:
            return problem
        return replace(problem, line=position.line + self.offset, column=position.column)


def parts_of(text: str) -> tuple[Part, ...]:
    """The objects of a text, those of a List each by itself. Raises DocumentError where it is too much, or nothing."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise DocumentError("The text has more than 3 MiB. Make the objects in several goes.")
    parts: list[Part] = []
    for offset, chunk in _chunks(text.removeprefix("\ufeff").split("\n")):
        for part in _objects(offset, chunk):
            parts.append(replace(part, number=len(parts) + 1))
            if len(parts) > MOST:
                raise DocumentError(
                    f"The text holds more than {MOST} objects. Make them in several goes.", part.line, 1
                )
    if not parts:
        raise DocumentError(EMPTY)
    return tuple(parts)


def _chunks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The documents with the number of lines before each. YAML ends one wherever ``---`` begins a line."""
    start, kept = 0, list[str]()
    for index, line in enumerate([*lines, "---"]):
        if _BEGINS.match(line) or _ENDS.match(line):
            if not all(_NOTHING.fullmatch(each) for each in kept):
                yield start, "\n".join(kept) + "\n"
            start, kept = index, []
            if _ENDS.match(line):
                start = index + 1
                continue
        kept.append(line)


def _objects(offset: int, chunk: str) -> Iterator[Part]:
    try:
        document = parse(chunk)
    except DocumentError as error:
        line = error.line + offset if error.line else offset + 1
        problem = Problem(error.message, line=line, column=error.column or 1)
        yield Part(0, line, {}, Refusal((problem,), 422, "The YAML cannot be read"))
        return
    items = document.value.get("items")
    if document.value.get("kind") == "List" and document.value.get("apiVersion") == "v1" and isinstance(items, list):
        for index, item in enumerate(items):
            place = document.position(("items", index))
            line = (place.line if place is not None else 1) + offset
            yield Part(0, line, item if isinstance(item, dict) else {}, None, document, offset, ("items", index))
        return
    first = document.root.line + 1
    yield Part(0, first + offset, document.value, None, document, offset)
