"""Edit one plain field of spec in place: what a list's column shows."""

from __future__ import annotations

from typing import ClassVar

from dashboard.edits.fields import Path, Value, get
from dashboard.edits.place import Place
from dashboard.edits.schema import Schema
from dashboard.quick.action import Asked, Fact, Form, State, WrongInput
from dashboard.quick.commands import patch_command
from dashboard.quick.scalar import input_of, text_of, value_of
from dashboard.resources.rows.column import plain_field


class Field:
    id: ClassVar[str] = "field"
    title: ClassVar[str] = "Edit a field"
    verb: ClassVar[str] = "patch"
    subresource: ClassVar[str] = ""
    undoes: ClassVar[bool] = True

    async def read(self, place: Place, form: Form) -> State:
        path = _path(form)
        state = State(await place.exchange.read(), path)
        if isinstance(get(state.live, path), dict | list):
            raise WrongInput(f"{state.field} is more than one value: edit the object instead.")
        return state

    async def ask(self, place: Place, state: State, form: Form) -> Asked:
        schema = await _schema(place, state.path)
        now = text_of(state.value)
        typed = form.get("wanted", now)
        facts = []
        if "shown" in form and form["shown"] != now:
            facts.append(
                Fact(f"The list showed {form['shown'] or 'nothing'}; by now it is {now or 'not set'}.", "warn")
            )
        try:
            value = value_of(typed, schema, state.value)
        except WrongInput:
            value = typed
        return Asked(
            button="Save",
            command=patch_command(place.target, state.path, value),
            facts=tuple(facts),
            inputs=(input_of(typed, schema, state.field),),
            hidden={"path": f".{state.field}"},
        )

    async def wanted(self, place: Place, state: State, form: Form) -> Value:
        return value_of(form.get("wanted", ""), await _schema(place, state.path), state.value)

    def done(self, before: Value, after: Value) -> str:
        return f"{text_of(before) or 'Not set'} → {text_of(after) or 'empty'}"


def _path(form: Form) -> Path:
    names = plain_field(form.get("path", ""))
    if not names:
        typed = form.get("path", "")[:80]
        raise WrongInput(f"“{typed}” is no plain field of spec: write for example .spec.port, or edit the object.")
    return names


async def _schema(place: Place, path: Path) -> Schema:
    schema = await place.schema()
    for segment in path:
        schema = schema.child(segment)
    return schema
