"""Refusal of a write in words: each problem that the API server, or the text itself, has with it, with its field and
position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType

from dashboard.objects.fields.field_access import ABSENT, Path, Value, format_path, parse_path, resolve_path
from dashboard.objects.manifests.document import Document, DocumentError
from dashboard.objects.manifests.yaml_writer import scalar_yaml
from dashboard.objects.problems.api_error_explanations import explanation_of, field_of, is_lasting, rule_of, title_of
from dashboard.objects.problems.version_not_served import VersionNotServed
from dashboard.runtime.read_only import READ_ONLY_REASON, READ_ONLY_TITLE, ReadOnlyMode
from dashboard.runtime.request_retry import retry_delay
from informerd.errors import (
    ApiError,
    CallRefused,
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


def _value_text(value: Value) -> str:
    if isinstance(value, dict | list):
        return "made of fields" if isinstance(value, dict) else "a list"
    return f"“{value if isinstance(value, str) else scalar_yaml(value)}”"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The text names another object or field than the address does."""

    path: Path
    actual: Value
    expected: str
    page_verb: str = "edits"
    """The page's verb for what it does with the expected object."""

    @property
    def words(self) -> str:
        is_missing = self.actual is ABSENT or self.actual is None
        actual = "missing" if is_missing else f"{_value_text(self.actual)} in the text"
        if self.page_verb == "holds":
            return "Only the status is edited on this page. Remove this: it would not be written. Nothing was sent."
        if self.path[-1] in ("uid", "resourceVersion"):
            return f"It is {actual}, but this page edits “{self.expected}”. Take the line out, or open the page again."
        return f"It is {actual}, but this page {self.page_verb} “{self.expected}”. Nothing was sent."


