"""Completion of field paths, by the kind's schema and by the fields that some of its objects have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.objects.paths.json_path import InvalidJsonPath, JsonPath, format_name_step
from dashboard.objects.paths.path_suggestions import names_at
from dashboard.runtime.invisible_characters import INVISIBLE

if TYPE_CHECKING:
    from dashboard.objects.schemas.schema import Schema

MOST_CONDITIONS = 12
"""Conditions that are suggested for a list whose entries have a type."""
_ODD = re.compile(f"[\\s,=<>!\"'*{{}}\\[\\]\\\\{INVISIBLE}]")
"""Not in a name that is suggested: it would have to be quoted, or nobody would see it in the input."""
_META = {
    "name": "string", "namespace": "string", "labels": "object", "annotations": "object", "uid": "string",
    "creationTimestamp": "string", "deletionTimestamp": "string", "finalizers": "array", "ownerReferences": "list",
    "generation": "integer", "resourceVersion": "string", "generateName": "string",
}  # fmt: skip
"""Fields of every object's metadata; "list" means a list of objects."""
_WORDS = {"string": "text", "integer": "number", "number": "number", "boolean": "true or false", "array": "list"}


@dataclass(frozen=True, slots=True)
class PathCompletion:
    """A suggested path; `can_continue` where it leads to an object, so that a field name can follow."""

    path: str
    description: str
    can_continue: bool


def complete_path(text: str, schema: Schema | None, objects: list[dict[str, Any]]) -> list[PathCompletion]:
    """Suggested paths for the typed `text`, whose last name they contain; the best first."""
    before, part = _split(text)
    try:
        path = JsonPath(before)
    except InvalidJsonPath:
        return []
    if part.startswith("["):
        return [step for step in _bracketed(path, objects) if step.path.startswith(before + part)]
    part = part.replace("\\", "").casefold()
    suggestions = list(_suggestions_by_name(path, schema, objects))
    begins = [step for name, step in suggestions if name.casefold().startswith(part)]
    return begins + [step for name, step in suggestions if part in name.casefold() and step not in begins]


def _split(typed: str) -> tuple[str, str]:
    """The complete part of the path, and the start of a name or, with its bracket, of a list index."""
    depth, dot = 0, 0
    for index, character in enumerate(typed):
        depth += (character == "[") - (character == "]")
        if character == "." and not depth and typed[index - 1 : index] != "\\":
            dot = index
    bracket = typed.rfind("[") if not depth else typed.find("[", dot)
    if depth > 0:
        return typed[:bracket], typed[bracket:]
    return typed[:dot], typed[dot + 1 :]


def _suggestions_by_name(
    path: JsonPath, schema: Schema | None, objects: list[dict[str, Any]]
) -> Iterator[tuple[str, PathCompletion]]:
    """Suggestions by name; fields that objects have first, then fields of the schema."""
    there = names_at(path, objects)
    types = _types_at(path, schema)
    for name in [*there, *sorted(types.keys() - there.keys())]:
        if not _ODD.search(name):
            yield name, _step(path.text + format_name_step(name), there.get(name), types.get(name, ""))


def _step(path: str, value: Any, kind: str) -> PathCompletion:
    if isinstance(value, list) or kind in {"list", "array"}:
        of_objects = (
            any(isinstance(item, dict) for item in value) if isinstance(value, list) and value else kind == "list"
        )
        return PathCompletion(f"{path}[*]" if of_objects else path, "list", of_objects)
    if isinstance(value, dict) or kind == "object":
        return PathCompletion(path, "object", True)
    if isinstance(value, bool):
        return PathCompletion(path, _WORDS["boolean"], False)
    words = "number" if isinstance(value, int | float) else _WORDS.get(kind, "text" if value is not None else "")
    return PathCompletion(path, words, False)


def _types_at(path: JsonPath, schema: Schema | None) -> dict[str, str]:
    """The fields of a schema at this path, each with its JSON type; "list" means an array of objects."""
    if path.steps == ("metadata",):
        return _META
    node = schema
    for step in path.steps:
        node = node.child(step if isinstance(step, str) else 0) if node is not None else None
    if node is None:
        return {}
    types = {}
    for name, each in node.properties.items():
        kind = str(each.node.get("type", "object" if each.node.get("properties") else ""))
        types[name] = "list" if kind == "array" and each.child(0).properties else kind
    return types


def _bracketed(path: JsonPath, objects: list[dict[str, Any]]) -> Iterator[PathCompletion]:
    """Bracket suggestions for a path to a list."""
    entries = [item for obj in objects for each in path.all(obj) if isinstance(each, list) for item in each]
    goes_on = any(isinstance(item, dict) for item in entries)
    yield PathCompletion(f"{path.text}[*]", "all of them", goes_on)
    yield PathCompletion(f"{path.text}[0]", "the first", goes_on)
    yield PathCompletion(f"{path.text}[-1]", "the last", goes_on)
    types = dict.fromkeys(str(item.get("type", "")) for item in entries if isinstance(item, dict))
    for name in [name for name in types if name and not _ODD.search(name)][:MOST_CONDITIONS]:
        yield PathCompletion(f"{path.text}[?(@.type=={name})]", "one of them", True)
