"""The list of drafts, one draft with what it changes, throwing away, and the saves of whoever types."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from dashboard.drafts.cookies import browser_of, remember_count
from dashboard.drafts.draft import Content, Draft, Subject, Whose
from dashboard.drafts.shelf import KEPT_FOR, MOST, Unavailable
from dashboard.drafts.writing import NO_COOKIE, Writing
from dashboard.edits.diff import Change, Line, changes, diff_lines
from dashboard.edits.document import DocumentError, parse
from dashboard.edits.fields import Value
from dashboard.edits.json_text import read_json
from dashboard.edits.loop import off_loop
from dashboard.edits.said import say
from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.resources.kinds import find_kind
from dashboard.resources.missing import Link, Missing, missing_page
from dashboard.resources.page_info import page_info
from dashboard.resources.yaml_text import to_yaml

View = Callable[..., Coroutine[Any, Any, HttpResponse]]


@dataclass(frozen=True, slots=True)
class Item:
    """A draft in the list."""

    draft: Draft
    title: str
    """What it is about: ``Mydemo default/one``."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a draft does to what it began with."""

    changes: tuple[Change, ...]
    lines: tuple[Line, ...]
    problem: str = ""
    """Why its text cannot be compared field by field."""


def _with_database(view: View) -> View:
    """The view, or the page that says why there are no drafts to see."""

    @wraps(view)
    async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            response = await view(request, **address)
        except Unavailable as error:
            context = {"page": page_info(request, title="Drafts", key="drafts"), "problem": str(error)}
            response = render(request, "drafts/trouble.html", context, status=503)
            response["Retry-After"] = "5"
        response["Cache-Control"] = "no-store"
        return response

    return wrapped


@require_safe
@_with_database
async def drafts(request: HttpRequest) -> HttpResponse:
    """Every draft of this person in this browser, newest first."""
    whose = _whose(request)
    found = await live_of(request).drafts.all(whose) if whose.browser else ()
    items = tuple(Item(draft, title_of(live_of(request), draft.subject)) for draft in found)
    page = page_info(request, title="Drafts", key="drafts")
    context = {"page": page, "items": items, "most": MOST, "days": KEPT_FOR.days}
    response = render(request, "drafts/list.html", context)
    remember_count(response, len(items))
    return response


@require_safe
@_with_database
async def draft(request: HttpRequest, key: str) -> HttpResponse:
    """One draft: its text, and what it changes of what it began with."""
    found = await _found(request, key)
    if found is None:
        return _no_such_draft(request)
    title = title_of(live_of(request), found.subject)
    size = max(len(found.content.text), len(found.content.base))
    compared = await off_loop(_compared, found.content, size=size)
    page = page_info(request, title=f"Draft of {title}", key="drafts")
    context = {"page": page, "item": Item(found, title), "draft": found, "compared": compared}
    return render(request, "drafts/one.html", context)


@require_POST
@_with_database
async def throw(request: HttpRequest, key: str) -> HttpResponse:
    """Throw one draft away, and go back to where that was asked."""
    live, whose = live_of(request), _whose(request)
    found = await _found(request, key)
    response = HttpResponseRedirect(_back(request))
    response.status_code = 303
    if found is not None:
        await live.drafts.end(whose, (key,))
        say(response, _back(request), f"The draft of {title_of(live, found.subject)} is thrown away.")
        remember_count(response, await live.drafts.count(whose))
    return response


@require_POST
@_with_database
async def throw_all(request: HttpRequest) -> HttpResponse:
    """Throw away the drafts that the list showed, and no newer ones."""
    live, whose = live_of(request), _whose(request)
    response = HttpResponseRedirect("/drafts/")
    response.status_code = 303
    if whose.browser:
        await live.drafts.end(whose, request.POST.getlist("draft"))
        remember_count(response, await live.drafts.count(whose))
    return response


@require_POST
async def keep(request: HttpRequest) -> HttpResponse:
    """One save of whoever types. JSON: ``draft``, ``number``, ``late``, ``forked``, ``others``; or ``problem``.

    With a problem comes ``for_good``: whether the same text would not be kept if it came again, either.
    """
    if not browser_of(request):
        return JsonResponse({"problem": NO_COOKIE})
    post = request.POST
    subject = Subject(post.get("draft_resource", ""), post.get("draft_namespace", ""), post.get("draft_name", ""))
    if subject.problem:
        return JsonResponse({"problem": subject.problem}, status=400)
    writing = Writing(request, subject)
    kept = await writing.kept(Content.of(post.dict()), replace(writing.save, pressed=False))
    if kept is None:
        return JsonResponse({"problem": writing.problem, "for_good": writing.for_good})
    answer = {
        "draft": kept.draft,
        "number": kept.number,
        "late": kept.late,
        "forked": kept.forked,
        "others": kept.others,
        "count": writing.count,
    }
    return writing.leave(JsonResponse(answer))


def title_of(live: LiveParts, subject: Subject) -> str:
    """What a draft is about, for people: ``Mydemo default/one``, ``new Mydemo``, ``new objects``."""
    kind = find_kind(subject.kind, live.kinds) if subject.resource else None
    word = kind.singular if kind is not None else subject.kind
    if subject.is_new:
        return f"a new {word}" if word else "new objects"
    word = f"the status of {word}" if subject.is_status else word
    return f"{word} {f'{subject.namespace}/' if subject.namespace else ''}{subject.name}"


def _compared(content: Content) -> Compared:
    """By field where the text is YAML, by line in any case."""
    base = _base_of(content)
    lines = diff_lines(to_yaml(base) if base else "", content.text)
    try:
        value = parse(content.text).value
    except DocumentError as error:
        return Compared((), lines, error.message)
    return Compared(changes(base, value), lines)


def _base_of(content: Content) -> dict[str, Value]:
    found = read_json(content.base)
    return found[0] if found is not None and isinstance(found[0], dict) else {}


async def _found(request: HttpRequest, key: str) -> Draft | None:
    whose = _whose(request)
    return await live_of(request).drafts.find(whose, key) if whose.browser else None


def _whose(request: HttpRequest) -> Whose:
    return Whose(user_of(request), browser_of(request))


def _no_such_draft(request: HttpRequest) -> HttpResponse:
    words = (
        "It was saved or thrown away, is older than 14 days, or belongs to another browser: drafts stay in the browser "
        "where they were written."
    )
    return missing_page(request, Missing("There is no such draft", words, (Link("All drafts", "/drafts/"),)))


def _back(request: HttpRequest) -> str:
    back = request.POST.get("back", "")
    return back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else "/drafts/"
