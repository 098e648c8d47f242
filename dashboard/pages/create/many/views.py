"""Page that applies several objects from one text: pasted or uploaded, reviewed as a whole, applied in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.objects.manifests.document import DocumentError
from dashboard.objects.problems.write_refusal import Problem, Refusal, unreadable_refusal, with_excerpts
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.pages.create.many.apply_context import ApplyContext
from dashboard.pages.create.many.manifests import Manifest, parse_manifests, with_files
from dashboard.pages.create.many.next_request import NextRequest, final_results, lost_answer_of, next_request
from dashboard.pages.create.many.plan import Step, plan
from dashboard.pages.create.many.plan_execution import apply
from dashboard.pages.create.many.results import Result
from dashboard.pages.create.many.signed_progress import (
    AFTER_FAILURE,
    APPLY,
    IN_STEPS,
    RESULTS,
    REVIEWED,
    SELECTED,
    STOP,
    ApplyProgress,
    manifest_numbers,
    read_progress,
    sign_results,
    sign_reviews,
)
from dashboard.pages.create.namespace_choice import namespace_choices, valid_namespace
from dashboard.pages.drafts.draft import Content, Subject
from dashboard.pages.drafts.draft import Draft as Kept
from dashboard.pages.drafts.request_draft import DraftSession
from dashboard.pages.edit.responses import MOST_ROWS
from dashboard.pages.layout.not_found import ChoiceLink
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.read_only_page import read_only_info, read_only_page
from dashboard.pages.writes.editable_part import fingerprint
from dashboard.pages.writes.request_context import write_recorder_of
from dashboard.pages.writes.retry_page import RETRY_ACTIONS, retry_page
from dashboard.pages.writes.typed_name import TYPED_INPUT, cluster_name_to_type, is_missing
from dashboard.pages.writes.write_unavailable import WriteUnavailable, unavailable_as_page
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.read_only import is_read_only
from dashboard.runtime.request_retry import LOST_INPUT, TRIES_INPUT
from dashboard.runtime.thread_pools import run_in_thread_if_large

REVIEW = "review"
_SAFE = (
    "That is safe: an object is created only if its name is free, and changed only in the state that was "
    "reviewed; if that is uncertain, Deltaboard asks you."
)
OVERVIEW_LINK = ChoiceLink("The overview", "/")
DEFAULT = "default"
"""Namespace of objects that name none, where none is chosen."""
MAX_TYPED = 63
"""Most characters of a refused name that the page repeats."""
FEWEST_ROWS = 22
"""Editor lines: this page has no form beside the text."""


@dataclass(frozen=True, slots=True)
class CreateManyRequest:
    """One request of the page."""

    request: HttpRequest
    state: AppState
    draft_session: DraftSession
    namespace: str
    words: str = "new objects"
    """What the text is about, as pages say it."""

    @property
    def apply_context(self) -> ApplyContext | None:
        return apply_context_of(self.state, self.request)

    @property
    def href(self) -> str:
        """Address of the page for the chosen namespace."""
        return f"/new/?namespace={self.namespace}" if self.namespace != DEFAULT else "/new/"

    @property
    def namespace_choices(self) -> tuple[str, ...]:
        return namespace_choices(self.state)

    def page(self, template: str, title: str, context: Mapping[str, object], *, status: int = 200) -> HttpResponse:
        page = page_info(self.request, title=title, key="several")
        full_context = {"page": page, "create_request": self, "draft_session": self.draft_session, **context}
        response = render(self.request, template, full_context, status=status)
        response["Cache-Control"] = "no-store"
        return self.draft_session.set_cookies(response)


def apply_context_of(state: AppState, request: HttpRequest) -> ApplyContext | None:
    """The apply context of a request; None while there is no cluster."""
    client, discovery = state[CONNECTION].client, state[CONNECTION].discovery
    if client is None or discovery is None:
        return None
    namespace, write_recorder = _namespace(request), write_recorder_of(request, state, client)
    chosen_namespace = namespace if request.GET.get("namespace") or namespace != DEFAULT else ""
    return ApplyContext(client, discovery, state[SCHEMAS], namespace, chosen_namespace, write_recorder)


@require_http_methods(["GET", "HEAD", "POST"])
@unavailable_as_page
async def create_many(request: HttpRequest) -> HttpResponse:
    """The text, its review, and its results. ``namespace`` of address or form is for objects that name none."""
    create_request = CreateManyRequest(
        request, state_of(request), DraftSession(request, Subject("")), _namespace(request)
    )
    if request.method != "POST":
        if is_read_only():
            return read_only_page(request, OVERVIEW_LINK, key="several")
        return await _editor_page(create_request, request.GET.get("draft", ""))
    text, refusal = with_files(request)
    await create_request.draft_session.keep(Content.of({"yaml": text}))
    if is_read_only():
        session, page = create_request.draft_session, read_only_page(request, OVERVIEW_LINK, key="several")
        raise WriteUnavailable(read_only_info(), 403, page=page, session=session, is_saved=True, text=text)
    refusal = refusal or _namespace_refusal(request)
    if refusal is not None or not any(button in request.POST for button in (REVIEW, APPLY, STOP)):
        return _text_page(create_request, text, refusal)
    began = create_request.state[CLOCK].now()
    try:
        parts = await run_in_thread_if_large(parse_manifests, text, size=len(text))
    except DocumentError as error:
        return _text_page(create_request, text, unreadable_refusal(error))
    context = create_request.apply_context
    if context is None:
        problem = Problem("Deltaboard is not connected to a cluster.", create_request.state[HUB].connection_problem())
        return _text_page(create_request, text, Refusal((problem,), 503, "Not sent"))
    pressed = APPLY in request.POST or STOP in request.POST
    progress = (
        read_progress(request.POST, _about(create_request, text), create_request.state[CLOCK].now() - began)
        if pressed
        else None
    )
    if progress is None:
        return await _review_page(create_request, context, text, parts)
    if STOP in request.POST:
        return await _result_page(create_request, text, progress, progress.stopped_results(parts))
    destroys = any(review.destroys for review in progress.reviews.values())
    if destroys and is_missing(cluster_name_to_type(request, create_request.state)):
        return await _review_page(create_request, context, text, parts, is_name_refused=True)
    results = await apply(context, create_request.state[CLOCK], parts, progress.reviews, progress.state)
    return await _result_page(create_request, text, progress, results)


async def _editor_page(create_request: CreateManyRequest, key: str) -> HttpResponse:
    draft = await create_request.draft_session.resume(key) if key else None
    if draft is not None:
        return _text_page(create_request, draft.content.text, resumed=draft)
    words = "It was saved or thrown away, or belongs to another browser."
    refusal = Refusal((Problem(words),), 404, "This draft does not exist any more") if key else None
    return _text_page(create_request, "", refusal, offers=await create_request.draft_session.offers())


def _text_page(
    create_request: CreateManyRequest,
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
    return create_request.page("create/many.html", "New from YAML", context, status=status)


async def _review_page(
    create_request: CreateManyRequest,
    apply_context: ApplyContext,
    text: str,
    parts: tuple[Manifest, ...],
    *,
    is_name_refused: bool = False,
) -> HttpResponse:
    wanted = manifest_numbers(create_request.request.POST, "only")
    parts_wanted = tuple(part for part in parts if not wanted or part.number in wanted)
    steps = await plan(apply_context, parts, only=frozenset(part.number for part in parts_wanted))
    passing = [step.refusal for step in steps if step.refusal is not None and step.refusal.auto_retry_after is not None]
    if passing and len(passing) == len(parts):  # the API server is busy, fails or does not answer at all
        subject = parts[0].words if len(parts) == 1 else f"{len(parts)} objects"
        waiting = retry_page(replace(create_request, words=subject), RETRY_ACTIONS[REVIEW], passing[0], text=text)
        if waiting is not None:
            return waiting
    shown = tuple(_with_excerpts(step, text) for step in steps)
    counts = Counter(step.action for step in steps)
    post, reasons = create_request.request.POST, dict.fromkeys(step.destroys for step in steps if step.destroys)
    reason = f"{len(parts)} objects are applied. {' '.join(reasons)}"
    typed_name = cluster_name_to_type(create_request.request, create_request.state, reason) if reasons else None
    is_name_refused = is_name_refused and is_missing(typed_name)
    context: dict[str, object] = {
        "text": text,
        "typed_name": typed_name.refused if typed_name is not None and is_name_refused else typed_name,
        "left_out": {step.part.number for step in steps} - manifest_numbers(post, SELECTED) if is_name_refused else (),
        "continues_on_failure": is_name_refused and post.get(AFTER_FAILURE) == "go",
        "steps": shown,
        "counts": counts,
        "write_count": sum(step.is_write for step in steps),
        "unreached_count": len(parts) - len(steps),
        "may_succeed_later": bool(passing),
        "reviews_mark": sign_reviews(_about(create_request, text), steps),
    }
    return create_request.page("create/plan.html", "Review", context, status=422 if is_name_refused else 200)


async def _result_page(
    create_request: CreateManyRequest, text: str, progress: ApplyProgress, results: tuple[Result, ...]
) -> HttpResponse:
    post = create_request.request.POST
    next_step = next_request(post, results, progress.state) if STOP not in post else None
    shown = results if next_step is not None else final_results(results)
    open_numbers = [result.number for result in results if result.is_open]
    counts = Counter(result.state for result in results)
    if not open_numbers and not counts["skipped"]:
        await create_request.draft_session.end()
    context: dict[str, object] = {
        "text": text,
        "results": tuple(_result_with_excerpts(result, text) for result in shown),
        "counts": Counter(result.state for result in shown),
        "drift_count": sum(bool(result.drift.unreviewed_fields) for result in shown),
        "done_count": len(progress.reviews) - counts["waiting"] - counts["busy"],
        "open_numbers": open_numbers,
        "continues_on_failure": progress.state.continue_on_failure,
        "next_request": next_step,
        "refusal": next_step.refusal if next_step is not None else None,
        "retry": next_step.retry if next_step is not None else None,
        "stopped": STOP in post,
        "can_continue": counts["busy"]
        or (counts["waiting"] and (progress.state.continue_on_failure or not counts["failed"])),
        "selected_numbers": sorted(progress.reviews),
        "fields": _fields(create_request, text, results, next_step),
        "safe": _SAFE,
    }
    status = next_step.status if next_step is not None else 409 if open_numbers else 200
    return create_request.page("create/results.html", "Results", context, status=status)


def _fields(
    create_request: CreateManyRequest, text: str, results: tuple[Result, ...], next_step: NextRequest | None
) -> tuple[tuple[str, str], ...]:
    """The hidden inputs that continue the apply."""
    post = create_request.request.POST
    fields = {name: post[name] for name in (REVIEWED, AFTER_FAILURE, TYPED_INPUT) if name in post}
    fields |= {RESULTS: sign_results(_about(create_request, text), results), LOST_INPUT: lost_answer_of(post, results)}
    if next_step is not None:
        fields[IN_STEPS] = "1"
        if next_step.retry is not None:
            fields[TRIES_INPUT] = str(next_step.retry.attempt)
    return tuple(fields.items())


def _about(create_request: CreateManyRequest, text: str) -> str:
    """Context of the signatures: reviews and results are valid for this text, page, user and browser only."""
    reader = create_request.draft_session.identity
    return fingerprint([reader.owner, reader.browser, create_request.namespace, text])


def _with_excerpts(step: Step, text: str) -> dict[str, Any]:
    refusal = with_excerpts(step.refusal, text) if step.refusal is not None else None
    return {"step": step, "refusal": refusal}


def _result_with_excerpts(result: Result, text: str) -> dict[str, Any]:
    refusal = with_excerpts(result.refusal, text) if result.refusal is not None else None
    return {"result": result, "refusal": refusal}


def _namespace(request: HttpRequest) -> str:
    given = request.POST.get("namespace", "").strip() or request.GET.get("namespace", "")
    return valid_namespace(given) or DEFAULT


def _namespace_refusal(request: HttpRequest) -> Refusal | None:
    typed = request.POST.get("namespace", "").strip()
    if not typed or valid_namespace(typed):
        return None
    words = f"“{typed[:MAX_TYPED]}” is no name of a namespace: those have lower-case letters, digits and hyphens."
    return Refusal((Problem(words),), 422, "Not sent")
