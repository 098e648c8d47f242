"""The page that makes several objects of one text: pasted or uploaded, reviewed as a whole, applied in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dashboard.creating.applying import apply
from dashboard.creating.course import (
    AFTER,
    APPLY,
    IN_STEPS,
    REVIEWED,
    SO_FAR,
    STOP,
    Course,
    Next,
    carried,
    course_of,
    ended,
    lost_of,
    marked,
    next_of,
    numbers,
)
from dashboard.creating.files import with_files
from dashboard.creating.kitchen import Kitchen
from dashboard.creating.plan import Step, plan
from dashboard.creating.results import Result
from dashboard.creating.texts import Part, parts_of
from dashboard.creating.whereabouts import valid_namespace
from dashboard.drafts.draft import Content, Subject
from dashboard.drafts.draft import Draft as Kept
from dashboard.drafts.writing import Writing
from dashboard.edits.answers import MOST_ROWS
from dashboard.edits.document import DocumentError
from dashboard.edits.editable import fingerprint
from dashboard.edits.loop import off_loop
from dashboard.edits.place import pen_of
from dashboard.edits.problems import Problem, Refusal, unreadable, with_excerpts
from dashboard.edits.waiting import WAYS, waiting_page
from dashboard.live.context import LiveParts, live_of
from dashboard.repeats import LOST, TRIES
from dashboard.resources.page_info import page_info

REVIEW = "review"
_SAFE = (
    "That is safe: an object is made only where none of its name is there, and changed only in the very state that was "
    "reviewed; you are asked where that cannot be told."
)
FEWEST_ROWS = 22
"""Of the text: there is nothing beside it on this page."""


@dataclass(frozen=True, slots=True)
class Table:
    """One request of the page."""

    request: HttpRequest
    live: LiveParts
    writing: Writing
    namespace: str

    @property
    def kitchen(self) -> Kitchen | None:
        return kitchen_of(self.live, self.request)

    @property
    def words(self) -> str:
        return "several objects"

    @property
    def href(self) -> str:
        return self.request.get_full_path()

    def page(self, template: str, title: str, context: Mapping[str, object], *, status: int = 200) -> HttpResponse:
        page = page_info(self.request, title=title, key="several")
        whole = {**context, "page": page, "writing": self.writing, "namespace": self.namespace}
        response = render(self.request, template, whole, status=status)
        response["Cache-Control"] = "no-store"
        return self.writing.leave(response)


def kitchen_of(live: LiveParts, request: HttpRequest) -> Kitchen | None:
    """The way to the cluster that a request of the page has; None while there is none."""
    if live.client is None or live.discovery is None:
        return None
    namespace, pen = _namespace(request), pen_of(request, live, live.client)
    chosen = namespace if request.GET.get("namespace") else ""
    return Kitchen(live.client, live.discovery, live.schemas, namespace, chosen, pen)


@require_http_methods(["GET", "HEAD", "POST"])
async def several(request: HttpRequest) -> HttpResponse:
    """The text, its review, and what came of it. ``?namespace=`` is for objects that name none."""
    table = Table(request, live_of(request), Writing(request, Subject("")), _namespace(request))
    if request.method != "POST":
        return await _opened(table, request.GET.get("draft", ""))
    text, refusal = with_files(request)
    await table.writing.keep(Content.of({"yaml": text}))
    if refusal is not None or not any(button in request.POST for button in (REVIEW, APPLY, STOP)):
        return _text_page(table, text, refusal)
    began = table.live.clock.now()
    try:
        parts = await off_loop(parts_of, text, size=len(text))
    except DocumentError as error:
        return _text_page(table, text, unreadable(error))
    kitchen = table.kitchen
    if kitchen is None:
        problem = Problem("There is no cluster to write to.", table.live.problem)
        return _text_page(table, text, Refusal((problem,), 503, "Not sent"))
    pressed = APPLY in request.POST or STOP in request.POST
    course = course_of(request.POST, _about(table, text), table.live.clock.now() - began) if pressed else None
    if course is None:
        return await _review_page(table, kitchen, text, parts)
    if STOP in request.POST:
        return await _result_page(table, text, course, course.left_as_it_is(parts))
    results = await apply(kitchen, table.live.clock, parts, course.reviewed, course.going)
    return await _result_page(table, text, course, results)


async def _opened(table: Table, key: str) -> HttpResponse:
    kept = await table.writing.resume(key) if key else None
    if kept is not None:
        return _text_page(table, kept.content.text, resumed=kept)
    words = "It was saved or thrown away, or was written in another browser."
    refusal = Refusal((Problem(words),), 404, "There is no such draft any more") if key else None
    return _text_page(table, "", refusal, offers=await table.writing.offers())


def _text_page(
    table: Table,
    text: str,
    refusal: Refusal | None = None,
    *,
    offers: tuple[Kept, ...] = (),
    resumed: Kept | None = None,
) -> HttpResponse:
    if refusal is not None:
        refusal = with_excerpts(refusal, text)
    context = {
        "draft": {"text": text},
        "rows": min(max(text.count("\n") + 3, FEWEST_ROWS), MOST_ROWS),
        "refusal": refusal,
        "offers": offers,
        "resumed": resumed,
    }
    status = refusal.code if refusal is not None else 200
    return table.page("create/several.html", "New from YAML", context, status=status)


async def _review_page(table: Table, kitchen: Kitchen, text: str, parts: tuple[Part, ...]) -> HttpResponse:
    wanted = numbers(table.request.POST, "only")
    parts_wanted = tuple(part for part in parts if not wanted or part.number in wanted)
    steps = await plan(kitchen, parts, only=frozenset(part.number for part in parts_wanted))
    passing = [step.refusal for step in steps if step.refusal is not None and step.refusal.again_after is not None]
    if passing and len(passing) == len(parts):  # the API server is busy, fails or does not answer at all
        waiting = waiting_page(table, WAYS[REVIEW], passing[0], text=text)
        if waiting is not None:
            return waiting
    shown = tuple(_with_excerpts(step, text) for step in steps)
    counts = Counter(step.action for step in steps)
    context: dict[str, object] = {
        "text": text,
        "steps": shown,
        "counts": counts,
        "does": sum(step.does for step in steps),
        "left": len(parts) - len(steps),
        "may_pass": bool(passing),
        "mark": marked(_about(table, text), steps),
    }
    return table.page("create/plan.html", "Review", context)


async def _result_page(table: Table, text: str, course: Course, results: tuple[Result, ...]) -> HttpResponse:
    post = table.request.POST
    following = next_of(post, results, course.going) if STOP not in post else None
    shown = results if following is not None else ended(results)
    left = [result.number for result in results if result.is_open]
    counts = Counter(result.fate for result in results)
    if not left and not counts["skipped"]:
        await table.writing.end()
    context: dict[str, object] = {
        "text": text,
        "results": tuple(_result_with_excerpts(result, text) for result in shown),
        "counts": Counter(result.fate for result in shown),
        "otherwise": sum(bool(result.otherwise.unseen) for result in shown),
        "over": len(course.reviewed) - counts["waiting"] - counts["busy"],
        "left": left,
        "go_on": course.going.go_on,
        "following": following,
        "refusal": following.refusal if following is not None else None,
        "repeat": following.repeat if following is not None else None,
        "stopped": STOP in post,
        "can_go_on": counts["busy"] or (counts["waiting"] and (course.going.go_on or not counts["failed"])),
        "wanted": sorted(course.reviewed),
        "fields": _fields(table, text, results, following),
        "safe": _SAFE,
    }
    status = following.status if following is not None else 409 if left else 200
    return table.page("create/results.html", "Results", context, status=status)


def _fields(
    table: Table, text: str, results: tuple[Result, ...], following: Next | None
) -> tuple[tuple[str, str], ...]:
    """The inputs by which the page goes on."""
    post = table.request.POST
    fields = {name: post[name] for name in (REVIEWED, AFTER) if name in post}
    fields |= {SO_FAR: carried(_about(table, text), results), LOST: lost_of(post, results)}
    if following is not None:
        fields[IN_STEPS] = "1"
        if following.repeat is not None:
            fields[TRIES] = str(following.repeat.tries)
    return tuple(fields.items())


def _about(table: Table, text: str) -> str:
    """What is signed with a review and with results: they are about this text and page alone."""
    return fingerprint([table.namespace, text])


def _with_excerpts(step: Step, text: str) -> dict[str, Any]:
    refusal = with_excerpts(step.refusal, text) if step.refusal is not None else None
    return {"step": step, "refusal": refusal}


def _result_with_excerpts(result: Result, text: str) -> dict[str, Any]:
    refusal = with_excerpts(result.refusal, text) if result.refusal is not None else None
    return {"result": result, "refusal": refusal}


def _namespace(request: HttpRequest) -> str:
    return valid_namespace(request.GET.get("namespace", "")) or "default"
