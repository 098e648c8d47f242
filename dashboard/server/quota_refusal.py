"""Response to a request that got no turn in time (429): a page from which it can be sent again, with all its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.create.many.manifests import with_files
from dashboard.pages.layout.htmx import htmx_of
from dashboard.runtime.app_state import scope_of
from dashboard.runtime.quotas import RETRY_AFTER, Work
from dashboard.runtime.thread_pools import transfer_in_thread_if_large
from dashboard.server.middleware import OnLoop

REFUSAL_KEY = "deltaboard.quota refusal"
"""Key of the ASGI scope for the kind of work for which there was no turn."""
_BUSY = "other requests of yours, or of others, are still being worked on"
SENTENCES: Mapping[Work, str] = MappingProxyType({
    "checks": f"This text was not checked: {_BUSY}. Go on typing, or try again in a few seconds.",
    "forms": f"This request changed nothing: {_BUSY}. Wait for what your other pages do, and send it again.",
    "exports": f"This file was not made: {_BUSY}. Wait until your other downloads have ended, and try again.",
    "pages": f"This page was not made: {_BUSY}. Wait until your other pages are there, and try again.",
})  # fmt: skip
_TOKEN = "csrfmiddlewaretoken"  # noqa: S105 -- the name of an input


class QuotaRefusal(OnLoop):
    """Answers instead of the view where the scope says so. Comes after Csrf: only our own pages get their inputs back.

    Nothing is sent again until a person presses the page's button.
    """

    async def process_view(
        self,
        request: HttpRequest,
        *_: Any,
    ) -> HttpResponse | None:
        work = scope_of(request).get(REFUSAL_KEY)
        if work is None:
            return None
        fields, file_problem = _fields(request)
        context = {
            "sentence": SENTENCES[work],
            "fields": fields,
            "file_problem": file_problem,
            "method": "post" if request.method == "POST" else "get",
            "action": request.get_full_path() if request.method == "POST" else request.path,
            "seconds": RETRY_AFTER,
            "element": (htmx_of(request).target or "").rpartition("#")[2] or "refused",
        }
        size = sum(len(value) for _, value in fields)
        response = await transfer_in_thread_if_large(render, request, "too_many_requests.html", context, size=size)
        response.status_code = 429
        response["Retry-After"] = str(RETRY_AFTER)
        response["Cache-Control"] = "no-store"
        return response


def _fields(request: HttpRequest) -> tuple[list[tuple[str, str]], str]:
    """The inputs of the form, or of the address; and why a file is not among them: files become part of the text, as
    its page has it.
    """
    values = request.POST if request.method == "POST" else request.GET
    fields = [(name, value) for name, each in values.lists() if name != _TOKEN for value in each]
    if not request.FILES:
        return fields, ""
    text, refusal = with_files(request)
    kept = [(name, value) for name, value in fields if name != "yaml"]
    return [*kept, ("yaml", text)], refusal.problems[0].words if refusal is not None else ""
