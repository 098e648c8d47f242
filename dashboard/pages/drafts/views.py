"""Draft pages: the list, one draft with its changes, discarding, and automatic saves."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from dashboard.access.draft_count_cookie import remember_count
from dashboard.access.identity import Identity, browser_of, user_of
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import find_kind
from dashboard.pages.drafts.draft import Content, Draft, Subject
from dashboard.pages.drafts.draft_difference import compare, with_differences
from dashboard.pages.drafts.request_draft import NO_COOKIE, DraftSession, may_see_subject
from dashboard.pages.drafts.store import DRAFTS, MAX_PER_BROWSER, RETENTION, Unavailable
from dashboard.pages.layout.flash import flash
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.runtime.app_state import AppState, state_of

View = Callable[..., Coroutine[Any, Any, HttpResponse]]


@dataclass(frozen=True, slots=True)
class DraftItem:
    """A draft in the list."""

    draft: Draft
    title: str
    """Its subject: ``Mydemo default/one``."""


def _with_database(view: View) -> View:
    """The view, or the page that says why drafts are not available."""

    @wraps(view)
    async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            response = await view(request, **address)
        except Unavailable as error:
            context = {"page": page_info(request, title="Drafts", key="drafts"), "problem": str(error)}
            response = render(request, "drafts/unavailable.html", context, status=503)
            response["Retry-After"] = "5"
        response["Cache-Control"] = "no-store"
        return response

    return wrapped


@require_safe
@_with_database
async def drafts(request: HttpRequest) -> HttpResponse:
    """Every draft of this user in this browser, newest first."""
    identity = _identity_of(request)
    state = state_of(request)
    stored = await state[DRAFTS].all(identity) if identity.browser else ()
    shown = tuple(draft for draft in stored if may_see_subject(state, draft.subject))
    described = await with_differences(state[DRAFTS], identity, shown)
    items = [DraftItem(draft, title_of(state, draft.subject)) for draft in described]
    page = page_info(request, title="Drafts", key="drafts")
    hidden = len(stored) - len(shown)
    context = {
        "page": page,
        "items": items,
        "hidden_count": hidden,
        "max_drafts": MAX_PER_BROWSER,
        "days": RETENTION.days,
    }
    response = render(request, "drafts/list.html", context)
    remember_count(response, len(items))
    return response


@require_safe
@_with_database
async def draft(request: HttpRequest, key: str) -> HttpResponse:
    """One draft: its text, and its changes to the base."""
    stored = await _find_draft(request, key)
    if stored is None:
        return _no_such_draft(request)
    title = title_of(state_of(request), stored.subject)
    compared = await compare(stored.content)
    page = page_info(request, title=f"Draft of {title}", key="drafts")
    context = {"page": page, "item": DraftItem(stored, title), "draft": stored, "compared": compared}
    return render(request, "drafts/detail.html", context)


@require_POST
@_with_database
async def discard(request: HttpRequest, key: str) -> HttpResponse:
    """Discard one draft, and redirect to the page of the request."""
    state, identity = state_of(request), _identity_of(request)
    stored = await _find_draft(request, key)
    response = HttpResponseRedirect(_return_path(request))
    response.status_code = 303
    if stored is not None:
        await state[DRAFTS].end(identity, (key,))
        flash(response, _return_path(request), f"The draft of {title_of(state, stored.subject)} is thrown away.")
        remember_count(response, await state[DRAFTS].count(identity))
    return response


@require_POST
@_with_database
async def discard_all(request: HttpRequest) -> HttpResponse:
    """Discard the drafts that the list showed, and no newer ones."""
    state, identity = state_of(request), _identity_of(request)
    response = HttpResponseRedirect("/drafts/")
    response.status_code = 303
    if identity.browser:
        await state[DRAFTS].end(identity, request.POST.getlist("draft"))
        remember_count(response, await state[DRAFTS].count(identity))
    return response


@require_POST
async def keep(request: HttpRequest) -> HttpResponse:
    """One automatic save. JSON: ``draft``, ``number``, ``late``, ``forked``, ``others``; or ``problem``.

    With a problem comes ``for_good``: whether the same text would fail again.
    """
    if not browser_of(request):
        return JsonResponse({"problem": NO_COOKIE})
    post = request.POST
    subject = Subject(post.get("draft_resource", ""), post.get("draft_namespace", ""), post.get("draft_name", ""))
    if subject.problem:
        return JsonResponse({"problem": subject.problem}, status=400)
    session = DraftSession(request, subject)
    result = await session.try_keep(Content.of(post.dict()), replace(session.save, by_button=False))
    if result is None:
        return JsonResponse({"problem": session.problem, "for_good": session.is_permanent})
    answer = {
        "draft": result.draft,
        "number": result.number,
        "late": result.is_late,
        "forked": result.is_fork,
        "others": result.other_count,
        "count": session.count,
    }
    return session.set_cookies(JsonResponse(answer))


def title_of(state: AppState, subject: Subject) -> str:
    """Title of a draft's subject: ``Mydemo default/one``, ``new Mydemo``, ``new objects``."""
    kind = find_kind(subject.kind, state[REPLICAS].kinds) if subject.resource else None
    word = kind.singular if kind is not None else subject.kind
    if subject.is_new:
        return f"a new {word}" if word else "new objects"
    word = f"the status of {word}" if subject.is_status else word
    return f"{word} {f'{subject.namespace}/' if subject.namespace else ''}{subject.name}"


async def _find_draft(request: HttpRequest, key: str) -> Draft | None:
    identity = _identity_of(request)
    state = state_of(request)
    found = await state[DRAFTS].find(identity, key) if identity.browser else None
    return found if found is not None and may_see_subject(state, found.subject) else None


def _identity_of(request: HttpRequest) -> Identity:
    return Identity(user_of(request), browser_of(request))


def _no_such_draft(request: HttpRequest) -> HttpResponse:
    words = (
        "It was saved or thrown away, is older than 14 days, or belongs to another browser: drafts stay in the browser "
        "where they were written."
    )
    return not_found_page(
        request, NotFoundInfo("There is no such draft", words, (ChoiceLink("All drafts", "/drafts/"),))
    )


def _return_path(request: HttpRequest) -> str:
    back = request.POST.get("back", "")
    return back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else "/drafts/"
