"""What the API server (or the text) objects to, in words, beside the field it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from dashboard.edits.document import Document, DocumentError
from dashboard.edits.editable import Mismatch
from dashboard.edits.fields import Path, as_held, parse_path, show
from dashboard.edits.plain_words import field_of, rule_of, title_of, words_of
from dashboard.edits.unserved import Unserved
from dashboard.repeats import pause
from informerd.errors import (
    ApiError,
    CredentialsError,
    Forbidden,
    InformerdError,
    Invalid,
    InvalidCall,
    ServerError,
    ServerTimeout,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)

_STRICT = re.compile(r"(?P<what>unknown|duplicate) field \"(?P<field>[^\"]+)\"")
_GO_FIELD = re.compile(r"json: cannot unmarshal (?P<found>.+?) into Go (?:struct field|value) (?P<field>\S+)")
_WANTS_TEXT = re.compile(r"cannot unmarshal (?:number|bool).* of type string")
_GO_TYPES: Mapping[str, str] = MappingProxyType(
    {"array": "A list", "object": "A map", "string": "A text", "number": "A number", "bool": "True or false"}
)
"""What encoding/json calls what it found."""
_AT_THE_TOP = frozenset({(), ("apiVersion",), ("kind",), ("metadata",), ("spec",), ("status",)})
"""Of the fields that Go names without a type, or by that of metadata, those that are not in metadata."""
_QUOTED_FIELD = re.compile(r"\"(?P<field>[a-z][\w.\[\]/-]*)\" must ")
_FIXED = re.compile(
    r"field is immutable|(may not|must not|cannot) be changed|updates to .* are forbidden", re.IGNORECASE
)
_NO_FIELD = ("", "<nil>", "[]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One objection. `said` is the API server's own text, word for word; empty where the objection is ours."""

    words: str
    """Ours, in plain words; may be empty where `said` says it all."""
    said: str = ""
    path: Path = ()
    """The field it is about; empty for the whole object."""
    line: int = 0
    """Where that field stands in the text, counted from 1; 0: nowhere."""
    column: int = 0
    excerpt: tuple[tuple[int, str, bool], ...] = ()
    """Lines around that place: number, text, whether it is the line meant."""
    anchor: str = ""
    """The id of its field in the form; empty where the form does not show it."""

    @property
    def field(self) -> str:
        return show(self.path)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing was written (but see `unsure`), and why."""

    problems: tuple[Problem, ...]
    code: int
    """The status that the page has."""
    title: str
    retry_after: float | None = None
    """Seconds that the API server asks to wait before another try."""
    again_after: float | None = None
    """Seconds until the very same may be sent again by itself; None where that would change nothing."""
    unsure: bool = False
    """Whether something may have been written after all."""
    unread: bool = False
    """Whether the API server could not be asked what became of it."""
    trace: str = ""
    """What the next try is told of this one (repeats.LOST), where there is more to tell than that no answer came."""

    @property
    def by_server(self) -> bool:
        """Whether the API server said so, and not this program."""
        return any(problem.said for problem in self.problems)


def refusal_of(error: InformerdError) -> Refusal:
    """What an error of the client means to the person who edits."""
    if isinstance(error, ApiError):
        return Refusal(_problems_of(error), _code(error), title_of(error), error.retry_after, pause(error))
    if isinstance(error, InvalidCall):
        return Refusal((Problem(f"The API server cannot be asked for this: {error}."),), 422, "Not sent")
    if isinstance(error, CredentialsError):
        return Refusal((Problem("The credentials for the cluster could not be had.", str(error)),), 503, "Not sent")
    problem = Problem("No answer came from the API server.", str(error))
    return Refusal((problem,), 503, "The API server is unreachable", again_after=pause(error))


def unanswered(
    error: InformerdError, title: str, known: str, *, unread: bool = False, repeatable: bool = True
) -> Refusal:
    """A write of which it is not known whether it was done, or not yet; `known` says what is, as sentences.

    `error` came to the write, or to reading what became of it. `repeatable`: whether it may be sent once more without
    being done twice.
    """
    code, waits = (_code(error), error.retry_after) if isinstance(error, ApiError) else (503, None)
    after = pause(error) if repeatable else None
    problem = Problem(f"{_met(error)} {known}", str(error))
    return Refusal((problem,), code, title, waits, after, unsure=True, unread=unread)


def doubted(title: str, known: str) -> Refusal:
    """A write that got no clear answer, of which no reading tells any more whether it was done: the person decides."""
    return Refusal((Problem(known),), 409, title, unsure=True)


def unreadable(error: DocumentError) -> Refusal:
    """The text could not be taken as an object."""
    problem = Problem(error.message, line=error.line, column=error.column)
    return Refusal((problem,), 422, "The YAML cannot be read")


def mismatched(found: Iterable[Mismatch]) -> Refusal:
    """The text is about another object."""
    problems = tuple(Problem(each.words, path=each.path) for each in found)
    return Refusal(problems, 422, "The text is about another object than this page")


def disguised(places: Iterable[Path]) -> Refusal:
    """The text has dots where values were hidden."""
    words = "These dots stand for a value that pages hide. Put the value here, or open the editor again: it has them."
    return Refusal(tuple(Problem(words, path=path) for path in places), 422, "The text has dots in place of values")


def located(refusal: Refusal, document: Document) -> Refusal:
    """The same with each problem's place in the text filled in."""
    return replace(refusal, problems=tuple(_located(problem, document) for problem in refusal.problems))


