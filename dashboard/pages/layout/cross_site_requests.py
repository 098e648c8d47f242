"""Requests for files that a page of another site has made a browser send, by Fetch Metadata (Sec-Fetch-Site)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], Coroutine[Any, Any, HttpResponseBase]]

OTHER_SITES = frozenset({"cross-site", "same-site"})
"""Another port or subdomain is "same-site". Typed addresses and bookmarks are "none"; scripts send no such header."""


def is_from_other_site(request: HttpRequest) -> bool:
    """Whether the browser says that a page of another origin asks."""
    return request.headers.get("Sec-Fetch-Site", "").strip().lower() in OTHER_SITES


def refuse_other_site() -> HttpResponse:
    """The response to such a request for a file."""
    sentence = (
        "This file was asked for by a page of another site, so it is not sent. "
        "Open its page in Deltaboard and choose the file there, or type its address.\n"
    )
    response = HttpResponse(sentence, status=403, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response


def own_pages_only(view: View[P]) -> View[P]:
    """A view of a file that is sent to Deltaboard's own pages, typed addresses and scripts, but to no other site."""

    @wraps(view)
    async def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return refuse_other_site() if is_from_other_site(request) else await view(request, *args, **kwargs)

    return checked
