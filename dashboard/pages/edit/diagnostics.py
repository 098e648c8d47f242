"""Diagnostics for the YAML editor: the problems of a refusal, each with its position in the text."""

from __future__ import annotations

from typing import TypedDict

from dashboard.objects.problems.write_refusal import Problem, Refusal


class Diagnostic(TypedDict):
    """A problem in the text. `line` and `column` count from 1; line 0: no position."""

    line: int
    column: int
    words: str


def diagnostics(refusal: Refusal | None) -> list[Diagnostic]:
    """One diagnostic for each problem, in the same order."""
    return [_diagnostic(problem) for problem in refusal.problems] if refusal is not None else []


def _diagnostic(problem: Problem) -> Diagnostic:
    field = f"{problem.field}: " if problem.path else ""
    return {
        "line": problem.line,
        "column": problem.column,
        "words": field + " ".join(part for part in (problem.words, problem.server_message) if part),
    }
