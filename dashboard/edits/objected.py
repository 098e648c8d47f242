"""What the schema objects to in a text, as a refusal that the editor shows before the API server is asked."""

from __future__ import annotations

from dashboard.edits.document import Document
from dashboard.edits.editable import Part
from dashboard.edits.fields import Value
from dashboard.edits.problems import Refusal, located
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
