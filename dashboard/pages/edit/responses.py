"""Responses to editor buttons: one template for each outcome, with the text in every one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from dashboard.live.moments.history_objects import HISTORY
from dashboard.objects.fields.field_access import Path
from dashboard.objects.manifests.document import Document, DocumentError, parse
from dashboard.objects.merge.diff import changes
from dashboard.objects.problems.write_refusal import Refusal, locate, unanswered_refusal, with_excerpts
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.drafts.draft import Draft as Kept
from dashboard.pages.edit.conflict_questions import conflict_questions
from dashboard.pages.edit.form_data import Button, dump_base
from dashboard.pages.edit.schema_refusal import schema_refusal, with_schema_problems
from dashboard.pages.edit.signed_review import sign_review
from dashboard.pages.edit.spec_or_status_request import has_status
from dashboard.pages.forms import Form, FormContext, build_form, form_fields
from dashboard.pages.forms.expanded_paths import ExpandedPaths
from dashboard.pages.forms.input_names import OPEN
from dashboard.pages.layout.flash import Tone, flash
from dashboard.pages.layout.shown_moment import FIELD, UNDO, VERSION, can_restore, undo_query
from dashboard.pages.writes.destruction import destruction_text
from dashboard.pages.writes.outcomes import Gone, Moved, Outcome, Refused, Replaced, Review, Saved, Submission, Unsure
from dashboard.pages.writes.request_context import EditRequest
from dashboard.pages.writes.retry_page import retry_action_of, retry_page
from dashboard.pages.writes.target import Editable
from dashboard.pages.writes.typed_name import TypedName, is_missing
from dashboard.runtime.request_retry import LOST_INPUT, STORED_AFTER_ALL
from dashboard.runtime.thread_pools import run_in_thread, run_in_thread_if_large

FEWEST_ROWS, MOST_ROWS = 14, 36
"""Visible lines of the editor."""


@dataclass(frozen=True, slots=True)
class Editor:
    """The editor page itself: a button that neither reviews nor writes leads back to it."""

    draft: Submission
    refusal: Refusal | None = None
    merged: Moved | None = None
    """Other users' changes that are in the draft's text already."""
    has_merged_theirs: bool = False
    """Whether other users' changes were just merged in."""
    deletion_timestamp: str = ""
    """RFC 3339 time of its deletion request; empty where there is none."""
    has_unapplied_input: bool = False
    """Whether the form input could not be written into the text, so that the form keeps it."""
    offers: tuple[Kept, ...] = ()
    """Other drafts of the same object, to resume."""
    resumed: Kept | None = None
    """The resumed draft of this page."""
    form_data: Mapping[str, str] = field(default_factory=dict)
    """The form input of the resumed draft, as a POST has it."""
    restored_at: str = ""
    """RFC 3339 of the moment whose version the text is; empty where it is none of history."""
    theirs_html: str = ""
    """HTML: other users' changes since the draft began."""
    expanded: ExpandedPaths | None = None
    """Open fields of the form, where a form button changed them."""
    focus: str = ""


async def outcome_response(edit_request: EditRequest, outcome: Editor | Outcome) -> HttpResponse:
    """The response to an outcome: a page, or a redirect to the object's details."""
    match outcome:
        case Editor():
            return await _editor_page(edit_request, outcome)
        case Review():
            return await _review_page(edit_request, outcome)
        case Moved():
            return _conflict_page(edit_request, outcome)
        case Gone() | Replaced():
            return await _gone_page(edit_request, outcome)
        case Refused():
            waiting = retry_page(edit_request, retry_action_of(edit_request.request.POST), outcome.refusal)
            return waiting or await _editor_page(edit_request, Editor(outcome.draft, outcome.refusal, outcome.merged))
        case Saved():
            return _saved_response(edit_request, outcome)
        case Unsure():
            return await _unsure_page(edit_request, outcome)


