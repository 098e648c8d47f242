"""The form beside the text of a new object: its name and namespace, then what the schema gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.template.loader import render_to_string

from dashboard.creating.making import Maker
from dashboard.creating.naming import NAME, NAMESPACE, NameField, apply_names, name_fields
from dashboard.edits.answers import line_in, with_anchors
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.fields import show
from dashboard.edits.forms import Form, Pressed, Shown, apply_form, build_form, posted_fields, press
from dashboard.edits.forms.opened import Opened
from dashboard.edits.input_names import OPEN, SHAPE
from dashboard.edits.marks import marks
from dashboard.edits.objected import objected, undecoded
from dashboard.edits.problems import Problem, Refusal, located, unreadable, with_excerpts
from dashboard.edits.schema import Schema


@dataclass(frozen=True, slots=True)
class NewForm:
    """What the page shows beside the text."""

    names: tuple[NameField, ...]
    form: Form
    refusal: Refusal | None
    objected: Refusal | None
    """What the schema objects to, where nothing else was objected to."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A text and what goes with it on its way to a form."""

    text: str
    refusal: Refusal | None = None
    typed: Mapping[str, str] = field(default_factory=dict)
    """What was typed into the form and is not in the text."""
    opened: Opened | None = None
    focus: str = ""


def new_form(maker: Maker, schema: Schema, entry: Entry, post: Mapping[str, str]) -> NewForm:
    """The form for a text; where that cannot be read, an empty one that keeps what was typed."""
    document = _document(entry.text)
    value = document.value if document is not None else {}
    refusal = entry.refusal
    if refusal is not None and document is not None:
        refusal = located(undecoded(refusal, schema, value), document)
    by_schema = objected(schema, document, {}) if refusal is None and document is not None else None
    said = refusal or by_schema
    problems = said.problems if said is not None else ()
    names = name_fields(value, namespaced=maker.kind.namespaced, posted=entry.typed, problems=problems)
    shown = Shown(value, {}, _without_names(entry.typed), problems, line_in(document))
    form = build_form(schema, shown, post if entry.opened is None else {**post, OPEN: entry.opened.text})
    form = replace(form, focus=entry.focus)
    placed = (_placed(each, entry.text, form) for each in (refusal, by_schema))
    return NewForm(names, form, *placed)


def filled(schema: Schema, document: Document, post: Mapping[str, str]) -> tuple[Document, tuple[Problem, ...]]:
    """The document with what was typed into the form written into its text; and what could not be."""
    document, wrong_names = apply_names(document, post)
    document, problems = apply_form(schema, document, _without_names(posted_fields(post)))
    return document, (*wrong_names, *problems)


def checked(maker: Maker, schema: Schema, text: str, post: Mapping[str, str]) -> dict[str, Any]:
    """What the editor's script asks while somebody types; as dashboard.edits.check.checked answers."""
    try:
        begun = parse(text)
        document, problems = filled(schema, begun, post)
    except DocumentError as error:
        refusal = unreadable(error)
        return {"valid": False, "problems": _html(with_excerpts(refusal, text)), "marks": marks(refusal)}
    pressed = Pressed(document, Opened.read(post.get(OPEN, ""))) if problems else press(schema, document, post)
    document = pressed.document
    found = Refusal(problems, 422, "The form cannot be taken as it is") if problems else maker.objection(document)
    found = found or objected(schema, document, {})
    kept = post if problems else {}
    made = new_form(maker, schema, Entry(document.text, found, kept, pressed.opened), post)
    fields = {**made.form.inputs(), **{each.name: each.value for each in made.names if each.value == each.shown}}
    return {
        "valid": found is None,
        "problems": _html(made.refusal) if made.refusal is not None else "",
        "marks": marks(found),
        "yaml": document.text if document is not begun else None,
        "fields": fields,
        "focus": pressed.focus,
        **({} if post.get(SHAPE) == made.form.shape else {"form": _form_html(made)}),
    }


def _document(text: str) -> Document | None:
    try:
        return parse(text)
    except DocumentError:
        return None


def _without_names(posted: Mapping[str, str]) -> dict[str, str]:
    names = {show(path) for path in (NAME, NAMESPACE)}
    return {name: value for name, value in posted_fields(posted).items() if name.partition(".")[2] not in names}


def _placed(refusal: Refusal | None, text: str, form: Form) -> Refusal | None:
    return with_anchors(with_excerpts(refusal, text), form) if refusal is not None else None


def _html(refusal: Refusal) -> str:
    return render_to_string("edits/_problems.html", {"refusal": refusal, "problems": refusal.problems, "typing": True})


def _form_html(made: NewForm) -> str:
    return render_to_string("create/_form.html", {"names": made.names, "form": made.form})
