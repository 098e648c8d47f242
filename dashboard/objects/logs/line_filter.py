"""Filter of log lines: words, regular expressions (RE2), fields and severities, all of which have to match.

    text        the line has it, in upper or lower case; "in quotation marks" with spaces
    /a|b/       the expression is found; /a|b/i in upper or lower case
    field=value a field of JSON or logfmt; also != > >= < <=, and * for any characters in a value
    severity>=warn
    -…          the line does not match

A chunk of a log is searched as a whole, and cut into lines only where something was found: searching 200 MB for a rare
word costs little more than reading them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import re2

from dashboard.objects.logs.fields import field_of, field_spans
from dashboard.objects.logs.severity import SEVERITIES, WARN, WORDS_OF_SEVERE_LINES, severity_named, severity_of
from dashboard.objects.query.tokenizer import QueryProblem
from dashboard.objects.query.wildcard import Pattern, quote

MAX_LENGTH = 1000
"""Longest filter that is read, in characters."""
MAX_TERMS = 20
MAX_SPANS = 50
"""Most places in a line that are marked."""
MAX_PROGRAM_SIZE = 5_000
"""Maximum instructions of a compiled expression."""
_FIELD = re.compile(r"([A-Za-z_@][\w.@/-]*)(!=|>=|<=|=|>|<)(.*)", re.DOTALL)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip
Finder = Callable[[bytes], Callable[[int], int]]
"""Takes a chunk, and returns a function that finds the next place in it from an index on; -1 where there is none."""
_ANCHORED = re.compile(r"\^|\\[Az]|\(\?[a-zA-Z]*-?[a-zA-Z]*m")
"""What an expression may say of the beginning or end of a text; it may be one that says nothing of it, as ``[^a]``."""
_PLAIN = re.compile(r"[^\s\"/=<>!-][^\s\"=<>!]*")


@dataclass(frozen=True)
class LogTerm:
    """One condition."""

    kind: str
    """text, regex, field or severity."""
    text: str
    """The text, the expression, or the field's value."""
    negative: bool = False
    name: str = ""
    """The field's."""
    op: str = "="
    folds: bool = True
    """Whether upper and lower case are the same."""

    def __str__(self) -> str:
        sign = "-" if self.negative else ""
        if self.kind == "text":
            return sign + (self.text if _PLAIN.fullmatch(self.text) else quote(self.text))
        if self.kind == "regex":
            escaped = self.text.replace("/", "\\/")
            return f"{sign}/{escaped}/{'i' if self.folds else ''}"
        value = self.text if re.fullmatch(r'[^\s"]+', self.text) else quote(self.text)
        return f"{sign}{self.name}{self.op}{value}"

    def matches(self, text: bytes) -> bool:
        """Whether a line's text, without its time, meets it."""
        return self._test(text) != self.negative

    @cached_property
    def finder(self) -> Finder | None:
        """Finds what every line that meets it has; None where nothing is known of such lines."""
        if self.negative:
            return None
        if self.kind == "text":
            return _text_finder(self.text)
        if self.kind == "regex":
            if _ANCHORED.search(self.text):  # where a line begins in a chunk stands its time
                return None
            return _expression_finder(_compiled(f"(?m){self.text}", folds=self.folds))
        if self.kind == "field" and self.op == "=" and self.text.isascii() and self.text.isalnum():
            return _text_finder(self.text)
        if self.kind == "severity" and self.op in ("=", ">", ">=") and (severity_named(self.text) or 0) >= WARN:
            return _expression_finder(_compiled(WORDS_OF_SEVERE_LINES, folds=True))
        return None

    @property
    def is_met_where_found(self) -> bool:
        """Whether a line meets it wherever its finder finds something in the line's text."""
        return not self.negative and self.kind == "text"

    def spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Where a line's text has what it asks for: bytes from and to."""
        if self.negative or self.op == "!=" or self.kind == "severity":
            return
        if self.kind == "field":
            yield from field_spans(text, self.name, self._accepts)
        else:
            for found in self._expression.finditer(text):
                if found.end() > found.start():
                    yield found.span()

    @cached_property
    def _expression(self) -> re2._Regexp:
        return _compiled(self.text, literal=self.kind == "text", folds=self.folds)

    @cached_property
    def _test(self) -> Callable[[bytes], bool]:
        if self.kind == "text" and self.text.isascii():
            wanted_text = self.text.lower().encode()
            return lambda text: wanted_text in text.lower()
        if self.kind in ("text", "regex"):
            found = self._expression.search
            return lambda text: found(text) is not None
        if self.kind == "severity":
            wanted = severity_named(self.text) or 0
            test = {"=": operator.eq, "!=": operator.ne, **_COMPARE}[self.op]
            return lambda text: test(severity_of(text), wanted)
        return lambda text: self._accepts(field_of(text, self.name))

    def _accepts(self, value: str | None) -> bool:
        """Whether a field may have this value; None where a line has no such field."""
        if self.op in _COMPARE:
            limit, number = _number(self.text), _number(value) if value is not None else None
            return number is not None and limit is not None and _COMPARE[self.op](number, limit)
        return (value is not None and self._pattern.matches(value)) == (self.op == "=")

    @cached_property
    def _pattern(self) -> Pattern:
        return Pattern(tuple(self.text.split("*")))


