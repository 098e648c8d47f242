"""Conflicts of an edit as questions, one for each field."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.objects.fields.field_access import ABSENT, Value, format_path
from dashboard.objects.manifests.yaml_writer import dump
from dashboard.objects.merge.three_way import Conflict, MergeResult, Side
from dashboard.pages.edit.form_data import choice_name


@dataclass(frozen=True, slots=True)
class ConflictQuestion:
    """A conflict as a question of the page."""

    name: str
    """Name of the radio inputs."""
    field: str
    base: str
    theirs: str
    mine: str
    chosen_side: Side | None


def conflict_questions(merge: MergeResult) -> list[ConflictQuestion]:
    """All open and answered questions, by their fields."""
    questions = [_question(conflict, None) for conflict in merge.conflicts]
    questions += [_question(conflict, side) for conflict, side in merge.resolved]
    return sorted(questions, key=lambda question: question.field)


def _question(conflict: Conflict, chosen: Side | None) -> ConflictQuestion:
    return ConflictQuestion(
        choice_name(conflict.path),
        format_path(conflict.path),
        _value_text(conflict.base),
        _value_text(conflict.theirs),
        _value_text(conflict.mine),
        chosen,
    )


def _value_text(value: Value) -> str:
    """A value in a question: YAML, or a word where it is missing."""
    return "not there" if value is ABSENT else dump(value).rstrip("\n")
