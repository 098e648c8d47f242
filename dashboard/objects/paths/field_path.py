"""Field paths, in the syntax of kubectl's custom columns: ``.spec.nodeName``.

A path begins with a field's name. Then come names (``.status.phase``; a dot inside a name has a backslash before it, as
in ``.metadata.labels.app\\.kubernetes\\.io/name``), positions in a list (``[0]``, ``[-1]`` for the last), everything in
a list or map (``[*]``) and conditions (``[?(@.type==Ready)]``). One path has one text, whichever way it was typed.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from dashboard.objects.paths.json_path import InvalidJsonPath, JsonPath

MAX_LENGTH = 250
"""Maximum characters of a path."""
MOST_STEPS = 30
NONE_TEXT = "<none>"
"""What is printed where an object has no such field; kubectl's word."""
EXAMPLE_PATHS = ".spec.ip or .spec.containers[*].image"

Value = str | int | float | bool
Values = tuple[Value, ...]
"""Values at a path in one object, in order; empty where there are none. Maps, and lists in lists, are JSON."""

_ODD = re.compile(r"[\s,=<>!\"'*{}\\\x00-\x1f]")
"""Characters that names and values of conditions cannot have: they have another meaning in a filter and in an
address.
"""
_GO_WRITES_OUT = 1e21
"""Smaller floats are written without an exponent by Go."""


class InvalidPath(ValueError):
    """The text is not a path; `start` and `end` are the position of the mistake, and the message is what was
    expected.
    """

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


class FieldPath:
    """A path, read once; equal to others of the same text. Raises InvalidPath where the text is not a path.

    ``spec.ip``, ``{.spec.ip}`` and ``$.spec['ip']`` are ``.spec.ip``.
    """

    __slots__ = ("_path", "text")

    def __init__(self, text: str) -> None:
        self._path = _read(text)
        self.text = self._path.text
        """Its canonical text."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names at its beginning, at least one, up to the first step that is not a name."""
        return self._path.names

    @property
    def json_path(self) -> JsonPath:
        """The parsed path."""
        return self._path

    def values(self, obj: Any) -> Values:
        """The values at the path in an object."""
        return to_values(self._path.all(obj))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldPath) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"FieldPath({self.text!r})"


def looks_like_path(text: str) -> bool:
    """Whether the text is meant as a path rather than the name of a column."""
    return text.startswith((".", "{", "$")) or "." in text or "[" in text


def to_values(nodes: list[Any]) -> Values:
    """The found values as they are kept: a list stands for its items, null for nothing."""
    values: list[Value] = []
    for each in nodes:
        if isinstance(each, list) and each:
            values += [_value(item) for item in each]
        elif each is not None:
            values.append(_value(each))
    return tuple(values)


def format_values(values: Values) -> str:
    """Values as a cell shows them: several with commas between them, ``<none>`` for nothing."""
    if not values:
        return NONE_TEXT
    return ",".join([format_value(value) for value in values])


def format_value(value: Value) -> str:
    """One value as kubectl prints it, which is Go's fmt.Sprint."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _GO_WRITES_OUT:
        return str(int(value))
    return str(value)


def _value(value: Any) -> Value:
    if isinstance(value, str | int | float):
        return value
    return msgspec.json.encode(value).decode()


def _read(text: str) -> JsonPath:
    if len(text) > MAX_LENGTH:
        raise InvalidPath(f"A path has {MAX_LENGTH} characters at most.", MAX_LENGTH, len(text))
    try:
        path = JsonPath(text)
    except InvalidJsonPath as error:
        end = len(text.rstrip().removesuffix("}"))
        start = max(0, min(end - 1, end - len(error.rest)))
        raise InvalidPath(_expected(error.rest), start, end) from None
    if not path.names:
        raise InvalidPath(f"Begin with the name of a field, as in {EXAMPLE_PATHS}.", 0, len(text))
    if len(path) > MOST_STEPS:
        raise InvalidPath(f"A path has {MOST_STEPS} steps at most.", 0, len(text))
    for word in path.words:
        if odd := _ODD.search(word):
            at = max(0, text.find(odd.group()))
            raise InvalidPath(f"A name in a path cannot have {odd.group()!r} in it.", at, at + 1)
    return path


def _expected(rest: str) -> str:
    """What was expected where the rest of a path is invalid."""
    if rest.startswith(".."):
        return "Write a name between the dots: a path does not look through all levels at once (..)."
    if rest == ".":
        return f"Write a field's name after the dot, as in {EXAMPLE_PATHS}."
    if rest.startswith(("[", ".[")) and "]" not in rest:
        return "Write a closing bracket ]."
    if rest.startswith(("[", ".[")):
        return "Write a position, a star or a condition in the brackets, as in [0], [*] or [?(@.type==Ready)]."
    if rest.startswith((".\\", "\\")):
        return "Write a dot after the backslash, as in .metadata.labels.app\\.kubernetes\\.io/name."
    return f"Write a field's path, as in {EXAMPLE_PATHS}."
