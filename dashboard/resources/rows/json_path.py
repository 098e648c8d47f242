"""JSONPath as definitions of custom resources use it for printer columns.

That is kubectl's subset without ranges, slices, unions and recursion: ``.spec.port``, ``['app.example.com/x']``,
``.metadata.annotations.example\\.com/x``, ``[0]``, ``[-1]``, ``[*]``, ``[?(@.type=="Ready")]`` with ``==`` or ``!=``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LONGEST = 1000
"""Characters of a path that are read."""

_STEP = re.compile(
    r"""\.?\[\s*(?P<index>-?\d{1,6})\s*\]"""
    r"""|\.?\[\s*(?P<all>\*)\s*\]|\.(?P<star>\*)(?=[.\[]|$)"""
    r"""|\.?\[\s*'(?P<single>[^']*)'\s*\]|\.?\[\s*"(?P<double>[^"]*)"\s*\]"""
    r"""|\.?\[\s*\?\(\s*@(?P<inner>[^=!<>\s()]*)\s*(?P<op>==|!=)\s*(?P<value>'[^']*'|"[^"]*"|[^\s'")]+)\s*\)\s*\]"""
    r"""|\.(?P<field>(?:\\.|[^.\[\]\\\s])+)"""
)


class UnreadablePath(ValueError):
    """The path is no JSONPath of this subset."""


@dataclass(frozen=True, slots=True)
class _Filter:
    """Keeps those items in which `path` finds `value`, or, negated, something else."""

    path: JsonPath
    value: str
    equal: bool

    def keeps(self, item: Any) -> bool:
        found = [self._text(each) for each in self.path.all(item)]
        return (found[0] == self.value) is self.equal if found else False

    @staticmethod
    def _text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value)


class _All:
    """Every item."""


Step = str | int | _Filter | _All


class JsonPath:
    """A path, read once. Raises UnreadablePath for what it has no meaning for."""

    def __init__(self, text: str) -> None:
        self._steps = tuple(_steps(text))

    @property
    def root(self) -> str:
        """The field that it begins with; empty where it begins with none."""
        return self._steps[0] if self._steps and isinstance(self._steps[0], str) else ""

    def all(self, value: Any) -> list[Any]:
        """All that it leads to. What is not there, or of another type, leads to nothing."""
        found = [value]
        for step in self._steps:
            found = [each for one in found for each in _next(one, step)]
        return found

    def first(self, value: Any) -> Any:
        """The first value that it leads to; None where there is none, as kubectl has it."""
        found = self.all(value)
        return found[0] if found else None


def _steps(text: str) -> Iterator[Step]:
    path = text.strip()
    if path.startswith("{") and path.endswith("}"):
        path = path[1:-1].strip()
    path = path.removeprefix("$")
    if path and path[0] not in ".[":
        path = f".{path}"
    if len(path) > LONGEST:
        raise UnreadablePath(f"a path of {len(path)} characters")
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or match.end() == at:
            raise UnreadablePath(f"{text!r} cannot be read from {path[at : at + 20]!r} on")
        yield _step(match)
        at = match.end()


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
