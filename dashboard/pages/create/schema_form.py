"""Form of the create editor: name and namespace, then the fields of the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from dashboard.objects.fields.field_access import format_path
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.problems.write_refusal import Problem, Refusal, locate, with_excerpts
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.name_and_namespace_fields import NAME, NAMESPACE, NameField, apply_names, name_fields
from dashboard.pages.create.object_creator import NewObjectRules
from dashboard.pages.edit.responses import line_in, with_anchors
from dashboard.pages.edit.schema_refusal import schema_refusal, with_schema_problems
from dashboard.pages.forms import Form, FormContext, apply_form, build_form, form_fields
from dashboard.pages.forms.expanded_paths import ExpandedPaths
from dashboard.pages.forms.input_names import OPEN


@dataclass(frozen=True, slots=True)
class NewForm:
    """The form beside the text."""

    names: tuple[NameField, ...]
    form: Form
    refusal: Refusal | None
    schema_refusal: Refusal | None
    """The schema's refusal, where nothing else was refused."""


@dataclass(frozen=True, slots=True)
class FormInput:
    """A text with the form input that belongs to it."""

    text: str
    refusal: Refusal | None = None
    form_data: Mapping[str, str] = field(default_factory=dict)
    """Form input that is not in the text yet."""
    expanded: ExpandedPaths | None = None
    focus: str = ""


def new_form(rules: NewObjectRules, schema: Schema, form_input: FormInput, post: Mapping[str, str]) -> NewForm:
    """The form for a text; where that cannot be parsed, an empty form that keeps the input."""
    document = _document(form_input.text)
    value = document.value if document is not None else {}
    refusal = form_input.refusal
    if refusal is not None and document is not None:
        refusal = locate(with_schema_problems(refusal, schema, value), document)
    by_schema = schema_refusal(schema, document, {}) if refusal is None and document is not None else None
    shown_refusal = refusal or by_schema
    problems = shown_refusal.problems if shown_refusal is not None else ()
    names = name_fields(value, namespaced=rules.kind.namespaced, form_data=form_input.form_data, problems=problems)
    shown = FormContext(value, {}, _without_names(form_input.form_data), problems, line_in(document))
    form = build_form(schema, shown, post if form_input.expanded is None else {**post, OPEN: form_input.expanded.text})
    form = replace(form, focus=form_input.focus)
    placed = (_placed(each, form_input.text, form) for each in (refusal, by_schema))
    return NewForm(names, form, *placed)


def fill_document(schema: Schema, document: Document, post: Mapping[str, str]) -> tuple[Document, tuple[Problem, ...]]:
    """The document with the form input written into its text; and the input that could not be written."""
    document, wrong_names = apply_names(document, post)
    document, problems = apply_form(schema, document, _without_names(form_fields(post)))
    return document, (*wrong_names, *problems)


def _document(text: str) -> Document | None:
    try:
        return parse(text)
    except DocumentError:
        return None


def _without_names(form_data: Mapping[str, str]) -> dict[str, str]:
    names = {format_path(path) for path in (NAME, NAMESPACE)}
    return {name: value for name, value in form_fields(form_data).items() if name.partition(".")[2] not in names}


def _placed(refusal: Refusal | None, text: str, form: Form) -> Refusal | None:
    return with_anchors(with_excerpts(refusal, text), form) if refusal is not None else None


def form_html_of(form: NewForm) -> SafeString:
    """The form as HTML."""
    return render_to_string("create/_form.html", {"names": form.names, "form": form.form})
