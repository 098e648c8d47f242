"""One plain field's text as a value of its schema, checked before anything is sent.

Patterns and rules are left to the API server: a pattern may take for ever, and its syntax is Go's.
"""

from __future__ import annotations

import math
from typing import Any

from dashboard.edits.fields import Value
from dashboard.edits.schema import Schema
from dashboard.edits.typed_numbers import number, whole_number
from dashboard.quick.action import Input, WrongInput


def value_of(typed: str, schema: Schema, now: Value) -> Value:
    """The value that was typed; null takes an optional field out. Raises WrongInput with a sentence."""
    node = schema.node
    kind = node.get("type") or _kind_of(now)
    if typed == "" and kind != "string":
        raise WrongInput("Nothing was typed. To take the field out, edit the object.")
    value = _read(typed, kind, node, now)
    choices = node.get("enum")
    if choices and value not in choices:
        raise WrongInput(f"“{typed[:40]}” is none of {', '.join(map(str, choices))}.")
    if isinstance(value, str):
        _check_text(value, node)
    elif not isinstance(value, bool):
        _check_bounds(value, node)
    return value


def input_of(typed: str, schema: Schema, label: str) -> Input:
    """The input of the field."""
    node = schema.node
    choices = tuple(map(str, node.get("enum") or ())) or (("true", "false") if node.get("type") == "boolean" else ())
    kind = "choice" if choices else "number" if node.get("type") == "integer" else "text"
    return Input("wanted", label, typed, kind, choices, _help(node))


def text_of(value: Value) -> str:
    """A value as the input shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _read(typed: str, kind: str, node: Any, now: Value) -> Value:
    stripped = typed.strip()
    if node.get("x-kubernetes-int-or-string"):
        return typed if (whole := whole_number(stripped)) is None else whole
    if kind == "integer":
        if (whole := whole_number(stripped)) is None:
            raise WrongInput(f"“{typed[:40]}” is no whole number.")
        return whole
    if kind == "number":
        found = number(stripped)
        if found is None or math.isinf(found):
            raise WrongInput(f"“{typed[:40]}” is no number.")
        return found
    if kind == "boolean":
        if stripped not in ("true", "false"):
            raise WrongInput(f"“{typed[:40]}” is neither true nor false.")
        return stripped == "true"
    return typed if isinstance(now, str) or now is None else stripped


def _kind_of(now: Value) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number"}
    return kinds.get(type(now), "string")


def _check_bounds(value: float, node: Any) -> None:
    low, high = node.get("minimum"), node.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        span = (
            f"{low} to {high}"
            if low is not None and high is not None
            else f"at least {low}"
            if high is None
            else f"at most {high}"
        )
        raise WrongInput(f"{value} is out of bounds: it must be {span}.")


def _check_text(value: str, node: Any) -> None:
    low, high = node.get("minLength", 0), node.get("maxLength")
    if len(value) < low or (high is not None and len(value) > high):
        most = f" and {high} at most" if high is not None else ""
        raise WrongInput(f"That is {len(value)} characters: it must be {low} at least{most}.")


def _help(node: Any) -> str:
    said = [str(node.get("description", "")).strip()]
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None and high is not None:
        said.append(f"{low} to {high}.")
    elif low is not None or high is not None:
        said.append(f"At least {low}." if high is None else f"At most {high}.")
    return " ".join(part for part in said if part)
