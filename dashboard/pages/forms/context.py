"""Form context: object, base, and form input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.objects.fields.field_access import ABSENT, Path, Value
from dashboard.objects.problems.write_refusal import Problem
from dashboard.pages.forms.controls import input_text, normalize_newlines
from dashboard.pages.forms.input_names import FIELD, INITIAL

LineOf = Callable[[Path], int]


@dataclass(frozen=True, slots=True)
class FormContext:
    """Input of the form builder, in addition to the schema."""

    value: Mapping[str, Value]
    base: Mapping[str, Value]
    """The object when the edit started; empty where the object is new."""
    form_data: Mapping[str, str]
    """Form input that is not in the text yet."""
    problems: tuple[Problem, ...] = ()
    line_of: LineOf = lambda _: 0
    """Line of a field in the text, from 1; 0: none."""
    part: str = "spec"
    """``status`` for the form of a status."""

    def unapplied_input(self, name: str) -> tuple[str | None, str | None]:
        """The input and the earlier value of a field, where the two differ."""
        typed, shown = self.form_data.get(FIELD + name), self.form_data.get(INITIAL + name)
        if typed is None or shown is None or normalize_newlines(typed) == normalize_newlines(shown):
            return None, None
        return normalize_newlines(typed), normalize_newlines(shown)

    def problems_by_path(self) -> dict[Path, tuple[Problem, ...]]:
        """Problems by their field, and by all its parents, which must be shown for it."""
        problems: dict[Path, tuple[Problem, ...]] = {}
        for problem in self.problems:
            for end in range(1, len(problem.path) + 1):
                path = problem.path[:end]
                problems[path] = (*problems.get(path, ()), problem)
        return problems


def previous_text(before: Value, value: Value) -> str:
    """The base's value of a field, where the text has another plain value; else empty."""
    if before is ABSENT or isinstance(before, dict | list) or isinstance(value, dict | list):
        return ""
    text = input_text(before)
    return text if text != input_text(value) else ""
