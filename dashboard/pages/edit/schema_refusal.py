"""Schema problems of a text, as a refusal before the API server is asked."""

from __future__ import annotations

from dataclasses import replace

from dashboard.objects.fields.field_access import Path, Value
from dashboard.objects.manifests.document import Document
from dashboard.objects.problems.write_refusal import Problem, Refusal, locate
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import immutability_problems, schema_problems
from dashboard.pages.writes.target import Editable


def schema_refusal(
    schema: Schema, document: Document, base: dict[str, Value], part: Editable = "spec"
) -> Refusal | None:
    """The API server's refusal, as far as the schema predicts it; None where it predicts none.

    For a text with only the status, problems of other fields are left out.
    """
    problems = (*schema_problems(schema, document.value), *immutability_problems(schema, document.value, base))
    if part == "status":
        problems = tuple(problem for problem in problems if problem.path[:1] == ("status",))
    if not problems:
        return None
    return locate(Refusal(problems, 422, "The schema of this kind does not allow it"), document)


def with_schema_problems(refusal: Refusal, schema: Schema, value: Value) -> Refusal:
    """A decoding refusal of the API server, with all schema problems added; any other refusal unchanged.

    The API server names only the first mistake, without list indexes or without any field.
    """
    if refusal.code != 400 or len(refusal.problems) != 1 or _UNDECODED not in refusal.problems[0].server_message:
        return refusal
    [problem] = refusal.problems
    problems = schema_problems(schema, value)
    own = [each for each in problems if not problem.path or _names(each.path)[: len(problem.path)] == problem.path]
    if problem.path or len(own) == 1:  # else nobody can tell which of them it was
        for each in own[:1]:
            problem = Problem(f"{problem.words} {each.words}".strip(), problem.server_message, each.path)
    others = tuple(each for each in problems if each.path != problem.path)
    return replace(refusal, problems=(problem, *others))


_UNDECODED = " cannot be handled as a"


def _names(path: Path) -> Path:
    """A field as Go's type errors name it."""
    return tuple(segment for segment in path if not isinstance(segment, int))
