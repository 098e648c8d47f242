"""What the editor's script is told while somebody types. Nothing here writes, and nothing depends on it."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from django.template.loader import render_to_string

from dashboard.edits.answers import line_in, with_anchors
from dashboard.edits.diff import Change, changes
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Base, Target, mismatches
from dashboard.edits.fields import Value
from dashboard.edits.forms import Form, Pressed, Shown, apply_form, build_form, posted_fields, press
from dashboard.edits.forms.opened import Opened
from dashboard.edits.input_names import OPEN, SHAPE
from dashboard.edits.loop import off_loop
from dashboard.edits.marks import marks
from dashboard.edits.objected import objected
from dashboard.edits.outcomes import Draft
from dashboard.edits.place import Place
from dashboard.edits.posted import sent_draft
from dashboard.edits.present import moved_of
from dashboard.edits.problems import Problem, Refusal, located, mismatched, unreadable, with_excerpts
from dashboard.edits.schema import Schema
from informerd.errors import InformerdError, NotFound

LOOK = "look"
"""Posted where the script knows that the object may have changed: the answer then has ``theirs``."""


async def checked(place: Place) -> dict[str, Any]:
    """``valid``, ``yaml`` (where the form changed it), ``fields`` (name to value), ``changes`` (their number).

    ``focus`` is the id of the input that is next; ``problems``, ``theirs`` and ``form`` (where the page has other
    inputs) are HTML, ``marks`` the problems as places and words. A button of the form in `change` is done first.
    Empty: the page came incomplete.
    """
    post = place.request.POST
    draft = await sent_draft(post)
    if draft is None:
        return {}
    theirs = {"theirs": await theirs_note(place, draft)} if LOOK in post else {}
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
        return {**theirs, **await _consistent(place, draft, document)}
    except DocumentError as error:
        return {**theirs, **unread(unreadable(error), draft)}


def unread(refusal: Refusal, draft: Draft) -> dict[str, Any]:
    """As `checked`, of a text that cannot be taken as it is."""
    return {"valid": False, "problems": _html(refusal, draft.text), "marks": marks(refusal)}


async def _consistent(place: Place, draft: Draft, document: Document) -> dict[str, Any]:
    schema = await place.schema()
    post = place.request.POST.dict()
    return await off_loop(_judged, post, place.target, draft, document, schema, size=len(draft.text))


def _judged(post: dict[str, str], target: Target, draft: Draft, document: Document, schema: Schema) -> dict[str, Any]:
    posted = posted_fields(post)
    filled, problems = apply_form(schema, document, posted)
    pressed = Pressed(filled, Opened.read(post.get(OPEN, ""))) if problems else press(schema, filled, post)
    filled, state = pressed.document, {**post, OPEN: pressed.opened.text}
    refusal = _refusal(problems, filled, target, draft, schema)
    found = refusal.problems if refusal is not None else ()
    kept = posted if problems else {}
    form = build_form(schema, Shown(filled.value, draft.base.value, kept, found, line_in(filled), target.part), state)
    return {
        "valid": refusal is None,
        "problems": _html(with_anchors(refusal, form), filled.text) if refusal is not None else "",
        "marks": marks(refusal),
        "yaml": filled.text if filled is not document else None,
        "changes": len(changes(draft.base.value, filled.value)),
        **_form(form, post),
        "focus": pressed.focus,
    }


def _refusal(
    problems: tuple[Problem, ...], document: Document, target: Target, draft: Draft, schema: Schema
) -> Refusal | None:
    """The first that there is: form and text disagree, the text is about something else, the schema objects."""
    if problems:
        return Refusal(problems, 422, "The form cannot be taken as it is")
    wrong = mismatches(document.value, target, draft.base)
    return located(mismatched(wrong), document) if wrong else objected(schema, document, draft.base.value, target.part)


def _form(form: Form, post: dict[str, str]) -> dict[str, Any]:
    """``fields`` (name to value); ``form``, the form's HTML, where the page has other inputs than these."""
    html = {} if post.get(SHAPE) == form.shape else {"form": render_to_string("edits/_form.html", {"form": form})}
    return {"fields": form.inputs(), **html}


async def theirs_note(place: Place, draft: Draft) -> str:
    """HTML: the note about what others did to the object since the edit began; empty where they did nothing to see."""
    try:
        live = await place.exchange.read()
    except NotFound:
        by = await place.exchange.deleter(draft.base.uid)
        return render_to_string("edits/_theirs.html", {"gone": True, "target": place.target, "by": by})
    except InformerdError:
        return ""
    target = place.target
    now = Base.of(live, target.part)
    replaced = now.uid != draft.base.uid
    found, touched = await _apart(place, draft, live, now)
    if not found and not replaced:
        return ""
    by, at = await place.exchange.writer(live)
    context = {"target": target, "replaced": replaced, "by": by, "at": at, "changes": found, "touched": touched}
    return render_to_string("edits/_theirs.html", context)


async def _apart(
    place: Place, draft: Draft, live: dict[str, Value], now: Base
) -> tuple[tuple[Change, ...], Literal["yes", "no", "unreadable"]]:
    """What others changed, and whether the text changes any of it, too, to something else."""
    schema = await place.schema()
    # the object may be large where the text is not, and the other way round
    size = max(len(draft.text), len(place.request.POST.get("base", "")))
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
    except DocumentError:
        return await off_loop(partial(changes, schema=schema), draft.base.value, now.value, size=size), "unreadable"
    moved = await moved_of(place.exchange, draft, document, live, schema)
    return moved.theirs, "yes" if moved.merge.conflicts or moved.merge.settled else "no"


def _html(refusal: Refusal, text: str) -> str:
    refusal = with_excerpts(refusal, text)
    return render_to_string("edits/_problems.html", {"refusal": refusal, "problems": refusal.problems, "typing": True})
