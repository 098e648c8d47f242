"""Inputs for name and namespace of a new object; they write into the text, which is the only model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.objects.fields.field_access import ABSENT, Value, format_path, get, put, same
from dashboard.objects.manifests.document import Document, parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.problems.write_refusal import Problem

NAME: tuple[str, str] = ("metadata", "name")
NAMESPACE: tuple[str, str] = ("metadata", "namespace")
_DISAGREE = "The input and the YAML were both changed and differ. Make them equal."


@dataclass(frozen=True, slots=True)
class NameField:
    """One input. `value` is its current value, `initial` its value before the user typed."""

    path: tuple[str, str]
    value: str
    initial: str
    help: str
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """Name of the input: ``field.metadata.name``."""
        return f"field.{self.label}"

    @property
    def label(self) -> str:
        return format_path(self.path)

    @property
    def short_label(self) -> str:
        return self.path[1]


def name_fields(
    value: Mapping[str, Value],
    *,
    namespaced: bool,
    form_data: Mapping[str, str],
    problems: tuple[Problem, ...] = (),
) -> tuple[NameField, ...]:
    """The inputs for `value`; `form_data` has input that is not in the text yet."""
    help_texts = {
        NAME: "Lower-case letters, digits and hyphens; most kinds also allow dots.",
        NAMESPACE: "Namespace of the new object.",
    }
    fields: list[NameField] = []
    for path in (NAME, NAMESPACE) if namespaced else (NAME,):
        now = _text(get(value, path))
        typed, shown = _typed(form_data, path)
        keep = typed != shown
        own = tuple(problem for problem in problems if problem.path == path)
        fields.append(NameField(path, typed if keep else now, shown if keep else now, help_texts[path], own))
    return tuple(fields)


def apply_names(document: Document, form_data: Mapping[str, str]) -> tuple[Document, tuple[Problem, ...]]:
    """The document with the inputs written into its text; and the inputs that could not be written."""
    problems: list[Problem] = []
    value = document.value
    for path in (NAME, NAMESPACE):
        typed, shown = _typed(form_data, path)
        wanted: Value = typed.strip() or ABSENT
        if typed == shown or same(get(value, path), wanted):
            continue
        if _text(get(value, path)) != shown:
            problems.append(Problem(_DISAGREE, path=path))
        else:
            value = put(value, path, wanted)
    return (document if value is document.value else parse(rewrite(document, value))), tuple(problems)


def _typed(form_data: Mapping[str, str], path: tuple[str, str]) -> tuple[str, str]:
    shown = form_data.get(f"shown.{format_path(path)}", "")
    return form_data.get(f"field.{format_path(path)}", shown), shown


def _text(value: Value) -> str:
    return "" if value in (ABSENT, None) else str(value)
