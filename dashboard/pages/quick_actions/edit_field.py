"""Quick action that edits one plain field, checked by its schema before anything is sent.

Patterns and rules are left to the API server: a pattern may take very long, and its syntax is Go's.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from dashboard.objects.fields.field_access import Path, Value, get
from dashboard.objects.printers.printer import plain_field
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms.controls import parse_number, parse_whole_number
from dashboard.pages.quick_actions.action import ActionForm, FieldState, FormData, Input, Notice, WrongInput
from dashboard.pages.writes.kubectl import patch_command
from dashboard.pages.writes.request_context import EditRequest
from dashboard.runtime.invisible_characters import escape_invisible


def parse_scalar(text: str, schema: Schema, current: Value) -> Value:
    """The typed value; null removes an optional field. Raises WrongInput where it is invalid."""
    node = schema.node
    kind = node.get("type") or _kind_of(current)
    if text == "" and kind != "string":
        raise WrongInput("The value is empty. To remove the field, edit the object.")
    value = _read(text, kind, node, current)
    choices = node.get("enum")
    if choices and value not in choices:
        raise WrongInput(f"“{text[:40]}” is not one of {', '.join(map(str, choices))}.")
    if isinstance(value, str):
        _check_text(value, node)
    elif not isinstance(value, bool):
        _check_bounds(value, node)
    return value


def scalar_input(text: str, schema: Schema, label: str) -> Input:
    """The input of the field."""
    node = schema.node
    choices = tuple(map(str, node.get("enum") or ())) or (("true", "false") if node.get("type") == "boolean" else ())
    kind = "choice" if choices else "number" if node.get("type") == "integer" else "text"
    return Input("wanted", label, text, kind, choices, _help(node))


def scalar_text(value: Value) -> str:
    """A value as input text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _read(typed: str, kind: str, node: Any, now: Value) -> Value:
    stripped = typed.strip()
    if node.get("x-kubernetes-int-or-string"):
        return typed if (whole := parse_whole_number(stripped)) is None else whole
    if kind == "integer":
        if (whole := parse_whole_number(stripped)) is None:
            raise WrongInput(f"“{typed[:40]}” is not a whole number.")
        return whole
    if kind == "number":
        number = parse_number(stripped)
        if number is None or math.isinf(number):
            raise WrongInput(f"“{typed[:40]}” is not a number.")
        return number
    if kind == "boolean":
        if stripped not in ("true", "false"):
            raise WrongInput(f"“{typed[:40]}” is not true or false.")
        return stripped == "true"
    return typed if isinstance(now, str) or now is None else stripped


def _kind_of(now: Value) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number"}
    return kinds.get(type(now), "string")


def _check_bounds(value: float, node: Any) -> None:
    low, high = node.get("minimum"), node.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        raise WrongInput(f"{value} is out of bounds: it must be {_range(low, high)}.")


def _check_text(value: str, node: Any) -> None:
    low, high = node.get("minLength"), node.get("maxLength")
    if (low is not None and len(value) < low) or (high is not None and len(value) > high):
        characters = "1 character" if len(value) == 1 else f"{len(value)} characters"
        raise WrongInput(f"The text has {characters}: it must have {_range(low, high)}.")


def _range(low: float | None, high: float | None) -> str:
    """Bounds in words; at least one of them is given."""
    return f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"


def _help(node: Any) -> str:
    sentences = [str(node.get("description", "")).strip()]
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None or high is not None:
        span = _range(low, high)
        sentences.append(f"{span[0].upper()}{span[1:]}.")
    return " ".join(part for part in sentences if part)


class EditField:
    id: ClassVar[str] = "field"
    title: ClassVar[str] = "Edit a field"
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = ""
    is_undoable: ClassVar[bool] = True

    async def read(self, edit_request: EditRequest, form: FormData) -> FieldState:
        path = _path(form)
        state = FieldState(await edit_request.object_client.read(), path)
        if isinstance(get(state.obj, path), dict | list):
            raise WrongInput(f"{state.field} is not a single value: edit the object instead.")
        return state

    async def build_form(self, edit_request: EditRequest, state: FieldState, form: FormData) -> ActionForm:
        schema = (await edit_request.schema()).at(state.path)
        now = scalar_text(state.value)
        typed = form.get("wanted", now)
        facts = []
        if "shown" in form and form["shown"] not in (now, escape_invisible(now)):
            facts.append(
                Notice(f"The list showed {form['shown'] or 'nothing'}; by now it is {now or 'not set'}.", "warn")
            )
        try:
            value = parse_scalar(typed, schema, state.value)
        except WrongInput:
            value = typed
        return ActionForm(
            button_label="Save",
            command=patch_command(edit_request.target, state.path, value),
            facts=tuple(facts),
            inputs=(scalar_input(typed, schema, state.field),),
            hidden_inputs={"path": f".{state.field}"},
        )

    async def desired_value(self, edit_request: EditRequest, state: FieldState, form: FormData) -> Value:
        return parse_scalar(form.get("wanted", ""), (await edit_request.schema()).at(state.path), state.value)

    def done_text(self, before: Value, after: Value) -> str:
        return f"{scalar_text(before) or 'Not set'} → {scalar_text(after) or 'empty'}"


def _path(form: FormData) -> Path:
    names = plain_field(form.get("path", ""))
    if not names:
        typed = form.get("path", "")[:80]
        raise WrongInput(f"“{typed}” is not a plain field of spec: write for example .spec.port, or edit the object.")
    return names
