"""Pages for addresses under which nothing can be written: the reason, and the text where one was posted.

The functions that read a request raise `WriteUnavailable`; a decorator of the view turns it into the response, so that
the view itself reads from the request to the response without looking for errors.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render

from dashboard.pages.drafts.draft import Content
from dashboard.pages.drafts.request_draft import DISCARD, DraftSession
from dashboard.pages.forms.input_names import STATE
from dashboard.pages.layout.flash import clear_flash
from dashboard.pages.layout.not_found import NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info

TEXT_ROWS = 30
"""Visible lines of the text."""
_BASE = ("base", "base_uid", "base_version")
_DRAFT = ("draft", "draft_owner", "draft_tab", "draft_seen", "draft_number")

AsyncView = Callable[..., Coroutine[Any, Any, HttpResponse]]


class WriteUnavailable(Exception):
    """Reason why nothing can be written under an address.

    `key` is the kind's, for the navigation. `page` is the response to a request without a text, by default the 404 page
    with the reason. A posted text is saved as the draft of `session`, unless the view has done that (`is_saved`); pages
    without drafts have no session. `text` replaces the posted one: uploaded files are in it.
    """

    def __init__(
        self,
        missing: NotFoundInfo,
        status: int = 404,
        *,
        key: str = "",
        page: HttpResponse | None = None,
        session: DraftSession | None = None,
        is_saved: bool = False,
        text: str = "",
    ) -> None:
        super().__init__(missing.title)
        self.missing, self.status, self.key, self.page = missing, status, key, page
        self.session, self.is_saved = session, is_saved
        self.text = text

    @classmethod
    def redirect(cls, response: HttpResponseRedirect) -> WriteUnavailable:
        """The page has another address."""
        return cls(NotFoundInfo("This page has another address", ""), response.status_code, page=response)


def unavailable_as_page(view: AsyncView) -> AsyncView:
    """Decorate a view of pages: WriteUnavailable becomes the page with the reason and the posted text."""

    @wraps(view)
    async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            return await view(request, **address)
        except WriteUnavailable as error:
            return await unavailable_page(request, error)

    return wrapped


def unavailable_as_json(view: AsyncView) -> AsyncView:
    """Decorate a view for scripts: WriteUnavailable becomes an empty JSON object with its status."""

    @wraps(view)
    async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            return await view(request, **address)
        except WriteUnavailable as error:
            return JsonResponse({}, status=error.page.status_code if error.page is not None else error.status)

    return wrapped


def has_text(request: HttpRequest) -> bool:
    """Whether the request has a posted text, which every response then must include."""
    return request.method == "POST" and bool(request.POST.get("yaml"))


async def unavailable_page(request: HttpRequest, error: WriteUnavailable) -> HttpResponse:
    """The page with the reason; with the text, where one was posted."""
    session = error.session
    if session is not None and DISCARD in request.POST:
        return await session.discard(f"/resources/{session.subject.kind}/")
    if error.text or has_text(request):
        response = _rescued_text(request, error)
        if session is not None and not error.is_saved:
            await session.keep(Content.of(request.POST.dict()))
    else:
        response = error.page or not_found_page(request, error.missing, key=error.key, status=error.status)
    if request.method != "POST":
        clear_flash(request, response)
    return session.set_cookies(response) if session is not None else response


def _rescued_text(request: HttpRequest, error: WriteUnavailable) -> HttpResponse:
    """The page with the reason, the text, and the inputs that the editor needs to continue."""
    context: dict[str, object] = {
        "page": page_info(request, title="Your text", key=error.key),
        "missing": error.missing,
        "draft": {"text": error.text or request.POST["yaml"]},
        "fields": tuple(_carried(request.POST.dict())),
        "rows": TEXT_ROWS,
    }
    response = render(request, "writes/rescued_text.html", context, status=error.status)
    response["Cache-Control"] = "no-store"
    return response


def _carried(post: Mapping[str, str]) -> list[tuple[str, str]]:
    """The base, the form input that is not in the text yet, and the draft."""
    return [(name, value) for name, value in post.items() if name in _BASE + _DRAFT or name.startswith(STATE)]
