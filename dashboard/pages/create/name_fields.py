"""The inputs for name and namespace beside the text of a new object. The text is the one model: they write into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.edits.document import Document, parse
from dashboard.edits.fields import ABSENT, Value, get, put, same, show
from dashboard.edits.problems import Problem
from dashboard.edits.rewrite import rewrite

NAME: tuple[str, str] = ("metadata", "name")
NAMESPACE: tuple[str, str] = ("metadata", "namespace")
_DISAGREE = "The input and the YAML were both changed, and differ. Make them agree."


@dataclass(frozen=True, slots=True)
class NameField:
    """One input. `value` is what it shows, `shown` what it showed before the person typed."""

    path: tuple[str, str]
    value: str
    shown: str
    help: str
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """Of the input: ``field.metadata.name``."""
        return f"field.{self.label}"

    @property
    def label(self) -> str:
        return show(self.path)

    @property
    def short_label(self) -> str:
        return self.path[1]


def name_fields(
    value: Mapping[str, Value],
    *,
    namespaced: bool,
    posted: Mapping[str, str],
    problems: tuple[Problem, ...] = (),
) -> tuple[NameField, ...]:
    """The inputs for `value`; `posted` keeps what a person typed where it is not in the text."""
    said = {NAME: "Lower-case letters, digits and hyphens; for most kinds dots, too.", NAMESPACE: "Where it is made."}
    fields: list[NameField] = []
    for path in (NAME, NAMESPACE) if namespaced else (NAME,):
        now = _text(get(value, path))
        typed, shown = _typed(posted, path)
        keep = typed != shown
        own = tuple(problem for problem in problems if problem.path == path)
        fields.append(NameField(path, typed if keep else now, shown if keep else now, said[path], own))
    return tuple(fields)


def apply_names(document: Document, posted: Mapping[str, str]) -> tuple[Document, tuple[Problem, ...]]:
    """The document with what was typed into the inputs written into its text; and what could not be."""
    problems: list[Problem] = []
    value = document.value
    for path in (NAME, NAMESPACE):
        typed, shown = _typed(posted, path)
        wanted: Value = typed.strip() or ABSENT
        if typed == shown or same(get(value, path), wanted):
            continue
        if _text(get(value, path)) != shown:
            problems.append(Problem(_DISAGREE, path=path))
        else:
            value = put(value, path, wanted)
    return (document if value is document.value else parse(rewrite(document, value))), tuple(problems)


def _typed(posted: Mapping[str, str], path: tuple[str, str]) -> tuple[str, str]:
    shown = posted.get(f"shown.{show(path)}", "")
    return posted.get(f"field.{show(path)}", shown), shown


def _text(value: Value) -> str:
    return "" if value in (ABSENT, None) else str(value)
