"""What came of a button as a page: one template for each outcome, the text in every one of them."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseRedirect

from dashboard.edits.diff import Change, changes
from dashboard.edits.document import DocumentError, parse
from dashboard.edits.fields import ABSENT, Path, Value, show
from dashboard.edits.form import build_form, posted_fields
from dashboard.edits.loop import off_loop
from dashboard.edits.merge import Conflict, Side
from dashboard.edits.outcomes import Draft, Gone, Moved, Outcome, Refused, Replaced, Review, Saved, Unsure
from dashboard.edits.place import Place
from dashboard.edits.posted import base_json, choice_name, reviewed_mark
from dashboard.edits.problems import Refusal, unanswered, with_excerpts
from dashboard.edits.said import say
from dashboard.edits.schema import Schema
from dashboard.resources.yaml_text import dump

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


@dataclass(frozen=True, slots=True)
class Question:
    """A conflict as the page asks about it."""

    name: str
    """Of the radio inputs."""
    field: str
    base: str
    theirs: str
    mine: str
    chosen: Side | None


async def answer(place: Place, schema: Schema, outcome: Outcome) -> HttpResponse:
    """The page, or the way to the object's details, for what came of a draft."""
    match outcome:
        case Review():
            return _review_page(place, outcome)
        case Moved():
            return _conflict_page(place, outcome)
        case Gone() | Replaced():
            return _gone_page(place, outcome)
        case Refused():
            return await editor_page(place, schema, Editor(outcome.draft, outcome.refusal, outcome.merged))
        case Saved():
            return _saved(place, outcome)
        case Unsure():
            return await _unsure_page(place, outcome, schema)


async def editor_page(place: Place, schema: Schema, editor: Editor) -> HttpResponse:
    """The text beside the form, with whatever was objected to."""
    draft, refusal = editor.draft, editor.refusal
    value, count = await off_loop(_value_and_count, draft, size=len(draft.text))
    if refusal is not None:
        refusal = with_excerpts(refusal, draft.text)
    problems = refusal.problems if refusal is not None else ()
    posted = posted_fields(place.request.POST.dict()) if editor.unapplied else {}
    form = build_form(schema, value or draft.base.value, draft.base.value, posted=posted, problems=problems)
    context: dict[str, object] = {
        **draft_context(draft),
        "form": form,
        "refusal": refusal,
        "merged": editor.merged,
        "taken": editor.taken,
        "deleting": editor.deleting,
        "count": count,
    }
    return place.page("edits/edit.html", "Edit", context, status=refusal.code if refusal is not None else 200)


def draft_context(draft: Draft) -> dict[str, object]:
    """What edits/_draft.html sends back with every button."""
    rows = min(max(draft.text.count("\n") + 3, FEWEST_ROWS), MOST_ROWS)
    return {"draft": draft, "base_json": base_json(draft.base), "rows": rows}


def shown(value: Value) -> str:
    """A value in a question: YAML, or a word where there is none."""
    return "not there" if value is ABSENT else dump(value).rstrip("\n")


def _review_page(place: Place, review: Review) -> HttpResponse:
    purpose = "create" if review.again else "save"
    context: dict[str, object] = {
        **draft_context(review.draft),
        "review": review,
        "reviewed": reviewed_mark(place.target, review.draft, purpose),
        "by_server": tuple(change for change in review.changes if change.by_server),
    }
    # a merge that nobody asked for is a conflict that was solved: the page says so in its status too
    return place.page("edits/review.html", "Review", context, status=409 if review.merged is not None else 200)


def _conflict_page(place: Place, moved: Moved) -> HttpResponse:
    asked = {conflict.path for conflict in moved.merge.conflicts} | {
        conflict.path for conflict, _ in moved.merge.settled
    }
    questions = [_question(conflict, None) for conflict in moved.merge.conflicts]
    questions += [_question(conflict, side) for conflict, side in moved.merge.settled]
    context: dict[str, object] = {
        **draft_context(moved.draft),
        "moved": moved,
        "questions": sorted(questions, key=lambda question: question.field),
        "theirs": _apart(moved.theirs, asked),
        "mine": _apart(moved.mine, asked),
    }
    return place.page("edits/conflict.html", "Merge", context, status=409)


def _apart(found: tuple[Change, ...], asked: set[Path]) -> tuple[Change, ...]:
    """The changes that need no question."""
    fields = {show(path) for path in asked}
    return tuple(
        change for change in found if not any(show(change.path[: end + 1]) in fields for end in range(len(change.path)))
    )


def _question(conflict: Conflict, chosen: Side | None) -> Question:
    return Question(
        choice_name(conflict.path),
        show(conflict.path),
        shown(conflict.base),
        shown(conflict.theirs),
        shown(conflict.mine),
        chosen,
    )


def _gone_page(place: Place, outcome: Gone | Replaced) -> HttpResponse:
    now = outcome.now if isinstance(outcome, Replaced) else None
    context = {**draft_context(outcome.draft), "now": now}
    return place.page("edits/gone.html", "Edit", context, status=409)


def _saved(place: Place, saved: Saved) -> HttpResponse:
    response = HttpResponseRedirect(place.target.href)
    words = f"{place.target.words} is saved." if saved.changed else f"{place.target.words} was like this already."
    warnings = " ".join(f"The API server warns: {warning}." for warning in saved.warnings)
    say(response, place.target.href, f"{words} {warnings}".strip(), "warn" if warnings else "ok")
    return response


async def _unsure_page(place: Place, unsure: Unsure, schema: Schema) -> HttpResponse:
    words = (
        "Whether your change was stored is not known. Review again to find out: a review writes nothing, and nothing "
        "can be stored twice."
    )
    refusal = unanswered(unsure.error, "It may or may not be saved", words)
    return await editor_page(place, schema, Editor(unsure.draft, refusal))


def _value_and_count(draft: Draft) -> tuple[dict[str, Value] | None, int]:
    """What the text holds, None where it holds no object; and in how many fields it differs from its base."""
    try:
        value = parse(draft.text).value
    except DocumentError:
        return None, 1
    return value, len(changes(draft.base.value, value))
