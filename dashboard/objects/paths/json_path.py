"""Parser of JSONPath, as definitions of custom resources use it for printer columns.

It is kubectl's subset without ranges, slices, unions and recursion: ``.spec.port``, ``['app.example.com/x']``,
``.metadata.annotations.example\\.com/x``, ``[0]``, ``[-1]``, ``[*]``, ``[?(@.type=="Ready")]`` with ``==`` or ``!=``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

MAX_LENGTH = 1000
"""Maximum characters of a path."""

_STEP = re.compile(
    r"""\.?\[\s*(?P<index>-?\d{1,6})\s*\]"""
    r"""|\.?\[\s*(?P<all>\*)\s*\]|\.(?P<star>\*)(?=[.\[]|$)"""
    r"""|\.?\[\s*'(?P<single>[^']*)'\s*\]|\.?\[\s*"(?P<double>[^"]*)"\s*\]"""
    r"""|\.?\[\s*\?\(\s*@(?P<inner>[^=!<>\s()]*)\s*(?P<op>==|!=)\s*(?P<value>'[^']*'|"[^"]*"|[^\s'")]+)\s*\)\s*\]"""
    r"""|\.(?P<field>(?:\\.|[^.\[\]\\\s])+)"""
)


_SPECIAL = re.compile(r"[.\[\]\\\s]")


class InvalidJsonPath(ValueError):
    """The path is not in this subset of JSONPath; `rest` is the part that could not be read."""

    def __init__(self, message: str, rest: str) -> None:
        super().__init__(message)
        self.rest = rest


@dataclass(frozen=True, slots=True)
class _Filter:
    """The items in which `path` finds `value`, or, negated, something else."""

    path: JsonPath
    value: str
    equal: bool

    def keeps(self, item: Any) -> bool:
        texts = [self._text(each) for each in self.path.all(item)]
        return (texts[0] == self.value) is self.equal if texts else False

    @staticmethod
    def _text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value)

    def __str__(self) -> str:
        return f"[?(@{self.path.text}{'==' if self.equal else '!='}{self.value})]"


class _All:
    """Every item."""

    def __str__(self) -> str:
        return "[*]"


Step = str | int | _Filter | _All


class JsonPath:
    """A path, read once. Raises InvalidJsonPath where it is not in the subset."""

    def __init__(self, text: str) -> None:
        self._steps = tuple(_steps(text))

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def root(self) -> str:
        """The field that it begins with; empty where it begins with another step."""
        return self._steps[0] if self._steps and isinstance(self._steps[0], str) else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that it begins with, up to the first other step."""
        return tuple(cast("Iterable[str]", itertools.takewhile(lambda step: isinstance(step, str), self._steps)))

    @property
    def words(self) -> tuple[str, ...]:
        """Every name in it, and the values of its conditions."""
        filters = [step for step in self._steps if isinstance(step, _Filter)]
        names = [step for step in self._steps if isinstance(step, str)]
        return (*names, *(word for each in filters for word in (*each.path.words, each.value)))

    @property
    def text(self) -> str:
        """Canonical text of the path."""
        return "".join(map(_written, self._steps))

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its parts; a text is the name of a field, a number the position in a list."""
        return self._steps

    def prefix(self, steps: int) -> JsonPath:
        """The path's first steps."""
        return self._of(self._steps[:steps])

    def after(self, steps: int) -> JsonPath:
        """The path without its first steps."""
        return self._of(self._steps[steps:])

    @classmethod
    def _of(cls, steps: tuple[Step, ...]) -> JsonPath:
        path = cls("")
        path._steps = steps
        return path

    def all(self, value: Any) -> list[Any]:
        """All values at the path. A missing field or one of another type gives none."""
        values = [value]
        for step in self._steps:
            values = [each for value_at in values for each in _next(value_at, step)]
        return values

    def first(self, value: Any) -> Any:
        """The first value at the path; None where there is none, as in kubectl."""
        values = self.all(value)
        return values[0] if values else None


def format_name_step(name: str) -> str:
    """The step to the field of that name, as a path has it."""
    return "." + _SPECIAL.sub(lambda match: "\\" + match.group(), name)


def _steps(text: str) -> Iterator[Step]:
    path = text.strip()
    if path.startswith("{") and path.endswith("}"):
        path = path[1:-1].strip()
    path = path.removeprefix("$")
    if path and path[0] not in ".[":
        path = f".{path}"
    if len(path) > MAX_LENGTH:
        raise InvalidJsonPath(f"a path of {len(path)} characters", path[MAX_LENGTH:])
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or match.end() == at:
            raise InvalidJsonPath(f"{text!r} cannot be read from {path[at : at + 20]!r} on", path[at:])
        yield _step(match)
        at = match.end()


def _written(step: Step) -> str:
    if isinstance(step, str):
        return format_name_step(step)
    return f"[{step}]" if isinstance(step, int) else str(step)


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return int(match["index"])
    if match["all"] or match["star"]:
        return _All()
    if match["op"]:
        return _Filter(JsonPath(match["inner"]), match["value"].strip("'\""), match["op"] == "==")
    for name in ("single", "double"):
        if match[name] is not None:
            return match[name]
    return re.sub(r"\\(.)", r"\1", match["field"])


def _next(value: Any, step: Step) -> Iterator[Any]:
    if isinstance(step, str):
        if isinstance(value, dict) and step in value:
            yield value[step]
    elif isinstance(step, int):
        if isinstance(value, list) and -len(value) <= step < len(value):
            yield value[step]
    else:
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        yield from (item for item in items if isinstance(step, _All) or step.keeps(item))
