"""Check of the create editor's text while somebody types it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.problems.write_refusal import Refusal, unreadable_refusal, with_excerpts
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.object_creator import NewObjectRules
from dashboard.pages.create.schema_form import FormInput, fill_document, form_html_of, new_form
from dashboard.pages.edit.diagnostics import diagnostics
from dashboard.pages.edit.schema_refusal import schema_refusal
from dashboard.pages.forms import ButtonResult, press
from dashboard.pages.forms.expanded_paths import ExpandedPaths
from dashboard.pages.forms.input_names import OPEN, SHAPE
from dashboard.runtime.compute_process_pool import WorkEnded, WorkProcesses
from dashboard.runtime.concurrency_limit import Owners


async def check_result(
    processes: WorkProcesses, owners: Owners, rules: NewObjectRules, schema: Schema, text: str, post: Mapping[str, str]
) -> dict[str, Any]:
    """The check while somebody types; the same answer as dashboard.pages.edit.check_while_typing.check_result.

    Where a process is needed it is the turn of `owners`.
    """
    try:
        return await processes.run_if_long(owners, _check, rules, schema, text, post, size=len(text))
    except WorkEnded as error:
        return _unreadable(DocumentError(str(error)), text)


def _check(rules: NewObjectRules, schema: Schema, text: str, post: Mapping[str, str]) -> dict[str, Any]:
    try:
        begun = parse(text)
        document, problems = fill_document(schema, begun, post)
    except DocumentError as error:
        return _unreadable(error, text)
    pressed = (
        ButtonResult(document, ExpandedPaths.read(post.get(OPEN, ""))) if problems else press(schema, document, post)
    )
    document = pressed.document
    first_refusal = Refusal(problems, 422, "The form has errors") if problems else rules.local_refusal(document)
    first_refusal = first_refusal or schema_refusal(schema, document, {})
    unapplied = post if problems else {}
    form = new_form(rules, schema, FormInput(document.text, first_refusal, unapplied, pressed.expanded), post)
    fields = {**form.form.inputs(), **{each.name: each.value for each in form.names if each.value == each.initial}}
    return {
        "valid": first_refusal is None,
        "problems": _html(form.refusal) if form.refusal is not None else "",
        "marks": diagnostics(first_refusal),
        "yaml": document.text if document is not begun else None,
        "fields": fields,
        "focus": pressed.focus,
        **({} if post.get(SHAPE) == form.form.shape else {"form": form_html_of(form)}),
    }


def _unreadable(error: DocumentError, text: str) -> dict[str, Any]:
    refusal = unreadable_refusal(error)
    return {"valid": False, "problems": _html(with_excerpts(refusal, text)), "marks": diagnostics(refusal)}


def _html(refusal: Refusal) -> str:
    return render_to_string("writes/_problems.html", {"refusal": refusal, "problems": refusal.problems, "typing": True})