_STRICT = re.compile(r"(?P<what>unknown|duplicate) field \"(?P<field>[^\"]+)\"")
_GO_FIELD = re.compile(r"json: cannot unmarshal (?P<found>.{1,200}?) into Go (?:struct field|value) (?P<field>\S+)")
_WANTS_TEXT = re.compile(r"cannot unmarshal (?:number|bool).{0,400} of type string")
_GO_TYPES: Mapping[str, str] = MappingProxyType(
    {"array": "A list", "object": "A map", "string": "A text", "number": "A number", "bool": "True or false"}
)
"""encoding/json's names for JSON types."""
_AT_THE_TOP = frozenset({(), ("apiVersion",), ("kind",), ("metadata",), ("spec",), ("status",)})
"""Fields that Go names without a type, or by the type of metadata, but that are not in metadata."""
_QUOTED_FIELD = re.compile(r"\"(?P<field>[a-z][\w.\[\]/-]*)\" must ")
_FIXED = re.compile(
    r"field is immutable|(may not|must not|cannot) be changed|updates to .{0,1000}? are forbidden", re.IGNORECASE
)
_NO_FIELD = ("", "<nil>", "[]")
MAX_PROBLEMS = 100
"""Maximum problems of one refusal: the API server names every field of a list of thousands."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `server_message` is the API server's text, unchanged; empty where Deltaboard found the problem."""

    words: str
    """Deltaboard's text in plain words; may be empty where `server_message` is enough."""
    server_message: str = ""
    path: Path = ()
    """The field it is about; empty for the whole object."""
    line: int = 0
    """Position of that field in the text, counted from 1; 0: none."""
    column: int = 0
    excerpt: tuple[tuple[int, str, bool], ...] = ()
    """Lines around that position: number, text, whether it is the line itself."""
    anchor: str = ""
    """The id of its form field; empty where the form does not show it."""

    @property
    def field(self) -> str:
        return format_path(self.path)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why nothing was written (but see `unsure`)."""

    problems: tuple[Problem, ...]
    code: int
    """The status that the page has."""
    title: str
    retry_after: float | None = None
    """Seconds that the API server asks to wait before the next attempt."""
    auto_retry_after: float | None = None
    """Seconds until the same request may be repeated automatically; None where a repeat would change nothing."""
    unsure: bool = False
    """Whether something may have been written all the same."""
    is_unverified: bool = False
    """Whether the result could not be read from the API server."""
    trace: str = ""
    """What the next attempt needs to know of this one (request_retry.LOST_INPUT), beside a missing answer."""

    @property
    def by_server(self) -> bool:
        """Whether the refusal is the API server's, and not this program's."""
        return any(problem.server_message for problem in self.problems)


def refusal_of(error: InformerdError) -> Refusal:
    """The refusal for an error of the client, in the words of a user who edits."""
    if isinstance(error, ReadOnlyMode):
        return read_only_refusal()
    if isinstance(error, ApiError):
        after = None if is_lasting(str(error)) else retry_delay(error)
        return Refusal(_problems_of(error), _code(error), title_of(error), error.retry_after, after)
    if isinstance(error, CallRefused):
        return Refusal((Problem(str(error)),), 503, "Not sent")
    if isinstance(error, InvalidCall):
        return Refusal((Problem(f"The API server cannot be asked for this: {error}."),), 422, "Not sent")
    if isinstance(error, CredentialsError):
        return Refusal(
            (Problem("The credentials for the cluster could not be obtained.", str(error)),), 503, "Not sent"
        )
    problem = Problem("No answer came from the API server.", str(error))
    return Refusal((problem,), 503, "The API server is unreachable", auto_retry_after=retry_delay(error))


def read_only_refusal() -> Refusal:
    """The refusal of read-only mode: nothing was sent."""
    return Refusal((Problem(READ_ONLY_REASON),), 403, READ_ONLY_TITLE)


def unanswered_refusal(
    error: InformerdError, title: str, facts: str, *, is_unverified: bool = False, repeatable: bool = True
) -> Refusal:
    """The refusal for a write with an unknown result; `facts` says what is known, as sentences.

    `error` came to the write, or to reading what became of it. `repeatable`: whether it may be sent once more without
    being done twice.
    """
    code, waits = (_code(error), error.retry_after) if isinstance(error, ApiError) else (503, None)
    after = retry_delay(error) if repeatable else None
    problem = Problem(f"{_error_text(error)} {facts}", str(error))
    return Refusal((problem,), code, title, waits, after, unsure=True, is_unverified=is_unverified)


def uncertain_refusal(title: str, facts: str) -> Refusal:
    """The refusal for a write whose result no reading can tell any more: the user decides."""
    return Refusal((Problem(facts),), 409, title, unsure=True)


def unreadable_refusal(error: DocumentError) -> Refusal:
    """The refusal for a text that is not an object."""
    problem = Problem(error.message, line=error.line, column=error.column)
    return Refusal((problem,), 422, "The YAML cannot be read")


def mismatch_refusal(mismatches: Iterable[Mismatch]) -> Refusal:
    """The refusal for a text about another object."""
    problems = tuple(Problem(each.words, path=each.path) for each in mismatches)
    return Refusal(problems, 422, "The text is about another object than this page")


def masked_refusal(places: Iterable[Path]) -> Refusal:
    """The refusal for a text with dots where values were hidden."""
    words = "These dots stand for a value that pages hide. Write the value here, or open the editor again."
    return Refusal(tuple(Problem(words, path=path) for path in places), 422, "The text has dots in place of values")


def locate(refusal: Refusal, document: Document) -> Refusal:
    """The refusal with the position of each problem in the text."""
    return replace(refusal, problems=tuple(_located(problem, document) for problem in refusal.problems))


def with_excerpts(refusal: Refusal, text: str) -> Refusal:
    """The refusal with the lines around each problem's position."""
    lines = text.replace("\r\n", "\n").split("\n")
    return replace(refusal, problems=tuple(_with_excerpt(problem, lines) for problem in refusal.problems))