def with_excerpts(refusal: Refusal, text: str) -> Refusal:
    """The same with the lines around each problem's place."""
    lines = text.replace("\r\n", "\n").split("\n")
    return replace(refusal, problems=tuple(_with_excerpt(problem, lines) for problem in refusal.problems))


def _located(problem: Problem, document: Document) -> Problem:
    if problem.line or not problem.path:
        return problem
    problem = replace(problem, path=as_held(document.value, problem.path))
    position = document.position(problem.path)
    return problem if position is None else replace(problem, line=position.line, column=position.column)


def _with_excerpt(problem: Problem, lines: list[str]) -> Problem:
    if not 0 < problem.line <= len(lines):
        return problem
    numbers = range(max(problem.line - 1, 1), min(problem.line + 1, len(lines)) + 1)
    return replace(
        problem, excerpt=tuple((number, lines[number - 1][:200], number == problem.line) for number in numbers)
    )


def _met(error: InformerdError) -> str:
    """What a write, or reading what became of it, met with, as sentences."""
    if isinstance(error, Unserved):
        return error.words
    if isinstance(error, CredentialsError):
        return "The credentials for the cluster could not be had."
    if isinstance(error, Unreachable):
        return "No answer came from the API server."
    if isinstance(error, Forbidden):
        return "The cluster's access rules do not let Deltaboard's account read what became of it."
    if isinstance(error, Unauthorized):
        return "The API server did not accept the credentials."
    if isinstance(error, TooManyRequests):
        return "The API server is busy and asks to come again later."
    return "The API server failed over it." if isinstance(error, ServerError | ServerTimeout) else "It was refused."


def _code(error: ApiError) -> int:
    return error.code if 400 <= error.code < 500 else 503


def _problems_of(error: ApiError) -> tuple[Problem, ...]:
    message = str(error)
    if isinstance(error, Invalid) and error.causes:
        return tuple(_of_cause(cause.field, cause.message) for cause in error.causes)
    strict = list(_STRICT.finditer(message))
    if strict:
        return tuple(
            Problem(
                "The schema has no such field." if each["what"] == "unknown" else "The field is given twice.",
                each[0],
                parse_path(each["field"]),
            )
            for each in strict
        )
    wrong_type = _GO_FIELD.search(message)
    if wrong_type is not None:
        found = _GO_TYPES.get(wrong_type["found"].partition(" ")[0], "This")
        hint = " A text like this stands in quotes." if _WANTS_TEXT.search(message) else ""
        return (Problem(f"{found} cannot stand here.{hint}", message, _go_path(wrong_type["field"])),)
    return (Problem(words_of(error), message, field_of(message)),)


def _go_path(field: str) -> Path:
    """The field that Go names by its type, if it has a name, and its own names: ``.labels`` is ``metadata.labels``."""
    kind, _, names = field.partition(".")
    path = parse_path(names)
    inside = kind in ("", "ObjectMeta") and path[:1] not in _AT_THE_TOP
    return ("metadata", *path) if inside else path


def _of_cause(field: str, message: str) -> Problem:
    fixed = "It cannot be changed any more: only a new object can have another." if _FIXED.search(message) else ""
    return Problem(fixed or rule_of(message), message, _cause_path(field, message))


def _cause_path(field: str, message: str) -> Path:
    """The field of a cause; structural schemas leave it out where alternatives failed, but name it in the message."""
    if field not in _NO_FIELD:
        return parse_path(field)
    quoted = _QUOTED_FIELD.search(message)
    return parse_path(quoted["field"]) if quoted is not None else field_of(message)