async def _editor_page(edit_request: EditRequest, editor: Editor) -> HttpResponse:
    """The page with text and form, and all problems."""
    draft, refusal = editor.draft, editor.refusal
    schema, version_warnings = await asyncio.gather(edit_request.schema(), edit_request.version_warnings())
    editor_context = await run_in_thread(
        _editor_context, editor, schema, edit_request.request.POST.dict(), edit_request.target.part
    )
    context: dict[str, object] = {
        **submission_context(draft),
        "form_html": editor_context.form_html,
        "refusal": editor_context.refusal,
        "schema_refusal": editor_context.schema_refusal,
        "merged": editor.merged,
        "has_merged_theirs": editor.has_merged_theirs,
        "deletion_timestamp": editor.deletion_timestamp,
        "count": editor_context.count,
        "offers": editor.offers,
        "version_warnings": version_warnings,
        "has_status": await has_status(edit_request),
        "resumed": editor.resumed,
        "restored_at": editor.restored_at,
        "theirs_html": editor.theirs_html,
    }
    return edit_request.page(
        "edit/edit.html", _title(edit_request), context, status=refusal.code if refusal is not None else 200
    )


@dataclass(frozen=True, slots=True)
class _EditorContext:
    """Context of the editor's text."""

    form_html: SafeString
    refusal: Refusal | None
    schema_refusal: Refusal | None
    """The schema's refusal, where nothing else was refused."""
    count: int
    """Fields in which the text differs from the base."""


def _editor_context(editor: Editor, schema: Schema, post: dict[str, str], part: Editable) -> _EditorContext:
    draft = editor.draft
    document = _document(draft.text)
    value = document.value if document is not None else draft.base.value
    refusal = editor.refusal
    if refusal is not None and document is not None:
        refusal = locate(with_schema_problems(refusal, schema, value), document)
    schema_problems = (
        schema_refusal(schema, document, draft.base.value, part) if refusal is None and document is not None else None
    )
    shown_refusal = refusal or schema_problems
    form_context = FormContext(
        value,
        draft.base.value,
        form_fields(post) if editor.has_unapplied_input else editor.form_data,
        shown_refusal.problems if shown_refusal is not None else (),
        line_in(document),
        part,
    )
    form = build_form(schema, form_context, post if editor.expanded is None else {**post, OPEN: editor.expanded.text})
    form = replace(form, focus=editor.focus)
    refusal, schema_problems = (_placed(each, draft.text, form) for each in (refusal, schema_problems))
    change_count = len(changes(draft.base.value, value)) if document is not None else 1
    return _EditorContext(form_html_of(form), refusal, schema_problems, change_count)


def form_html_of(form: Form) -> SafeString:
    """The form as HTML."""
    return render_to_string("forms/_form.html", {"form": form})


def _title(edit_request: EditRequest) -> str:
    return "Edit status of" if edit_request.target.part == "status" else "Edit"


def _placed(refusal: Refusal | None, text: str, form: Form) -> Refusal | None:
    return with_anchors(with_excerpts(refusal, text), form) if refusal is not None else None


def with_anchors(refusal: Refusal, form: Form) -> Refusal:
    """The problems with their anchors in the form."""
    problems = (replace(problem, anchor=form.anchor_of(problem.path)) for problem in refusal.problems)
    return replace(refusal, problems=tuple(problems))


def line_in(document: Document | None) -> Callable[[Path], int]:
    """Returns the line of a field in a text; 0 where it has none."""

    def line(path: Path) -> int:
        position = document.position(path) if document is not None else None
        return position.line if position is not None else 0

    return line


def submission_context(draft: Submission) -> dict[str, object]:
    """Context of writes/_hidden_inputs.html, which every button sends back."""
    rows = min(max(draft.text.count("\n") + 3, FEWEST_ROWS), MOST_ROWS)
    return {"draft": draft, "base_json": dump_base(draft.base), "rows": rows}


async def _review_page(edit_request: EditRequest, review: Review) -> HttpResponse:
    purpose, draft = Button.CREATE if review.is_recreation else Button.SAVE, review.draft
    reader = edit_request.draft_session.identity
    reviewed = await run_in_thread_if_large(
        sign_review, reader, edit_request.target, draft, purpose, review.admission_changes, size=len(draft.text)
    )
    typed_name = None if review.is_recreation else await name_to_type_for(edit_request, draft)
    is_name_refused = (
        Button.SAVE.value in edit_request.request.POST and review.merged is None and is_missing(typed_name)
    )
    context: dict[str, object] = {
        **submission_context(review.draft),
        "review": review,
        "reviewed": reviewed,
        **_start_context(edit_request),
        "by_server": tuple(change for change in review.changes if change.by_server),
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
    }
    # a merge that nobody asked for is a conflict that was solved: the page says so in its status too
    status = 409 if review.merged is not None else 422 if is_name_refused else 200
    return edit_request.page("edit/review.html", "Review", context, status=status)


