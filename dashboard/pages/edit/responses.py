"""What came of a button as a page: one template for each outcome, the text in every one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from django.http import HttpResponse, HttpResponseRedirect

from dashboard.drafts.draft import Draft as Kept
from dashboard.edits.diff import changes
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Part
from dashboard.edits.fields import Path
from dashboard.edits.forms import Form, Shown, build_form, posted_fields
from dashboard.edits.forms.opened import Opened
from dashboard.edits.input_names import OPEN
from dashboard.edits.loop import off_loop
from dashboard.edits.objected import objected, undecoded
from dashboard.edits.outcomes import Draft, Gone, Moved, Outcome, Refused, Replaced, Review, Saved, Unsure
from dashboard.edits.parts import has_status
from dashboard.edits.place import Place
from dashboard.edits.posted import base_json, reviewed_mark
from dashboard.edits.problems import Refusal, located, unanswered, with_excerpts
from dashboard.edits.questions import questions_of
from dashboard.edits.said import say
from dashboard.edits.schema import Schema
from dashboard.edits.waiting import waiting_page, way_of
from dashboard.repeats import LOST, STORED

FEWEST_ROWS, MOST_ROWS = 14, 36
"""Lines of text that the editor shows at once."""


@dataclass(frozen=True, slots=True)
class Editor:
    """What the editor's page shows beside the object."""

    draft: Draft
    refusal: Refusal | None = None
    merged: Moved | None = None
    """Others' changes that are in the draft's text already."""
    taken: bool = False
    """Whether others' changes were just taken in."""
    deleting: str = ""
    """RFC 3339 of the moment its deletion was asked for; empty where it was not."""
    unapplied: bool = False
    """Whether what was typed into the form could not be written into the text, so that the form keeps it."""
    offers: tuple[Kept, ...] = ()
    """Drafts of the same object to go on with."""
    resumed: Kept | None = None
    """The draft that this page goes on with."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What was typed into the form of the draft that this page goes on with, as a POST has it."""
    theirs: str = ""
    """HTML: what others did to the object since the draft began."""
    opened: Opened | None = None
    """What the form has open, where a button of it changed that."""
    focus: str = ""


async def answer(place: Place, schema: Schema, outcome: Outcome) -> HttpResponse:
    """The page, or the way to the object's details, for what came of a draft."""
    match outcome:
        case Review():
            return await _review_page(place, outcome)
        case Moved():
            return _conflict_page(place, outcome)
        case Gone() | Replaced():
            return await _gone_page(place, outcome)
        case Refused():
            waiting = waiting_page(place, way_of(place.request.POST), outcome.refusal)
            return waiting or await editor_page(place, schema, Editor(outcome.draft, outcome.refusal, outcome.merged))
        case Saved():
            return _saved(place, outcome)
        case Unsure():
            return await _unsure_page(place, outcome, schema)


async def editor_page(place: Place, schema: Schema, editor: Editor) -> HttpResponse:
    """The text beside the form, with whatever was objected to."""
    draft, refusal = editor.draft, editor.refusal
    made = await off_loop(_made, editor, schema, place.request.POST.dict(), place.target.part, size=len(draft.text))
    context: dict[str, object] = {
        **draft_context(draft),
        "form": made.form,
        "refusal": made.refusal,
        "objected": made.objected,
        "merged": editor.merged,
        "taken": editor.taken,
        "deleting": editor.deleting,
        "count": made.count,
        "offers": editor.offers,
        "has_status": await has_status(place),
        "resumed": editor.resumed,
        "theirs": editor.theirs,
    }
    return place.page("edits/edit.html", _title(place), context, status=refusal.code if refusal is not None else 200)


@dataclass(frozen=True, slots=True)
class _Made:
    """What the editor's page shows of its text."""

    form: Form
    refusal: Refusal | None
    objected: Refusal | None
    """What the schema objects to, where nothing else was objected to."""
    count: int
    """Fields in which the text differs from what the edit began with."""


