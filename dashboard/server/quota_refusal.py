"""Response to a form that got no turn in time (429): the page with its text, from which it can be sent again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.layout.not_found import NotFoundInfo
from dashboard.pages.writes.unavailable import WriteUnavailable, has_text, unavailable_page
from dashboard.runtime.app_state import scope_of
from dashboard.runtime.quotas import RETRY_AFTER, Work
from dashboard.server.middleware import OnLoop

REFUSAL_KEY = "deltaboard.quota refusal"
"""Key of the ASGI scope for the kind of work for which there was no turn."""
_BUSY = "other requests of yours, or of others, are still being worked on"
SENTENCES: Mapping[Work, str] = MappingProxyType({
    "checks": f"This text was not checked: {_BUSY}. Go on typing, or try again in a few seconds.",
    "forms": f"Nothing was sent to the cluster: {_BUSY}. Wait for what your other pages do, and try again.",
    "exports": f"This file was not made: {_BUSY}. Wait until your other downloads have ended, and try again.",
})  # fmt: skip


class QuotaRefusal(OnLoop):
    """Answers instead of the view where the scope says so. Comes after Csrf: only our own pages get a text back."""

    async def process_view(
        self,
        request: HttpRequest,
        *_: Any,
    ) -> HttpResponse | None:
        work = scope_of(request).get(REFUSAL_KEY)
        if work is None:
            return None
        info = NotFoundInfo("Too many requests at the same time", SENTENCES[work])
        page = None if has_text(request) else render(request, "429.html", {"sentence": info.message}, status=429)
        response = await unavailable_page(request, WriteUnavailable(info, 429, page=page))
        response["Retry-After"] = str(RETRY_AFTER)
        return response