@dataclass(frozen=True)
class LineFilter:
    """All terms. Equal filters are equal."""

    terms: tuple[LogTerm, ...] = ()
    input_text: str = field(default="", compare=False)
    problems: tuple[QueryProblem, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    def with_severity(self, name: str) -> LineFilter:
        """This filter for lines of one severity; for all, where it is for this one already."""
        term = LogTerm("severity", name, name="severity")
        others = (each for each in self.terms if each.kind != "severity")
        return LineFilter(tuple(sorted((*others, *([] if term in self.terms else [term])), key=str)))

    def matches(self, text: bytes) -> bool:
        """Whether a line's text, without its time, meets all terms."""
        for term in self.terms:  # noqa: SIM110 -- all() would make a generator for each of many lines
            if not term.matches(text):
                return False
        return True

    def spans(self, text: bytes) -> list[tuple[int, int]]:
        """Where a line's text has what the filter asks for: bytes from and to, in order, apart, MAX_SPANS at most."""
        found: list[tuple[int, int]] = []
        for start, end in sorted(each for term in self.terms for each in islice(term.spans(text), MAX_SPANS)):
            if found and start <= found[-1][1]:
                found[-1] = found[-1][0], max(end, found[-1][1])
            else:
                found.append((start, end))
        return found[:MAX_SPANS]

    def matching_lines(self, chunk: bytes) -> list[bytes]:
        """The lines of a chunk, each with its time, that match. The chunk begins and ends with whole lines."""
        found = next(((term, term.finder) for term in self.terms if term.finder is not None), None)
        if found is None:
            return [line for line in chunk.split(b"\n") if line and self.matches(line[line.find(b" ") + 1 :])]
        first, finder = found
        others = LineFilter(tuple(term for term in self.terms if term is not first or not term.is_met_where_found))
        return _matching_lines(chunk, first, finder(chunk), others)


ANY_LINE = LineFilter()
"""The filter that every line matches."""


def _matching_lines(chunk: bytes, first: LogTerm, find: Callable[[int], int], others: LineFilter) -> list[bytes]:
    """The lines in which `find` finds something, where that means that they meet `first`, and that match `others`."""
    lines, at, size = [], 0, len(chunk)
    while (place := find(at)) >= 0:
        start = chunk.rfind(b"\n", 0, place) + 1
        end = chunk.find(b"\n", place)
        end = size if end < 0 else end
        text_start = chunk.find(b" ", start, end) + 1 or start
        at = end + 1
        if place < text_start and not first.matches(chunk[text_start:end]):  # found in the time
            continue
        if not others or others.matches(chunk[text_start:end]):
            lines.append(chunk[start:end])
        if at >= size:
            break
    return lines


def _text_finder(text: str) -> Finder:
    """Finds a text in upper or lower case."""
    if not text.isascii():
        return _expression_finder(_compiled(text, literal=True, folds=True))
    wanted = text.lower().encode()

    def finder(chunk: bytes) -> Callable[[int], int]:
        lowered = chunk.lower()
        return lambda at: lowered.find(wanted, at)

    return finder


def _expression_finder(expression: re2._Regexp) -> Finder:
    def finder(chunk: bytes) -> Callable[[int], int]:
        def find(at: int) -> int:
            found = expression.search(chunk, at)
            return -1 if found is None else found.start()

        return find

    return finder


def parse_line_filter(typed: str) -> LineFilter:
    """The filter of a text. Parts that cannot be read are in its `problems`, and left out."""
    problems: list[QueryProblem] = []
    if len(typed) > MAX_LENGTH:
        problems.append(QueryProblem("q", MAX_LENGTH, len(typed), f"Only the first {MAX_LENGTH} characters are read."))
    typed = typed[:MAX_LENGTH]
    terms: dict[LogTerm, None] = {}
    for start, end, piece in _pieces(typed, problems):
        term = _term(piece, start, end, problems)
        if term is not None:
            terms[term] = None
        if len(terms) > MAX_TERMS:
            terms.popitem()
            problems.append(QueryProblem("q", start, len(typed), f"Only the first {MAX_TERMS} parts are used."))
            break
    return LineFilter(tuple(sorted(terms, key=str)), typed, tuple(problems))


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    negative: bool
    is_regex: bool = False
    folds: bool = True
    is_quoted: bool = False


def _pieces(typed: str, problems: list[QueryProblem]) -> Iterator[tuple[int, int, _Piece]]:
    at = 0
    while at < len(typed):
        if typed[at].isspace():
            at += 1
            continue
        start, negative = at, typed[at] == "-" and typed[at + 1 : at + 2].strip() != ""
        at += negative
        if typed[at] == "/" and (regex := re.compile(r"/((?:[^/\\]|\\.)+)/(i?)(?=\s|$)").match(typed, at)) is not None:
            at = regex.end()
            yield start, at, _Piece(regex[1].replace("\\/", "/"), negative, is_regex=True, folds=bool(regex[2]))
            continue
        text, at, is_quoted, is_closed = _word(typed, at)
        if not is_closed:
            problems.append(QueryProblem("q", start, at, 'Write a closing quotation mark ".'))
        elif text:
            yield start, at, _Piece(text, negative, is_quoted=is_quoted)


def _word(typed: str, at: int) -> tuple[str, int, bool, bool]:
    """A word from `at` on, where it ends, whether it begins with a quotation mark, and whether all are closed."""
    is_quoted, inside, characters = typed[at] == '"', False, []
    while at < len(typed) and (inside or not typed[at].isspace()):
        character = typed[at]
        if character == '"':
            inside = not inside
        elif inside and character == "\\" and at + 1 < len(typed):
            at += 1
            characters.append(typed[at])
        else:
            characters.append(character)
        at += 1
    return "".join(characters), at, is_quoted, not inside


def _term(piece: _Piece, start: int, end: int, problems: list[QueryProblem]) -> LogTerm | None:
    if piece.is_regex:
        if problem := _regex_problem(piece.text, folds=piece.folds):
            problems.append(QueryProblem("q", start, end, f"This is no expression that RE2 reads: {problem}."))
            return None
        return LogTerm("regex", piece.text, piece.negative, folds=piece.folds)
    parts = None if piece.is_quoted else _FIELD.fullmatch(piece.text)
    if parts is None:
        return LogTerm("text", piece.text, piece.negative)
    name, op, value = parts.groups()
    if name == "severity":
        if severity_named(value) is None:
            message = f"{value[:40]!r} is no severity. Write one of {', '.join(SEVERITIES[1:])}."
            problems.append(QueryProblem("q", start, end, message))
            return None
        return LogTerm("severity", SEVERITIES[severity_named(value) or 0], piece.negative, "severity", op)
    if op in _COMPARE and _number(value) is None:
        message = f"{value[:40]!r} is no number. Write one after {op}, or the text between quotation marks."
        problems.append(QueryProblem("q", start, end, message))
        return None
    return LogTerm("field", value, piece.negative, name, op)


def _compiled(pattern: str, *, literal: bool = False, folds: bool) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.literal = literal
    options.case_sensitive = not folds
    options.max_mem = 8 * 2**20
    return re2.compile(pattern.encode(), options)


def _regex_problem(pattern: str, *, folds: bool) -> str:
    """Why an expression cannot be used; empty where it can."""
    try:
        size = _compiled(pattern, folds=folds).programsize
    except (re2.error, UnicodeEncodeError) as error:
        first = error.args[0] if error.args else error
        return first.decode(errors="replace") if isinstance(first, bytes) else str(first)
    return "it is too large" if size > MAX_PROGRAM_SIZE else ""


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip("%s") if text[-1:] in "%s" else text)
    except ValueError:
        return None