def _located(problem: Problem, document: Document) -> Problem:
    if problem.line or not problem.path:
        return problem
    problem = replace(problem, path=resolve_path(document.value, problem.path))
    position = document.position(problem.path)
    return problem if position is None else replace(problem, line=position.line, column=position.column)


def _with_excerpt(problem: Problem, lines: list[str]) -> Problem:
    if not 0 < problem.line <= len(lines):
        return problem
    numbers = range(max(problem.line - 1, 1), min(problem.line + 1, len(lines)) + 1)
    return replace(
        problem, excerpt=tuple((number, lines[number - 1][:200], number == problem.line) for number in numbers)
    )


def _error_text(error: InformerdError) -> str:
    """The error of a write, or of reading its result, as sentences."""
    if isinstance(error, VersionNotServed):
        return error.words
    if isinstance(error, CredentialsError):
        return "The credentials for the cluster could not be obtained."
    if isinstance(error, Unreachable):
        return "No answer came from the API server."
    if isinstance(error, Forbidden):
        return "The cluster's access rules do not let Deltaboard's account read what became of it."
    if isinstance(error, Unauthorized):
        return "The API server did not accept the credentials."
    if isinstance(error, TooManyRequests):
        return "The API server is busy and asks you to try again later."
    return (
        "The API server failed while handling it."
        if isinstance(error, ServerError | ServerTimeout)
        else "It was refused."
    )


def _code(error: ApiError) -> int:
    return error.code if 400 <= error.code < 500 else 503


def _problems_of(error: ApiError) -> tuple[Problem, ...]:
    message = str(error)
    if isinstance(error, Invalid) and error.causes:
        causes = (_of_cause(cause.field, cause.message) for cause in error.causes)
        return _first_of(causes, len(error.causes))
    strict = list(_STRICT.finditer(message))
    if strict:
        unknown = (
            Problem(
                "The schema has no such field." if each["what"] == "unknown" else "The field is given twice.",
                each[0],
                parse_path(each["field"]),
            )
            for each in strict
        )
        return _first_of(unknown, len(strict))
    wrong_type = _GO_FIELD.search(message)
    if wrong_type is not None:
        type_name = _GO_TYPES.get(wrong_type["found"].partition(" ")[0], "This")
        hint = " A text like this stands in quotes." if _WANTS_TEXT.search(message) else ""
        return (Problem(f"{type_name} cannot stand here.{hint}", message, _go_path(wrong_type["field"])),)
    return (Problem(explanation_of(error), message, field_of(message)),)


def _first_of(problems: Iterable[Problem], number: int) -> tuple[Problem, ...]:
    """The first MAX_PROBLEMS of so many problems, and how many more there are."""
    first = tuple(islice(problems, MAX_PROBLEMS))
    more = number - len(first)
    if not more:
        return first
    return (*first, Problem(f"And {more:,} more {'problem' if more == 1 else 'problems'}, shown once these are gone."))


def _go_path(field: str) -> Path:
    """The field that Go names by its type, if it has a name, and its own names: ``.labels`` is ``metadata.labels``."""
    kind, _, names = field.partition(".")
    path = parse_path(names)
    inside = kind in ("", "ObjectMeta") and path[:1] not in _AT_THE_TOP
    return ("metadata", *path) if inside else path


def _of_cause(field: str, message: str) -> Problem:
    fixed = (
        "It cannot be changed any more. To use another value, create a new object." if _FIXED.search(message) else ""
    )
    return Problem(fixed or rule_of(message), message, _cause_path(field, message))


def _cause_path(field: str, message: str) -> Path:
    """The field of a cause; structural schemas omit it where alternatives failed, but name it in the message."""
    if field not in _NO_FIELD:
        return parse_path(field)
    quoted = _QUOTED_FIELD.search(message)
    return parse_path(quoted["field"]) if quoted is not None else field_of(message)
