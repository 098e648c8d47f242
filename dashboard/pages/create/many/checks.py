"""Checks of an object before the API server is asked: identity and schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from dashboard.objects.fields.field_access import Value
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import schema_problems
from dashboard.pages.create.many.manifests import Manifest

SCHEMA_REFUSAL_TITLE = "The schema of this kind does not allow it"
_SUCH: Mapping[str, str] = MappingProxyType({"apiVersion": "apps/v1", "kind": "Deployment"})


def identity_refusal(part: Manifest) -> Refusal | None:
    """Refusal for a missing apiVersion, kind or name; None where all are there."""
    for name in ("apiVersion", "kind"):
        if not isinstance(part.value.get(name), str) or not part.value[name]:
            return refusal_at(part, f"The object has no {name}: add one, such as “{_SUCH[name]}”.", (name,))
    metadata = part.value.get("metadata")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        return refusal_at(
            part, "The object has no name: add metadata.name or metadata.generateName.", ("metadata", "name")
        )
    return None


def not_stored_reason(kind: KindInfo) -> str:
    """Why no object of this kind can be created, as sentences, where the API server answers it without storing it; else
    empty.
    """
    if kind.readable:
        return ""
    return (
        f"The API server does not store a {kind.singular}: it only answers or executes it. Take "
        "it out of this text, and send it with kubectl create."
    )


def manifest_schema_refusal(part: Manifest, schema: Schema, value: dict[str, Value]) -> Refusal | None:
    """The API server's refusal of `value`, the part or some of it, as far as the schema predicts it."""
    problems = schema_problems(schema, value)
    return part.locate(Refusal(problems, 422, SCHEMA_REFUSAL_TITLE)) if problems else None


def refusal_at(part: Manifest, words: str, path: tuple[str, ...]) -> Refusal:
    """A refusal with one problem, at a field of the part or at its start."""
    refusal = part.locate(Refusal((Problem(words, path=path),), 422, "It cannot be created"))
    problem = refusal.problems[0]
    return refusal if problem.line else replace(refusal, problems=(replace(problem, line=part.line, column=1),))
