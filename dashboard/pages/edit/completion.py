"""Completion and help of the YAML editor for one path of an object: fields, values and descriptions.

The descriptions are the form's (dashboard.pages.forms.help).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dashboard.objects.fields.field_access import Path, Value
from dashboard.objects.manifests.yaml_writer import scalar_yaml
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.controls import control_of
from dashboard.pages.forms.help import default_of, help_of

MAX_DEPTH = 60
"""Most segments of a path."""
_WORDS = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "array": "list",
    "object": "fields",
}  # fmt: skip
_ABOUT = {"metadata": "Name, namespace, labels and annotations."}
"""For schemas without the fields that every object has."""


@dataclass(frozen=True, slots=True)
class FieldHint:
    """A field that can stand at the path. `type` is the form of its value: ``map``, ``list`` or ``value``."""

    name: str
    text: str
    """The name as YAML has it."""
    type: str
    words: str
    """Its type in words."""
    required: bool = False


@dataclass(frozen=True, slots=True)
class ValueHint:
    """A value that can stand at the path."""

    text: str
    """As YAML has it."""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints for one path. `asks`: there may be other values for another prefix."""

    fields: tuple[FieldHint, ...] = ()
    values: tuple[ValueHint, ...] = ()
    words: str = ""
    facts: tuple[str, ...] = ()
    asks: bool = False


def read_path(text: str) -> Path | None:
    """The path that the script sends as JSON: names and indexes; None where it is malformed."""
    try:
        path = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(path, list) or len(path) > MAX_DEPTH:
        return None
    return tuple(path) if all(type(each) in (str, int) for each in path) else None


def is_labels(path: Path) -> bool:
    """Whether the path leads to a map of labels."""
    return bool(path) and path[-1] in ("labels", "matchLabels")


def hints(schema: Schema, path: Path) -> Hints:
    """The schema's hints for `path`; empty where it has none."""
    node = schema.at(path)
    help_words = help_of(node, control_of(node))
    words = "\n".join(part for part in (help_words.summary, help_words.details) if part)
    if not words and len(path) == 1:
        words = _ABOUT.get(str(path[0]), "")
    return Hints(_fields(node), tuple(_values(node)), words, tuple(_facts(node)))


def status_hints(hints: Hints, path: Path) -> Hints:
    """The hints for an edit of the status alone, whose text has only the status and the object's identity."""
    hints_by_path: dict[Path, tuple[str, ...]] = {
        (): ("apiVersion", "kind", "metadata", "status"),
        ("metadata",): ("name", "namespace"),
    }
    if path in hints_by_path:
        return replace(hints, fields=tuple(each for each in hints.fields if each.name in hints_by_path[path]))
    elsewhere = path[0] not in hints_by_path[()] or (
        path[0] == "metadata" and path[1:] not in (("name",), ("namespace",))
    )
    return Hints() if elsewhere else hints


def type_words(schema: Schema) -> str:
    """``list of text``, ``whole number or text``."""
    kinds = _kinds(schema)
    if kinds == ("array",):
        items = _kinds(schema.child(0))
        return f"list of {' or '.join(_WORDS[kind] for kind in items)}" if items else "list"
    return " or ".join(_WORDS[kind] for kind in kinds)


def _fields(schema: Schema) -> tuple[FieldHint, ...]:
    """The fields, required ones first."""
    needed = schema.node.get("required", ())
    fields = (_field(name, node, required=name in needed) for name, node in schema.properties.items())
    return tuple(sorted(fields, key=lambda field: not field.required))


def _field(name: str, schema: Schema, *, required: bool) -> FieldHint:
    goes_on = {"object": "map", "array": "list"}
    kinds = _kinds(schema)
    return FieldHint(
        name,
        scalar_yaml(name),
        goes_on.get(kinds[0], "value") if len(kinds) == 1 else "value",
        type_words(schema),
        required,
    )


def _kinds(schema: Schema) -> tuple[str, ...]:
    """The known JSON types."""
    known = tuple(kind for kind in schema.types if kind in _WORDS)
    holds_fields = bool(schema.node.get("properties") or schema.node.get("additionalProperties"))
    return known or (("object",) if holds_fields else ())


def _values(schema: Schema) -> Iterator[ValueHint]:
    node = schema.node
    default = node.get("default")
    choices: tuple[Value, ...] = tuple(node.get("enum", ())) or ((True, False) if node.get("type") == "boolean" else ())
    for choice in choices:
        yield ValueHint(scalar_yaml(choice), "default" if choice == default and default is not None else "")
    if not choices and default_of(schema):
        yield ValueHint(scalar_yaml(default), "default")


def _facts(schema: Schema) -> Iterator[str]:
    """Type, values and default."""
    if words := type_words(schema):
        yield words
    if schema.node.get("enum"):
        yield f"one of {', '.join(map(scalar_yaml, schema.node['enum']))}"
    if default := default_of(schema):
        yield f"default {default}"
