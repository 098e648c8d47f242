"""Parser for several documents in one text: start, content and problems of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest

from dashboard.objects.fields.field_access import Path, Value, resolve_path
from dashboard.objects.manifests.document import EMPTY, MAX_BYTES, Document, DocumentError, parse
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.pages.edit.form_data import submitted_text

MAX_OBJECTS = 500
"""Most objects in one text."""
_BEGINS = re.compile(r"---(?=\s|$)")
_ENDS = re.compile(r"\.\.\.(?=\s|$)")
_SPACE = re.compile(r"\s*")
_NOTHING = re.compile(r"\s*(#.*|%.*|---\s*(#.*)?)?")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a text."""

    number: int
    """Number from 1, in the order of the text."""
    line: int
    """Line in which it starts, from 1."""
    value: dict[str, Value]
    """Empty where it cannot be parsed."""
    refusal: Refusal | None = None
    """Why it cannot be parsed."""
    document: Document | None = None
    offset: int = 0
    """Lines of the text before its document."""
    column: int = 0
    """Characters before its document in the line in which it starts: JSON objects may share one."""
    path: Path = ()
    """Path in its document: an item of a List."""

    @property
    def words(self) -> str:
        """``Mydemo one``, from the text."""
        if not self.value:
            return f"The object in line {self.line}"
        metadata = self.value.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        name = metadata.get("name") or metadata.get("generateName") or "without a name"
        return f"{self.value.get('kind') or 'Something'} {name}"

    def locate(self, refusal: Refusal) -> Refusal:
        """A copy with each problem's position in the whole text."""
        return replace(refusal, problems=tuple(map(self._located, refusal.problems)))

    def _located(self, problem: Problem) -> Problem:
        path = resolve_path(self.value, problem.path)
        position = self.document.position((*self.path, *path)) if self.document is not None else None
        if problem.line or position is None:
            return problem
        column = position.column + (self.column if position.line == 1 else 0)
        return replace(problem, path=path, line=position.line + self.offset, column=column)


def parse_manifests(text: str) -> tuple[Manifest, ...]:
    """The objects of a text, those of a List individually. Raises DocumentError where it is too large or empty."""
    parts: list[Manifest] = []
    for offset, chunk in split_text(text):
        for part in manifests_in(chunk, offset):
            parts.append(replace(part, number=len(parts) + 1))
            if len(parts) > MAX_OBJECTS:
                raise too_many(part.line)
    if not parts:
        raise DocumentError(EMPTY)
    return tuple(parts)


def too_many(line: int) -> DocumentError:
    """Error for an object, starting in `line`, above the limit."""
    return DocumentError(
        f"The text has more than {MAX_OBJECTS} objects. Split it and apply the parts one by one.", line, 1
    )


def split_text(text: str) -> Iterator[tuple[int, str]]:
    """The documents of a text with the number of lines before each. Raises DocumentError where the text is too long."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise DocumentError("The text is larger than 3 MiB. Split it and apply the parts one by one.")
    yield from _chunks(text.removeprefix("\ufeff").replace("\n\ufeff", "\n").split("\n"))


def _chunks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The documents with the number of lines before each. YAML ends one wherever ``---`` starts a line."""
    start, document = 0, list[str]()
    for index, line in enumerate([*lines, "---"]):
        if _BEGINS.match(line) or _ENDS.match(line):
            if not all(_NOTHING.fullmatch(each) for each in document):
                yield start, "\n".join(document) + "\n"
            start, document = index, []
            if _ENDS.match(line):
                start = index + 1
                continue
        document.append(line)


def manifests_in(chunk: str, offset: int = 0, column: int = 0) -> Iterator[Manifest]:
    """The objects of one document, with `offset` lines before it, and `column` characters before it in
    its first line.
    """
    try:
        document = parse(chunk)
    except DocumentError as error:
        several = _json_objects(chunk)
        for each in several:
            yield from manifests_in(chunk[each.begin : each.end], offset + each.lines, each.column)
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
            position = document.position(("items", index))
            line = (position.line if position is not None else 1) + offset
            yield Manifest(0, line, _of_list(item, own), None, document, offset, column, ("items", index))
    elif (api_version, kind) == ("v1", "List") or (is_list and isinstance(items, list)):
        position = document.position(("items",)) or document.position(("kind",))
        line = (position.line if position is not None else 1) + offset
        yield _unread(line, 1, "This list has no items: add some, or remove the list.", "It cannot be created")
    else:
        yield Manifest(0, document.root.line + 1 + offset, value, None, document, offset, column)


def _of_list(item: Any, own: dict[str, Value]) -> dict[str, Value]:
    """An item with its kind, which the API server leaves out in a kind's own list."""
    if not isinstance(item, dict):
        return {}
    return {**own, **item} if "kind" not in item and "apiVersion" not in item else item


def _unread(line: int, column: int, words: str, title: str) -> Manifest:
    return Manifest(0, line, {}, Refusal((Problem(words, line=line, column=column),), 422, title))


@dataclass(frozen=True, slots=True)
class _JsonSpan:
    """A JSON object of a text: its start and end, and the text before it."""

    begin: int
    end: int
    lines: int
    column: int


def _json_objects(chunk: str) -> list[_JsonSpan]:
    """Consecutive JSON objects, as ``jq`` writes them, up to one above the limit; else none."""
    decoder, spans = json.JSONDecoder(), list[_JsonSpan]()
    lines, line_start, counted, end = 0, 0, 0, 3 if chunk.startswith("---") else 0
    while len(spans) <= MAX_OBJECTS and (begin := _space(chunk, end)) < len(chunk):
        try:
            value, end = decoder.raw_decode(chunk, begin)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        lines += chunk.count("\n", counted, begin)
        line_start = max(line_start, chunk.rfind("\n", counted, begin) + 1)
        counted = begin
        spans.append(_JsonSpan(begin, end, lines, begin - line_start))
    return spans if len(spans) > 1 else []


def _space(chunk: str, start: int) -> int:
    """Index of the next character after `start` that is not a space."""
    match = _SPACE.match(chunk, start)
    return match.end() if match is not None else start


def with_files(request: HttpRequest) -> tuple[str, Refusal | None]:
    """The text with the uploaded files appended; and why a file cannot be read."""
    text, files = submitted_text(request.POST), request.FILES.getlist("file")
    large = next((file for file in files if (file.size or 0) > MAX_BYTES), None)
    if large is not None:
        return text, _refused(f"{large.name} is larger than 3 MiB.", 413)
    if files and sum(file.size or 0 for file in files) + len(text.encode(errors="replace")) > MAX_BYTES:
        words = "The files and the text together are larger than 3 MiB. Split them and apply the parts one by one."
        return text, _refused(words, 413)
    texts = [text.rstrip()] if text.strip() else []
    for file in files:
        try:
            content = file.read().decode()
        except UnicodeDecodeError:
            return text, _refused(f"{file.name} is not UTF-8 text, so it cannot be YAML.", 422)
        content = content.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        texts += [content.rstrip()] if content.strip() else []
    return ("\n---\n".join(texts) + "\n" if files else text), None


def _refused(words: str, code: int) -> Refusal:
    return Refusal((Problem(words),), code, "The file cannot be read")
