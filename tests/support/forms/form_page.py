"""Form of an object as a browser without scripts has it: rendered, filled in and posted, without a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from dashboard.objects.manifests.document import Document, parse
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.schema import Schema, with_metadata
from dashboard.pages.forms import Form, FormContext, apply_form, build_form, form_fields, press
from dashboard.pages.forms.input_names import OPEN
from tests.support.edit.form_inputs import Inputs


def of_spec(spec: Mapping[str, Any], **beside: Any) -> Schema:
    """The schema of a kind with this schema as its spec, and `beside` as further properties."""
    return with_metadata({"type": "object", "properties": {"spec": spec, **beside}})


@dataclass
class FormPage:
    """One state of a form, and the text behind it."""

    schema: Schema
    text: str
    base: Mapping[str, Any]
    opened: str = ""
    find: str = ""
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, schema: Schema, text: str) -> FormPage:
        return cls(schema, text, parse(text).value)

    @property
    def document(self) -> Document:
        return parse(self.text)

    @property
    def form(self) -> Form:
        shown = FormContext(self.document.value, self.base, {}, self.problems)
        return build_form(self.schema, shown, {OPEN: self.opened, "form.find": self.find})

    @property
    def html(self) -> str:
        return render_to_string("forms/_form.html", {"form": self.form})

    @property
    def inputs(self) -> Inputs:
        found = Inputs()
        found.feed(self.html)
        return found

    def posted(self, typed: Mapping[str, str], button: str = "") -> FormPage:
        """The form sent back with what was typed, and with one of its buttons."""
        post = {**self.inputs.values, **typed, "change": button}
        document, problems = apply_form(self.schema, self.document, form_fields(post))
        if problems or not button:
            return FormPage(self.schema, document.text, self.base, post[OPEN], self.find, problems)
        pressed = press(self.schema, document, post)
        return FormPage(self.schema, pressed.document.text, self.base, pressed.expanded.text, self.find)

    def press(self, button: str, **typed: str) -> FormPage:
        """Press a button that the form has; underscores in the names of `typed` stand for dots."""
        assert ("change", button) in self.inputs.presses, self.inputs.presses
        return self.posted({name.replace("__", "."): value for name, value in typed.items()}, button)
