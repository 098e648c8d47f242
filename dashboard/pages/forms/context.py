"""What a form is made of beside the schema: the object, what the edit began with, and what was typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.edits.fields import ABSENT, Path, Value
from dashboard.edits.forms.controls import lf, text_of
from dashboard.edits.input_names import FIELD, SHOWN
from dashboard.edits.problems import Problem

Position = Callable[[Path], int]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a form is made of, beside the schema."""

    value: Mapping[str, Value]
    base: Mapping[str, Value]
    """What the edit began with; empty where the object is new."""
    posted: Mapping[str, str]
    """What was typed and is not in the text."""
    problems: tuple[Problem, ...] = ()
    line: Position = lambda _: 0
    """Where a field stands in the text, counted from 1; 0: nowhere."""
    part: str = "spec"
    """``status`` for the form of a status."""

    def kept(self, name: str) -> tuple[str | None, str | None]:
        """What was typed and what the input had shown, where the two differ."""
        typed, shown = self.posted.get(FIELD + name), self.posted.get(SHOWN + name)
        if typed is None or shown is None or lf(typed) == lf(shown):
            return None, None
        return lf(typed), lf(shown)

    def below(self) -> dict[Path, tuple[Problem, ...]]:
        """Problems by the field they are about, and by all that this stands in, which has to be shown for it."""
        found: dict[Path, tuple[Problem, ...]] = {}
        for problem in self.problems:
            for end in range(1, len(problem.path) + 1):
                path = problem.path[:end]
                found[path] = (*found.get(path, ()), problem)
        return found


def was(before: Value, value: Value) -> str:
    """What the base had of a field, where the text has another plain value; else nothing."""
    if before is ABSENT or isinstance(before, dict | list) or isinstance(value, dict | list):
        return ""
    text = text_of(before)
    return text if text != text_of(value) else ""