def _made(editor: Editor, schema: Schema, post: dict[str, str], part: Part) -> _Made:
    draft = editor.draft
    document = _document(draft.text)
    value = document.value if document is not None else draft.base.value
    refusal = editor.refusal
    if refusal is not None and document is not None:
        refusal = located(undecoded(refusal, schema, value), document)
    by_schema = objected(schema, document, draft.base.value, part) if refusal is None and document is not None else None
    said = refusal or by_schema
    shown = Shown(
        value,
        draft.base.value,
        posted_fields(post) if editor.unapplied else editor.typed,
        said.problems if said is not None else (),
        line_in(document),
        part,
    )
    form = build_form(schema, shown, post if editor.opened is None else {**post, OPEN: editor.opened.text})
    form = replace(form, focus=editor.focus)
    refusal, by_schema = (_placed(each, draft.text, form) for each in (refusal, by_schema))
    return _Made(form, refusal, by_schema, len(changes(draft.base.value, value)) if document is not None else 1)


def _title(place: Place) -> str:
    return "Edit status of" if place.target.part == "status" else "Edit"


def _placed(refusal: Refusal | None, text: str, form: Form) -> Refusal | None:
    return with_anchors(with_excerpts(refusal, text), form) if refusal is not None else None


def with_anchors(refusal: Refusal, form: Form) -> Refusal:
    """The same with the place of each problem in the form."""
    problems = (replace(problem, anchor=form.anchor_of(problem.path)) for problem in refusal.problems)
    return replace(refusal, problems=tuple(problems))


def line_in(document: Document | None) -> Callable[[Path], int]:
    """Tells on which line of a text a field stands; 0 for nowhere."""

    def line(path: Path) -> int:
        position = document.position(path) if document is not None else None
        return position.line if position is not None else 0

    return line


def draft_context(draft: Draft) -> dict[str, object]:
    """What edits/_draft.html sends back with every button."""
    rows = min(max(draft.text.count("\n") + 3, FEWEST_ROWS), MOST_ROWS)
    return {"draft": draft, "base_json": base_json(draft.base), "rows": rows}


async def _review_page(place: Place, review: Review) -> HttpResponse:
    purpose, draft = "create" if review.again else "save", review.draft
    reviewed = await off_loop(reviewed_mark, place.target, draft, purpose, review.beside, size=len(draft.text))
    context: dict[str, object] = {
        **draft_context(review.draft),
        "review": review,
        "reviewed": reviewed,
        "by_server": tuple(change for change in review.changes if change.by_server),
    }
    # a merge that nobody asked for is a conflict that was solved: the page says so in its status too
    return place.page("edits/review.html", "Review", context, status=409 if review.merged is not None else 200)


def _conflict_page(place: Place, moved: Moved) -> HttpResponse:
    questions = questions_of(moved.merge)
    context: dict[str, object] = {
        **draft_context(moved.draft),
        "moved": moved,
        "questions": questions,
    }
    return place.page("edits/conflict.html", "Merge", context, status=409)


async def _gone_page(place: Place, outcome: Gone | Replaced) -> HttpResponse:
    now = outcome.now if isinstance(outcome, Replaced) else None
    by = await place.exchange.deleter(outcome.draft.base.uid)
    context = {**draft_context(outcome.draft), "now": now, "unsure": outcome.unsure, "by": by}
    return place.page("edits/gone.html", "Edit", context, status=409)


def _saved(place: Place, saved: Saved) -> HttpResponse:
    response = HttpResponseRedirect(place.target.href)
    edited = place.target.edited
    otherwise, unseen = saved.otherwise.words, bool(saved.otherwise.unseen)
    unchanged = f"Nothing of {edited} has changed." if unseen else f"{edited} was like this already."
    words = f"{edited} is saved." if saved.changed else unchanged
    if saved.read or (LOST in place.request.POST and not saved.changed):
        words = f"{edited} is saved: {STORED}."
    warnings = " ".join(f"The API server warns: {warning}." for warning in saved.warnings)
    told = " ".join(each for each in (words, otherwise, warnings) if each)
    say(response, place.target.href, told, "warn" if warnings or unseen else "ok")
    return response


async def _unsure_page(place: Place, unsure: Unsure, schema: Schema) -> HttpResponse:
    words = "Whether your change was stored is not known yet: the object cannot be read at the moment."
    refusal = replace(unanswered(unsure.error, "It may or may not be saved", words, unread=True), trace=unsure.trace)
    waiting = waiting_page(place, way_of(place.request.POST), refusal)
    return waiting or await editor_page(place, schema, Editor(unsure.draft, refusal))


def _document(text: str) -> Document | None:
    """What the text holds; None where it holds no object."""
    try:
        return parse(text)
    except DocumentError:
        return None
