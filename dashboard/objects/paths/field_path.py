"""Field paths: any field of an object by its place in it, as kubectl's custom columns name it: ``.spec.nodeName``.

A path begins with a field's name. Then come names (``.status.phase``; a dot inside a name has a backslash before it, as
in ``.metadata.labels.app\\.kubernetes\\.io/name``), places in a list (``[0]``, ``[-1]`` for the last), everything in a
list or map (``[*]``) and conditions (``[?(@.type==Ready)]``). One path has one text, whichever way it was typed.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from dashboard.resources.rows.json_path import JsonPath, UnreadablePath

LONGEST = 250
"""Characters of a path."""
MOST_STEPS = 30
NONE = "<none>"
"""What is printed where an object has no such field; kubectl's word."""
EXAMPLES = ".spec.ip or .spec.containers[*].image"

Value = str | int | float | bool
Values = tuple[Value, ...]
"""What a path leads to in one object, in order; empty where it leads to nothing. Maps, and lists in lists, are JSON."""

_ODD = re.compile(r"[\s,=<>!\"'*{}\\\x00-\x1f]")
"""What no name and no condition's value may hold: in a filter and in an address it means something else."""
_GO_WRITES_OUT = 1e21
"""Below it Go writes a float without an exponent."""


class WrongPath(ValueError):
    """No path; `start` and `end` are the place of the mistake in the text, and the message says what was expected."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


class FieldPath:
    """A path, read once; equal to others of the same text. Raises WrongPath for what is none.

    ``spec.ip``, ``{.spec.ip}`` and ``$.spec['ip']`` are ``.spec.ip``.
    """

    __slots__ = ("_path", "text")

    def __init__(self, text: str) -> None:
        self._path = _read(text)
        self.text = self._path.text
        """The one way of writing it down."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it begins with, one at least, up to the first step that is none."""
        return self._path.names

    @property
    def json_path(self) -> JsonPath:
        """The path, to be taken apart."""
        return self._path

    def values(self, obj: Any) -> Values:
        """What it leads to in an object."""
        return values_of(self._path.all(obj))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldPath) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"FieldPath({self.text!r})"


def looks_like_path(text: str) -> bool:
    """Whether somebody who wrote this meant a path rather than the name of a column."""
    return text.startswith((".", "{", "$")) or "." in text or "[" in text


def values_of(found: list[Any]) -> Values:
    """What was found, in the form in which it is kept: a list stands for its items, null for nothing."""
    values: list[Value] = []
    for each in found:
        if isinstance(each, list) and each:
            values += [_value(item) for item in each]
        elif each is not None:
            values.append(_value(each))
    return tuple(values)


def printed(values: Values) -> str:
    """As a cell shows it: several with commas between them, ``<none>`` for nothing."""
    if not values:
        return NONE
    return ",".join([value_text(value) for value in values])


def value_text(value: Value) -> str:
    """One value as kubectl prints it, that is as Go's fmt.Sprint has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _GO_WRITES_OUT:
        return str(int(value))
    return str(value)


def _value(found: Any) -> Value:
    if isinstance(found, str | int | float):
        return found
    return msgspec.json.encode(found).decode()


def _read(text: str) -> JsonPath:
    if len(text) > LONGEST:
        raise WrongPath(f"a path has {LONGEST} characters at most", LONGEST, len(text))
    try:
        path = JsonPath(text)
    except UnreadablePath as error:
        end = len(text.rstrip().removesuffix("}"))
        start = max(0, min(end - 1, end - len(error.rest)))
        raise WrongPath(_expected(error.rest), start, end) from None
    if not path.names:
        raise WrongPath(f"expected the name of a field first, as in {EXAMPLES}", 0, len(text))
    if len(path) > MOST_STEPS:
        raise WrongPath(f"a path has {MOST_STEPS} steps at most", 0, len(text))
    for word in path.words:
        if odd := _ODD.search(word):
            at = max(0, text.find(odd.group()))
            raise WrongPath(f"a name in a path cannot have {odd.group()!r} in it", at, at + 1)
    return path


def _expected(rest: str) -> str:
    """What should have stood where the rest of a path makes no sense."""
    if rest.startswith(".."):
        return "expected a name between the dots: all levels at once (..) are not looked through"
    if rest == ".":
        return f"expected a field's name after the dot, as in {EXAMPLES}"
    if rest.startswith(("[", ".[")) and "]" not in rest:
        return "expected a closing bracket ]"
    if rest.startswith(("[", ".[")):
        return "expected a place, a star or a condition in the brackets, as in [0], [*] or [?(@.type==Ready)]"
    if rest.startswith((".\\", "\\")):
        return "expected a dot after the backslash, as in .metadata.labels.app\\.kubernetes\\.io/name"
    return f"expected a field's path, as in {EXAMPLES}"
