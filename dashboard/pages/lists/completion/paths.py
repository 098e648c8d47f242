"""How a path can go on: by what the kind's schema has, and by what some of its objects have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.resources.path_names import names_at
from dashboard.resources.rows.json_path import JsonPath, UnreadablePath, name_step

if TYPE_CHECKING:
    from dashboard.edits.schema import Schema

MOST_CONDITIONS = 12
"""Conditions that are offered for a list whose entries have a type."""
_ODD = re.compile(r"[\s,=<>!\"'*{}\[\]\\]")
_META = {
    "name": "string", "namespace": "string", "labels": "object", "annotations": "object", "uid": "string",
    "creationTimestamp": "string", "deletionTimestamp": "string", "finalizers": "array", "ownerReferences": "list",
    "generation": "integer", "resourceVersion": "string", "generateName": "string",
}  # fmt: skip
"""What every object's metadata may have; "list" is one of objects."""
_WORDS = {"string": "text", "integer": "number", "number": "number", "boolean": "true or false", "array": "list"}


@dataclass(frozen=True, slots=True)
class Step:
    """A path that what was typed may become; `goes_on` where it leads to an object, so that a name can follow."""

    path: str
    about: str
    goes_on: bool


def path_steps(typed: str, schema: Schema | None, objects: list[dict[str, Any]]) -> list[Step]:
    """Paths that begin with all of `typed` but its last name, which is a part of theirs; the best first."""
    before, part = _split(typed)
    try:
        path = JsonPath(before)
    except UnreadablePath:
        return []
    if part.startswith("["):
        return [step for step in _bracketed(path, objects) if step.path.startswith(before + part)]
    part = part.replace("\\", "").casefold()
    found = list(_named(path, schema, objects))
    begins = [step for name, step in found if name.casefold().startswith(part)]
    return begins + [step for name, step in found if part in name.casefold() and step not in begins]


def _split(typed: str) -> tuple[str, str]:
    """The path so far, and the beginning of a name or, with its bracket, of a place in a list."""
    depth, dot = 0, 0
    for index, character in enumerate(typed):
        depth += (character == "[") - (character == "]")
        if character == "." and not depth and typed[index - 1 : index] != "\\":
            dot = index
    bracket = typed.rfind("[") if not depth else typed.find("[", dot)
    if depth > 0:
        return typed[:bracket], typed[bracket:]
    return typed[:dot], typed[dot + 1 :]


def _named(path: JsonPath, schema: Schema | None, objects: list[dict[str, Any]]) -> Iterator[tuple[str, Step]]:
    """By name; what objects have first, then what they may have."""
    there = names_at(path, objects)
    types = _types_at(path, schema)
    for name in [*there, *sorted(types.keys() - there.keys())]:
        if not _ODD.search(name):
            yield name, _step(path.text + name_step(name), there.get(name), types.get(name, ""))


def _step(path: str, value: Any, kind: str) -> Step:
    if isinstance(value, list) or kind in {"list", "array"}:
        of_objects = (
            any(isinstance(item, dict) for item in value) if isinstance(value, list) and value else kind == "list"
        )
        return Step(f"{path}[*]" if of_objects else path, "list", of_objects)
    if isinstance(value, dict) or kind == "object":
        return Step(path, "object", True)
    if isinstance(value, bool):
        return Step(path, _WORDS["boolean"], False)
    words = "number" if isinstance(value, int | float) else _WORDS.get(kind, "text" if value is not None else "")
    return Step(path, words, False)


def _types_at(path: JsonPath, schema: Schema | None) -> dict[str, str]:
    """The fields that a schema has there, each with its JSON type; "list" is an array of objects."""
    if path.steps == ("metadata",):
        return _META
    node = schema
    for step in path.steps:
        node = node.child(step if isinstance(step, str) else 0) if node is not None else None
    if node is None:
        return {}
    found = {}
    for name, each in node.properties.items():
        kind = str(each.node.get("type", "object" if each.node.get("properties") else ""))
        found[name] = "list" if kind == "array" and each.child(0).properties else kind
    return found


def _bracketed(path: JsonPath, objects: list[dict[str, Any]]) -> Iterator[Step]:
    """What can stand in brackets behind a path to a list."""
    entries = [item for obj in objects for each in path.all(obj) if isinstance(each, list) for item in each]
    goes_on = any(isinstance(item, dict) for item in entries)
    yield Step(f"{path.text}[*]", "all of them", goes_on)
    yield Step(f"{path.text}[0]", "the first", goes_on)
    yield Step(f"{path.text}[-1]", "the last", goes_on)
    types = dict.fromkeys(str(item.get("type", "")) for item in entries if isinstance(item, dict))
    for name in [name for name in types if name and not _ODD.search(name)][:MOST_CONDITIONS]:
        yield Step(f"{path.text}[?(@.type=={name})]", "one of them", True)
