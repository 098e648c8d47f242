"""Several documents in one text: where each begins, what it holds, and what is wrong with those that hold nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from dashboard.edits.document import EMPTY, MAX_BYTES, Document, DocumentError, parse
from dashboard.edits.fields import Path, Value, as_held
from dashboard.edits.problems import Problem, Refusal

MOST = 500
"""Objects in one text."""
_BEGINS = re.compile(r"---(?=\s|$)")
_ENDS = re.compile(r"\.\.\.(?=\s|$)")
_SPACE = re.compile(r"\s*")
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
    column: int = 0
    """Characters before its document in the line in which it begins: JSON objects may share one."""
    within: Path = ()
    """Where in its document it stands: an item of a List."""

    @property
    def words(self) -> str:
        """``Mydemo one``, as the text has it."""
        if not self.value:
            return f"The object in line {self.line}"
        metadata = self.value.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        name = metadata.get("name") or metadata.get("generateName") or "without a name"
        return f"{self.value.get('kind') or 'Something'} {name}"

    def located(self, refusal: Refusal) -> Refusal:
        """The same with each problem's place in the whole text."""
        return replace(refusal, problems=tuple(map(self._located, refusal.problems)))

    def _located(self, problem: Problem) -> Problem:
        path = as_held(self.value, problem.path)
        position = self.document.position((*self.within, *path)) if self.document is not None else None
        if problem.line or position is None:
            return problem
        column = position.column + (self.column if position.line == 1 else 0)
        return replace(problem, path=path, line=position.line + self.offset, column=column)


def parts_of(text: str) -> tuple[Part, ...]:
    """The objects of a text, those of a List each by itself. Raises DocumentError where it is too much, or nothing."""
    parts: list[Part] = []
    for offset, chunk in documents_of(text):
        for part in objects_of(chunk, offset):
            parts.append(replace(part, number=len(parts) + 1))
            if len(parts) > MOST:
                raise too_many(part.line)
    if not parts:
        raise DocumentError(EMPTY)
    return tuple(parts)


def too_many(line: int) -> DocumentError:
    """That the object which begins in `line` is one more than are taken."""
    return DocumentError(f"The text holds more than {MOST} objects. Make them in several goes.", line, 1)


def documents_of(text: str) -> Iterator[tuple[int, str]]:
    """The documents of a text with the number of lines before each. Raises DocumentError where the text is too long."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise DocumentError("The text has more than 3 MiB. Make the objects in several goes.")
    yield from _chunks(text.removeprefix("\ufeff").replace("\n\ufeff", "\n").split("\n"))


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


def objects_of(chunk: str, offset: int = 0, column: int = 0) -> Iterator[Part]:
    """The objects of one document, before which are `offset` lines, and `column` characters in its own first line."""
    try:
        document = parse(chunk)
    except DocumentError as error:
        several = _json_objects(chunk)
        for each in several:
            yield from objects_of(chunk[each.begin : each.end], offset + each.lines, each.column)
        if not several:
            before = column if error.line <= 1 else 0
            line = max(error.line, 1) + offset
            yield _unread(line, max(error.column, 1) + before, error.message, "The YAML cannot be read")
        return
    value = document.value
    kind, items, api_version = value.get("kind"), value.get("items"), value.get("apiVersion")
    kind = kind if isinstance(kind, str) else ""
    is_list = kind.endswith("List") and isinstance(api_version, str)
    if is_list and isinstance(items, list) and items:
        own = {} if (api_version, kind) == ("v1", "List") else {"apiVersion": api_version, "kind": kind[:-4]}
        for index, item in enumerate(items):
            place = document.position(("items", index))
            line = (place.line if place is not None else 1) + offset
            yield Part(0, line, _of_list(item, own), None, document, offset, column, ("items", index))
    elif (api_version, kind) == ("v1", "List") or (is_list and isinstance(items, list)):
        place = document.position(("items",)) or document.position(("kind",))
        line = (place.line if place is not None else 1) + offset
        yield _unread(line, 1, "This list has no items: there is nothing to make of it.", "It cannot be made")
    else:
        yield Part(0, document.root.line + 1 + offset, value, None, document, offset, column)


def _of_list(item: Any, own: dict[str, Value]) -> dict[str, Value]:
    """An item; the API server leaves out of a kind's own list what kind each of them is."""
    if not isinstance(item, dict):
        return {}
    return {**own, **item} if "kind" not in item and "apiVersion" not in item else item


def _unread(line: int, column: int, words: str, title: str) -> Part:
    return Part(0, line, {}, Refusal((Problem(words, line=line, column=column),), 422, title))


@dataclass(frozen=True, slots=True)
class _Found:
    """A JSON object of a text: where it begins and ends, and what is before it."""

    begin: int
    end: int
    lines: int
    column: int


def _json_objects(chunk: str) -> list[_Found]:
    """JSON objects one after the other, as ``jq`` writes them, up to one more than are taken; else none."""
    decoder, found = json.JSONDecoder(), list[_Found]()
    lines, line_start, counted, end = 0, 0, 0, 3 if chunk.startswith("---") else 0
    while len(found) <= MOST and (begin := _space(chunk, end)) < len(chunk):
        try:
            value, end = decoder.raw_decode(chunk, begin)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        lines += chunk.count("\n", counted, begin)
        line_start = max(line_start, chunk.rfind("\n", counted, begin) + 1)
        counted = begin
        found.append(_Found(begin, end, lines, begin - line_start))
    return found if len(found) > 1 else []


def _space(chunk: str, start: int) -> int:
    """Where something begins after `start`."""
    found = _SPACE.match(chunk, start)
    return found.end() if found is not None else start
