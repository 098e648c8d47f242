"""What the editor's script is told while somebody types. Nothing here writes, and nothing depends on it."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string

from dashboard.edits.actions import last_writer
from dashboard.edits.diff import Change, changes
from dashboard.edits.document import Document, DocumentError, parse
from dashboard.edits.editable import Base, mismatches
from dashboard.edits.fields import Value, get, same
from dashboard.edits.form import apply_form, build_form, posted_fields
from dashboard.edits.loop import off_loop
from dashboard.edits.outcomes import Draft
from dashboard.edits.place import Place
from dashboard.edits.posted import draft_of
from dashboard.edits.problems import Refusal, located, mismatched, unreadable, with_excerpts
from informerd.errors import InformerdError, NotFound

LOOK = "look"
"""Posted where the script knows that the object may have changed: the answer then has ``theirs``."""


async def checked(place: Place) -> dict[str, Any]:
    """``valid``, ``yaml`` (where the form changed it), ``fields`` (name to value), ``changes`` (their number).

    ``problems`` and ``theirs`` are HTML. Empty where the form came incomplete.
    """
    post = place.request.POST
    draft = draft_of(post)
    if draft is None:
        return {}
    theirs = {"theirs": await _theirs(place, draft)} if LOOK in post else {}
    try:
        document = await off_loop(parse, draft.text, size=len(draft.text))
        return {**theirs, **await _consistent(place, draft, document)}
    except DocumentError as error:
        return {**theirs, "valid": False, "problems": _html(unreadable(error), draft.text)}


async def _consistent(place: Place, draft: Draft, document: Document) -> dict[str, Any]:
    schema = await place.schema()
    fields = posted_fields(place.request.POST.dict())
    filled, problems = await off_loop(apply_form, schema, document, fields, size=len(draft.text))
    wrong = mismatches(filled.value, place.target, draft.base)
    refusal = located(mismatched(wrong), filled) if wrong else None
    if problems:
        refusal = Refusal(problems, 422, "The form and the text do not agree")
    form = build_form(schema, filled.value, draft.base.value)
    found = await off_loop(changes, draft.base.value, filled.value, size=len(draft.text))
    objected = {problem.field for problem in problems}
    return {
        "valid": refusal is None,
        "problems": _html(refusal, filled.text) if refusal is not None else "",
        "yaml": filled.text if filled is not document else None,
        "fields": {field.name: field.value for field in form.fields if field.label not in objected},
        "changes": len(found),
    }


async def _theirs(place: Place, draft: Draft) -> str:
    """The note about what others did to the object since the edit began; empty where they did nothing to see."""
    try:
        live = await place.exchange.read()
    except NotFound:
        return render_to_string("edits/_theirs.html", {"gone": True, "target": place.target})
    except InformerdError:
        return ""
    now = Base.of(live)
    replaced = now.uid != draft.base.uid
    # the object may be large where the text is not, and the other way round
    size = max(len(draft.text), len(place.request.POST.get("base", "")))
    found = await off_loop(changes, draft.base.value, now.value, size=size)
    if not found and not replaced:
        return ""
    by, at = last_writer(live)
    touched = await off_loop(_touched, draft, found, size=size)
    context = {"target": place.target, "replaced": replaced, "by": by, "at": at, "changes": found, "touched": touched}
    return render_to_string("edits/_theirs.html", context)


def _touched(draft: Draft, theirs: tuple[Change, ...]) -> bool:
    """Whether the text changes a field that others changed too, differently."""
    try:
        mine: Value = parse(draft.text).value
    except DocumentError:
        return False
    return any(
        not same(get(mine, change.path), get(draft.base.value, change.path))
        and not same(get(mine, change.path), change.now)
        for change in theirs
    )


def _html(refusal: Refusal, text: str) -> str:
    refusal = with_excerpts(refusal, text)
    return render_to_string("edits/_problems.html", {"refusal": refusal, "problems": refusal.problems, "typing": True})
