"""Control of a field, chosen by its schema, and conversion of its value to and from input text."""

from __future__ import annotations

import math
import re
from typing import Literal

from dashboard.objects.fields.field_access import ABSENT, Value
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.manifests.yaml_writer import scalar_yaml
from dashboard.objects.schemas.schema import Schema

_WHOLE = re.compile(r"[-+]?[0-9]{1,19}")


_NUMBER = re.compile(r"[-+]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")


def parse_whole_number(typed: str) -> int | None:
    """None where the text is not a whole number of at most 19 digits."""
    return int(typed) if _WHOLE.fullmatch(typed) else None


def parse_number(typed: str) -> int | float | None:
    """An int for a whole number; None for no number. Infinite where it is too large for any object."""
    if not _NUMBER.fullmatch(typed):
        return None
    whole = parse_whole_number(typed)
    return float(typed) if whole is None else whole


Control = Literal[
    "text", "integer", "number", "boolean", "choice", "quantity", "int-or-string", "group", "list", "map", "yaml"
]
"""``group`` holds named fields, ``map`` entries with free names; ``yaml`` can only be edited as text."""
INPUTS: frozenset[Control] = frozenset(
    ("text", "integer", "number", "boolean", "choice", "quantity", "int-or-string")
)  # fmt: skip
"""Controls with a single input."""

SUMMARY_LENGTH = 60
"""Longest summary of a map or list, in characters."""
_BREAK = re.compile(r"\r\n|\r|\n")
_SCALARS: dict[str, Control] = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}


def control_of(schema: Schema, value: Value = ABSENT) -> Control:
    """The control for a schema's values; ``yaml`` where the schema's control cannot show `value`."""
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


def input_text(value: Value) -> str:
    """A scalar as input text; empty for a missing value."""
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return normalize_newlines(value) if isinstance(value, str) else scalar_yaml(value)


def parse_input(typed: str, control: Control, schema: Schema, now: Value) -> Value:
    """The typed value; empty removes the field. Raises ValueError where it is invalid; the message is a sentence."""
    if typed == "":
        return ABSENT
    stripped = typed.strip()
    if control == "integer":
        if (whole := parse_whole_number(stripped)) is None:
            raise ValueError(f"“{typed}” is not a whole number.")
        return whole
    if control == "number":
        return _number(stripped, typed)
    if control == "boolean":
        return _boolean(stripped)
    if control == "choice":
        return next((choice for choice in schema.node["enum"] if input_text(choice) == typed), typed)
    if control == "int-or-string":
        return typed if (whole := parse_whole_number(stripped)) is None else whole
    if control == "quantity" and isinstance(now, int | float) and parse_number(stripped) is not None:
        return _number(stripped, typed)
    return typed


def normalize_newlines(text: str) -> str:
    """The text with LF line breaks: browsers send CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_line_breaks_of(typed: str, now: Value) -> str:
    """The typed text with the line breaks of `now`, which no input shows.

    Raises ValueError where those are mixed; the message is a sentence.
    """
    breaks = set(_BREAK.findall(now)) if isinstance(now, str) else set()
    if len(breaks) > 1 and "\n" in typed:
        raise ValueError("The text has mixed line endings, which only the YAML keeps: change it there.")
    return typed.replace("\n", breaks.pop()) if len(breaks) == 1 else typed


def _boolean(typed: str) -> bool:
    if typed not in ("true", "false"):
        raise ValueError(f"“{typed}” is not true or false.")
    return typed == "true"


def _number(stripped: str, typed: str) -> int | float:
    number = parse_number(stripped)
    if number is None:
        raise ValueError(f"“{typed}” is not a number.")
    if math.isinf(number):
        raise ValueError(f"“{typed}” is larger than any number that an object can hold.")
    return number


def summary(value: Value) -> str:
    """A one-line summary of a map or list."""
    if value is ABSENT:
        return ""
    if isinstance(value, list):
        return f"{len(value)} item{'' if len(value) == 1 else 's'}"
    if not isinstance(value, dict):
        return input_text(value)[:SUMMARY_LENGTH]
    plain = [f"{name}: {input_text(each)}" for name, each in value.items() if not isinstance(each, dict | list)]
    text = ", ".join(plain[:3]) or ", ".join(list(value)[:4])
    return limit_text(text, SUMMARY_LENGTH)