def _start_context(edit_request: EditRequest) -> dict[str, object]:
    """What the edit began with, where that is a part of history: context of edit/_started_from_history.html."""
    request = edit_request.request
    params = request.POST if VERSION in request.POST else request.GET if request.method != "POST" else QueryDict()
    return {
        "put_back_fields": params.getlist(FIELD),
        "restored_at": params.get(VERSION, ""),
        "is_undo": UNDO in params,
    }


async def name_to_type_for(edit_request: EditRequest, draft: Submission) -> TypedName | None:
    """The object's name, to be typed before the draft is saved; None where it destroys nothing or this is not
    production.
    """
    typed_name = edit_request.name_to_type
    if typed_name is None:
        return None
    document = await run_in_thread_if_large(_document, draft.text, size=len(draft.text))
    reason = destruction_text(draft.base.value, document.value) if document is not None else ""
    return replace(typed_name, reason=reason) if reason else None


def _conflict_page(edit_request: EditRequest, moved: Moved) -> HttpResponse:
    questions = conflict_questions(moved.merge)
    context: dict[str, object] = {
        **submission_context(moved.draft),
        **_start_context(edit_request),
        "moved": moved,
        "questions": questions,
    }
    return edit_request.page("edit/conflict.html", "Merge", context, status=409)


async def _gone_page(edit_request: EditRequest, outcome: Gone | Replaced) -> HttpResponse:
    replacement = outcome.current if isinstance(outcome, Replaced) else None
    deleted_by = await edit_request.object_client.deleter(outcome.draft.base.uid)
    context = {
        **submission_context(outcome.draft),
        "replacement": replacement,
        "is_unsure": outcome.unsure,
        "deleted_by": deleted_by,
    }
    return edit_request.page("edit/gone.html", "Edit", context, status=409)


def _saved_response(edit_request: EditRequest, saved: Saved) -> HttpResponse:
    response = HttpResponseRedirect(edit_request.target.href)
    edited = edit_request.target.part_words
    drift_text, differs_from_review = saved.drift.words, bool(saved.drift.unreviewed_fields)
    unchanged = f"{edited} has not changed." if differs_from_review else f"{edited} was like this already."
    words = f"{edited} is saved." if saved.changed else unchanged
    if saved.confirmed_by_read or (LOST_INPUT in edit_request.request.POST and not saved.changed):
        words = f"{edited} is saved: {STORED_AFTER_ALL}."
    warnings = " ".join(f"The API server warns: {warning}." for warning in saved.warnings)
    text = " ".join(each for each in (words, drift_text, warnings) if each)
    tone: Tone = "warn" if warnings or differs_from_review else "ok"
    flash(response, edit_request.target.href, text, tone, undo_href=_undo_href(edit_request, saved))
    return response


def _undo_href(edit_request: EditRequest, saved: Saved) -> str:
    """Address that undoes the write; empty where nothing was written, or history has nothing to put back."""
    target = edit_request.target
    has_history = edit_request.state[HISTORY] is not None and can_restore(target.kind) and target.part == "spec"
    return f"{target.edit_href}?{undo_query(saved.version, saved.before)}" if has_history and saved.changed else ""


async def _unsure_page(edit_request: EditRequest, unsure: Unsure) -> HttpResponse:
    words = "It is not known yet whether your change was stored: the object cannot be read at the moment."
    refusal = replace(
        unanswered_refusal(unsure.error, "It may or may not be saved", words, is_unverified=True), trace=unsure.trace
    )
    waiting = retry_page(edit_request, retry_action_of(edit_request.request.POST), refusal)
    return waiting or await _editor_page(edit_request, Editor(unsure.draft, refusal))


def _document(text: str) -> Document | None:
    """The parsed text; None where it holds no object."""
    try:
        return parse(text)
    except DocumentError:
        return None
