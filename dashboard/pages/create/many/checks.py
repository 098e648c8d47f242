"""Checks of an object before the API server is asked: identity, schema and origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from dashboard.objects.fields.field_access import ABSENT, Path, Value, format_path, get
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import schema_problems
from dashboard.pages.create.many.manifests import Manifest
from dashboard.pages.writes.target import LAST_APPLIED, SET_BY_SERVER, Target

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


_EMPTY: tuple[Value, ...] = (ABSENT, None, "", {}, [])


def notes(value: dict[str, Value], target: Target | None, *, chosen_namespace: str = "") -> tuple[str, ...]:
    """Notes as sentences; `chosen_namespace` is the one that the page was opened for; empty where there is none."""
    return tuple(_notes(value, target, chosen_namespace))


def origin_notes(value: dict[str, Value], live: dict[str, Value]) -> tuple[str, ...]:
    """Notes where the text was copied from another object or another state of it."""
    uid, version = get(value, ("metadata", "uid")), get(value, ("metadata", "resourceVersion"))
    here = live["metadata"]
    if here.get("deletionTimestamp"):
        return ("It is being deleted: your changes are lost when it is gone. Review again then, to create it again.",)
    if uid not in (*_EMPTY, here["uid"]):
        return (f"The text was copied from another object of this name: its uid is {uid}, this one has {here['uid']}.",)
    if version not in (*_EMPTY, here["resourceVersion"]):
        words = "The text was copied from another state of it"
        return (
            f"{words} (resourceVersion {version}, now {here['resourceVersion']}): check what it would change back.",
        )
    return ()


def _notes(value: dict[str, Value], target: Target | None, chosen: str) -> Iterator[str]:
    left_out = [format_path(path) for path in _left_out(value)]
    if left_out:
        yield f"Not sent, because only the cluster sets it: {', '.join(left_out)}."
    namespace = get(value, ("metadata", "namespace"))
    if target is None or namespace in _EMPTY:
        return
    if not target.kind.namespaced:
        words = f"{target.kind.title} are not namespaced"
        yield f"Not sent, because {words}: metadata.namespace ({namespace})."
    elif chosen and namespace != chosen:
        yield f"It goes to the namespace in the text, {namespace}, and not to {chosen}."


def _left_out(value: dict[str, Value]) -> Iterator[Path]:
    paths: list[Path] = [("status",), *(("metadata", name) for name in SET_BY_SERVER)]
    paths.append(("metadata", "annotations", LAST_APPLIED))
    return (path for path in paths if get(value, path) not in _EMPTY)
