"""Live check for the editor's script while the user types. It writes nothing, and nothing depends on it."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from django.template.loader import render_to_string

from dashboard.access.quota_owner import quota_owners
from dashboard.objects.fields.field_access import Value
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.merge.diff import Change, changes
from dashboard.objects.problems.write_refusal import (
    Problem,
    Refusal,
    locate,
    mismatch_refusal,
    unreadable_refusal,
    with_excerpts,
)
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.edit.concurrent_changes import find_moved
from dashboard.pages.edit.diagnostics import diagnostics
from dashboard.pages.edit.form_data import read_submission
from dashboard.pages.edit.responses import form_html_of, line_in, with_anchors
from dashboard.pages.edit.schema_refusal import schema_refusal
from dashboard.pages.edit.text_refusals import find_mismatches
from dashboard.pages.forms import ButtonResult, Form, FormContext, apply_form, build_form, form_fields, press
from dashboard.pages.forms.expanded_paths import ExpandedPaths
from dashboard.pages.forms.input_names import OPEN, SHAPE
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.request_context import EditRequest
from dashboard.pages.writes.target import Target
from dashboard.runtime.app_state import scope_of
from dashboard.runtime.compute_process_pool import WORK_PROCESSES, WorkEnded
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import InformerdError, NotFound

LOOK_AGAIN = "look"
"""Parameter that the script sends where the object may have changed: the answer then has ``theirs``."""


async def check_result(edit_request: EditRequest) -> dict[str, Any]:
    """``valid``, ``yaml`` (where the form changed it), ``fields`` (name to value), ``changes`` (their number).

    ``focus`` is the id of the next input; ``problems``, ``theirs`` and ``form`` (where the inputs have changed) are
    HTML, ``marks`` the problems with positions. A form button in `change` is applied first. Empty: the post was
    incomplete.
    """
    post = edit_request.request.POST
    draft = await read_submission(post)
    if draft is None:
        return {}
    theirs = {"theirs": await theirs_note(edit_request, draft)} if LOOK_AGAIN in post else {}
    try:
        return {**theirs, **await _consistent(edit_request, draft)}
    except (DocumentError, WorkEnded) as error:
        reason = error if isinstance(error, DocumentError) else DocumentError(str(error))
        return {**theirs, **unreadable_result(unreadable_refusal(reason), draft)}


def unreadable_result(refusal: Refusal, draft: Submission) -> dict[str, Any]:
    """As `check_result`, for a text that cannot be parsed."""
    return {"valid": False, "problems": _html(refusal, draft.text), "marks": diagnostics(refusal)}


async def _consistent(edit_request: EditRequest, draft: Submission) -> dict[str, Any]:
    """Raises DocumentError and WorkEnded."""
    schema = await edit_request.schema()
    post, owners = edit_request.request.POST.dict(), quota_owners(scope_of(edit_request.request))
    processes, size = edit_request.state[WORK_PROCESSES], max(len(draft.text), len(post["base"]))
    return await processes.run_if_long(owners, _check, post, edit_request.target, draft, schema, size=size)


def _check(post: dict[str, str], target: Target, draft: Submission, schema: Schema) -> dict[str, Any]:
    """Raises DocumentError."""
    document, form_data = parse(draft.text), form_fields(post)
    filled, problems = apply_form(schema, document, form_data)
    pressed = ButtonResult(filled, ExpandedPaths.read(post.get(OPEN, ""))) if problems else press(schema, filled, post)
    filled, state = pressed.document, {**post, OPEN: pressed.expanded.text}
    refusal = _refusal(problems, filled, target, draft, schema)
    problems_found = refusal.problems if refusal is not None else ()
    unapplied = form_data if problems else {}
    form = build_form(
        schema,
        FormContext(filled.value, draft.base.value, unapplied, problems_found, line_in(filled), target.part),
        state,
    )
    return {
        "valid": refusal is None,
        "problems": _html(with_anchors(refusal, form), filled.text) if refusal is not None else "",
        "marks": diagnostics(refusal),
        "yaml": filled.text if filled is not document else None,
        "changes": len(changes(draft.base.value, filled.value)),
        **_form(form, post),
        "focus": pressed.focus,
    }


def _refusal(
    problems: tuple[Problem, ...], document: Document, target: Target, draft: Submission, schema: Schema
) -> Refusal | None:
    """The first refusal: form and text disagree, the text is about another object, the schema forbids it."""
    if problems:
        return Refusal(problems, 422, "The form has errors")
    mismatches = find_mismatches(document.value, target, draft.base)
    return (
        locate(mismatch_refusal(mismatches), document)
        if mismatches
        else schema_refusal(schema, document, draft.base.value, target.part)
    )


def _form(form: Form, post: dict[str, str]) -> dict[str, Any]:
    """``fields`` (name to value); ``form``, the form's HTML, where the inputs have changed."""
    html = {} if post.get(SHAPE) == form.shape else {"form": form_html_of(form)}
    return {"fields": form.inputs(), **html}


async def theirs_note(edit_request: EditRequest, draft: Submission) -> str:
    """HTML note about other users' changes since the edit began; empty where there are none to see."""
    try:
        live = await edit_request.object_client.read()
    except NotFound:
        author = await edit_request.object_client.deleter(draft.base.uid)
        return render_to_string(
            "edit/_their_changes.html", {"is_gone": True, "target": edit_request.target, "author": author}
        )
    except InformerdError:
        return ""
    target = edit_request.target
    now = Base.of(live, target.part)
    is_replaced = now.uid != draft.base.uid
    others_changes, overlap = await _others_changes(edit_request, draft, live, now)
    if not others_changes and not is_replaced:
        return ""
    author, changed_at = await edit_request.object_client.last_author(live)
    context = {
        "target": target,
        "is_replaced": is_replaced,
        "author": author,
        "changed_at": changed_at,
        "changes": others_changes,
        "overlap": overlap,
    }
    return render_to_string("edit/_their_changes.html", context)


async def _others_changes(
    edit_request: EditRequest, draft: Submission, live: dict[str, Value], now: Base
) -> tuple[tuple[Change, ...], Literal["yes", "no", "unreadable"]]:
    """Other users' changes, and whether the text changes any of the same fields to something else."""
    schema = await edit_request.schema()
    # the object may be large where the text is not, and the other way round
    size = max(len(draft.text), len(edit_request.request.POST.get("base", "")))
    try:
        document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
    except DocumentError:
        return await run_in_thread_if_large(
            partial(changes, schema=schema), draft.base.value, now.value, size=size
        ), "unreadable"
    moved = await find_moved(edit_request.object_client, draft, document, live, schema)
    return moved.theirs, "yes" if moved.merge.conflicts or moved.merge.resolved else "no"


def _html(refusal: Refusal, text: str) -> str:
    refusal = with_excerpts(refusal, text)
    return render_to_string("writes/_problems.html", {"refusal": refusal, "problems": refusal.problems, "typing": True})
