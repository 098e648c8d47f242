"""What is wrong with an object of a text before the API server is asked: what it is not said to be, and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from dashboard.creating.texts import Part
from dashboard.edits.fields import Value
from dashboard.edits.problems import Problem, Refusal
from dashboard.edits.schema import Schema
from dashboard.edits.validation import objections
from dashboard.resources.kinds import KindInfo

BY_SCHEMA = "The schema of this kind does not allow it"
_SUCH: Mapping[str, str] = MappingProxyType({"apiVersion": "apps/v1", "kind": "Deployment"})


def objection(part: Part) -> Refusal | None:
    """What it does not say of itself, without which nothing can be made of it."""
    for name in ("apiVersion", "kind"):
        if not isinstance(part.value.get(name), str) or not part.value[name]:
            return refused(part, f"An object says its {name}, such as “{_SUCH[name]}”; this one does not.", (name,))
    metadata = part.value.get("metadata")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        return refused(part, "An object needs a name: metadata.name or metadata.generateName.", ("metadata", "name"))
    return None


def not_kept(kind: KindInfo) -> str:
    """Why none can be made of a kind that the API server only answers, as sentences; empty for one that it keeps."""
    if kind.kept:
        return ""
    return (
        f"The API server keeps no {kind.singular}: it answers one like a question, or does at once what it says. Take "
        "it out of this text; kubectl create sends one."
    )


def by_schema(part: Part, schema: Schema, value: dict[str, Value]) -> Refusal | None:
    """What the API server would refuse of `value`, which is the part's or some of it, as far as the schema tells."""
    found = objections(schema, value)
    return part.located(Refusal(found, 422, BY_SCHEMA)) if found else None


def refused(part: Part, words: str, path: tuple[str, ...]) -> Refusal:
    """One objection at a field of the part, or else where the part begins."""
    refusal = part.located(Refusal((Problem(words, path=path),), 422, "It cannot be made"))
    problem = refusal.problems[0]
    return refusal if problem.line else replace(refusal, problems=(replace(problem, line=part.line, column=1),))
