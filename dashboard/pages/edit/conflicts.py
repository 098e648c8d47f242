"""A conflict as questions, field by field."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.edits.fields import ABSENT, Value, show
from dashboard.edits.merge import Conflict, Merge, Side
from dashboard.edits.posted import choice_name
from dashboard.resources.yaml_text import dump


@dataclass(frozen=True, slots=True)
class Question:
    """A conflict as the page asks about it."""

    name: str
    """Of the radio inputs."""
    field: str
    base: str
    theirs: str
    mine: str
    chosen: Side | None


def questions_of(merge: Merge) -> list[Question]:
    """All that are asked or were answered, by their fields."""
    found = [_question(conflict, None) for conflict in merge.conflicts]
    found += [_question(conflict, side) for conflict, side in merge.settled]
    return sorted(found, key=lambda question: question.field)


def _question(conflict: Conflict, chosen: Side | None) -> Question:
    return Question(
        choice_name(conflict.path),
        show(conflict.path),
        _shown(conflict.base),
        _shown(conflict.theirs),
        _shown(conflict.mine),
        chosen,
    )


def _shown(value: Value) -> str:
    """A value in a question: YAML, or a word where there is none."""
    return "not there" if value is ABSENT else dump(value).rstrip("\n")
