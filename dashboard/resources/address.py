"""Addresses of a page that stays as it is, because what was typed into its filter cannot be read."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict


def params_before(request: HttpRequest) -> QueryDict:
    """The parameters of the page that htmx asks from: what is shown until the answer. Else those of the request."""
    before = urlsplit(request.headers.get("HX-Current-URL", ""))
    return QueryDict(before.query) if before.path == request.path else request.GET


def keep_address(response: HttpResponse) -> None:
    """Let htmx neither push nor replace the address: it goes on naming what the page goes on showing."""
    response["HX-Replace-Url"] = "false"
