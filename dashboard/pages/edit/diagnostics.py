"""What the schema objects to in a text, as a refusal that the editor shows before the API server is asked."""

from __future__ import annotations

from dataclasses import replace

from dashboard.edits.document import Document
from dashboard.edits.editable import Part
from dashboard.edits.fields import Path, Value
from dashboard.edits.problems import Problem, Refusal, located
from dashboard.edits.schema import Schema
from dashboard.edits.validation import changed_for_good, objections


def objected(schema: Schema, document: Document, base: dict[str, Value], part: Part = "spec") -> Refusal | None:
    """What the API server would refuse, as far as the schema tells; None where it tells nothing.

    Of a text that has the status alone nothing is said that is about the rest.
    """
    found = (*objections(schema, document.value), *changed_for_good(schema, document.value, base))
    if part == "status":
        found = tuple(problem for problem in found if problem.path[:1] == ("status",))
    if not found:
        return None
    return located(Refusal(found, 422, "The schema of this kind does not allow it"), document)


def undecoded(refusal: Refusal, schema: Schema, value: Value) -> Refusal:
    """The refusal of what the API server could not decode, with all that the schema objects to; any other as it is.

    The API server names the first mistake alone: without the items of lists that lead to it, or by no field at all.
    """
    if refusal.code != 400 or len(refusal.problems) != 1 or _UNDECODED not in refusal.problems[0].said:
        return refusal
    [problem] = refusal.problems
    found = objections(schema, value)
    own = [each for each in found if not problem.path or _names(each.path)[: len(problem.path)] == problem.path]
    if problem.path or len(own) == 1:  # else nobody can tell which of them it was
        for each in own[:1]:
            problem = Problem(f"{problem.words} {each.words}".strip(), problem.said, each.path)
    others = tuple(each for each in found if each.path != problem.path)
    return replace(refusal, problems=(problem, *others))


_UNDECODED = " cannot be handled as a"


def _names(path: Path) -> Path:
    """As Go names a field of its types."""
    return tuple(segment for segment in path if not isinstance(segment, int))
