"""Objections as the editor's script marks them in the text: a place and one sentence each. Plain text, never markup."""

from __future__ import annotations

from typing import TypedDict

from dashboard.edits.problems import Problem, Refusal


class Mark(TypedDict):
    """`line` and `column` count from 1; a line of 0: nowhere in the text."""

    line: int
    column: int
    words: str


def marks(refusal: Refusal | None) -> list[Mark]:
    """One for each problem, in the order in which they are told."""
    return [_mark(problem) for problem in refusal.problems] if refusal is not None else []


def _mark(problem: Problem) -> Mark:
    field = f"{problem.field}: " if problem.path else ""
    return {
        "line": problem.line,
        "column": problem.column,
        "words": field + " ".join(part for part in (problem.words, problem.said) if part),
    }
