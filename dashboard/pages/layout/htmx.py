"""Requests of htmx: what they ask for, and the headers that their responses need."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.cache import patch_vary_headers
from django_htmx.http import replace_url
from django_htmx.middleware import HtmxDetails


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """What htmx says about a request of its own; false for any other request."""
    details: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by HtmxMiddleware
    return details


def wants_fragment(request: HttpRequest, target: str) -> bool:
    """Whether htmx requests this element only; it names an element ``section#list``."""
    return bool(htmx_of(request)) and (htmx_of(request).target or "").endswith(target)


def vary_on_htmx(response: HttpResponse) -> HttpResponse:
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def current_page_params(request: HttpRequest) -> QueryDict:
    """The parameters of the page that htmx sends the request from; else those of the request."""
    before = urlsplit(htmx_of(request).current_url or "")
    return QueryDict(before.query) if before.path == request.path else request.GET


def keep_address(response: HttpResponse) -> None:
    """Let htmx neither push nor replace the address, so that it still names the page that is shown."""
    replace_url(response, url=False)
