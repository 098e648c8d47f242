"""A form as a browser without scripts has it: rendered, read, changed, posted. No server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from dashboard.edits.document import Document, parse
from dashboard.edits.forms import Form, Shown, apply_form, build_form, posted_fields, press
from dashboard.edits.input_names import OPEN
from dashboard.edits.problems import Problem
from dashboard.edits.schema import Schema, with_metadata
from tests.edits.browsing import Inputs


def of_spec(spec: Mapping[str, Any], **beside: Any) -> Schema:
    """The schema of a kind whose spec is this."""
    return with_metadata({"type": "object", "properties": {"spec": spec, **beside}})


@dataclass
class Sheet:
    """One state of a form, and the text behind it."""

    schema: Schema
    text: str
    base: Mapping[str, Any]
    opened: str = ""
    find: str = ""
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, schema: Schema, text: str) -> Sheet:
        return cls(schema, text, parse(text).value)

    @property
    def document(self) -> Document:
        return parse(self.text)

    @property
    def form(self) -> Form:
        shown = Shown(self.document.value, self.base, {}, self.problems)
        return build_form(self.schema, shown, {OPEN: self.opened, "form.find": self.find})

    @property
    def html(self) -> str:
        return render_to_string("edits/_form.html", {"form": self.form})

    @property
    def inputs(self) -> Inputs:
        found = Inputs()
        found.feed(self.html)
        return found

    def posted(self, typed: Mapping[str, str], button: str = "") -> Sheet:
        """The form sent back with what was typed, and with one of its buttons."""
        post = {**self.inputs.values, **typed, "change": button}
        document, problems = apply_form(self.schema, self.document, posted_fields(post))
        if problems or not button:
            return Sheet(self.schema, document.text, self.base, post[OPEN], self.find, problems)
        pressed = press(self.schema, document, post)
        return Sheet(self.schema, pressed.document.text, self.base, pressed.opened.text, self.find)

    def press(self, button: str, **typed: str) -> Sheet:
        """Press a button that the form has; underscores in the names of `typed` stand for dots."""
        assert ("change", button) in self.inputs.presses, self.inputs.presses
        return self.posted({name.replace("__", "."): value for name, value in typed.items()}, button)
