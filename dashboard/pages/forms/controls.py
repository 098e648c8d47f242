"""What a field is edited with, which its schema decides; and its value as text in an input and back."""

from __future__ import annotations

import math
import re
from typing import Literal

from dashboard.edits.fields import ABSENT, Value
from dashboard.edits.schema import Schema
from dashboard.edits.typed_numbers import number, whole_number
from dashboard.resources.yaml_text import scalar

Control = Literal[
    "text", "integer", "number", "boolean", "choice", "quantity", "int-or-string", "group", "list", "map", "yaml"
]
"""``group`` holds named fields, ``map`` entries with free names; ``yaml`` can only be edited as text."""
INPUTS: frozenset[Control] = frozenset(
    ("text", "integer", "number", "boolean", "choice", "quantity", "int-or-string")
)  # fmt: skip
"""Controls that are one input."""

SUMMARY = 60
"""Characters of what is said about what is in a map or list."""
_BREAK = re.compile(r"\r\n|\r|\n")
_SCALARS: dict[str, Control] = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}


def control_of(schema: Schema, value: Value = ABSENT) -> Control:
    """The control for a schema's values; ``yaml`` where `value` is something that the schema's control cannot show."""
    control = _by_schema(schema)
    if value is ABSENT or value is None:
        return control
    if control in INPUTS:
        return "yaml" if isinstance(value, dict | list) else control
    fits = isinstance(value, list) if control == "list" else isinstance(value, dict)
    return control if fits else "yaml"


def _by_schema(schema: Schema) -> Control:
    choices = schema.node.get("enum")
    if choices and not any(isinstance(choice, dict | list) for choice in choices):
        return "choice"
    types = schema.types
    if schema.format == "quantity":
        return "quantity"
    if set(types) == {"integer", "string"}:
        return "int-or-string"
    if len(types) > 1:
        return "yaml"
    kind = types[0] if types else ""
    return _SCALARS.get(kind) or _holder(schema, kind)


def _holder(schema: Schema, kind: str) -> Control:
    if kind in ("object", "") and schema.node.get("properties"):
        return "group"
    if kind in ("array", "") and schema.child(0):
        return "list"
    entries = schema.node.get("additionalProperties")
    return "map" if kind in ("object", "") and isinstance(entries, dict) and entries else "yaml"


def text_of(value: Value) -> str:
    """A scalar as it stands in an input; nothing for what is not there."""
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return lf(value) if isinstance(value, str) else scalar(value)


def parsed(typed: str, control: Control, schema: Schema, now: Value) -> Value:
    """The value that was typed; empty takes the field out. Raises ValueError with a sentence."""
    if typed == "":
        return ABSENT
    stripped = typed.strip()
    if control == "integer":
        if (whole := whole_number(stripped)) is None:
            raise ValueError(f"“{typed}” is no whole number.")
        return whole
    if control == "number":
        return _number(stripped, typed)
    if control == "boolean":
        return _boolean(stripped)
    if control == "choice":
        return next((choice for choice in schema.node["enum"] if text_of(choice) == typed), typed)
    if control == "int-or-string":
        return typed if (whole := whole_number(stripped)) is None else whole
    if control == "quantity" and isinstance(now, int | float) and number(stripped) is not None:
        return _number(stripped, typed)
    return typed


def lf(text: str) -> str:
    """The text with LF line breaks: browsers send CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def broken_as(typed: str, now: Value) -> str:
    """What was typed, its lines ended as those of `now` are, which no input shows.

    Raises ValueError with a sentence where those end in several ways.
    """
    breaks = set(_BREAK.findall(now)) if isinstance(now, str) else set()
    if len(breaks) > 1 and "\n" in typed:
        raise ValueError("Its lines end in several ways, which only the YAML can keep: change it there.")
    return typed.replace("\n", breaks.pop()) if len(breaks) == 1 else typed


def _boolean(typed: str) -> bool:
    if typed not in ("true", "false"):
        raise ValueError(f"“{typed}” is neither true nor false.")
    return typed == "true"


def _number(stripped: str, typed: str) -> int | float:
    found = number(stripped)
    if found is None:
        raise ValueError(f"“{typed}” is no number.")
    if math.isinf(found):
        raise ValueError(f"“{typed}” is larger than any number that an object can hold.")
    return found


def summary(value: Value) -> str:
    """What is in a map or list, in one line."""
    if value is ABSENT:
        return ""
    if isinstance(value, list):
        return f"{len(value)} item{'' if len(value) == 1 else 's'}"
    if not isinstance(value, dict):
        return text_of(value)[:SUMMARY]
    plain = [f"{name}: {text_of(each)}" for name, each in value.items() if not isinstance(each, dict | list)]
    text = ", ".join(plain[:3]) or ", ".join(list(value)[:4])
    return text if len(text) <= SUMMARY else f"{text[: SUMMARY - 1]}…"
