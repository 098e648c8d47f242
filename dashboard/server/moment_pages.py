"""Middleware of pages of the past: links keep the moment, and a moment that cannot be shown is refused with a page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from dashboard.live.moments.at_parameter import keep_moment
from dashboard.live.moments.moments import MOMENT
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.runtime.app_state import SCOPE_KEY, scope_of, state_of
from dashboard.server.middleware import OnLoop
from dashboard.server.moment_layer import REFUSAL_KEY, MomentRefusal


class MomentPages(OnLoop):
    """Answers instead of the view where the moment was refused."""

    async def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        refusal: MomentRefusal | None = scope_of(request).get(REFUSAL_KEY)
        if refusal is None:
            return None
        now = ChoiceLink("This page as of now", request.path)
        info = NotFoundInfo(refusal.title, refusal.sentence, (now,), "Go to")
        response = not_found_page(request, info, status=refusal.status, title=refusal.title)
        response["Cache-Control"] = "no-store"
        return response

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if SCOPE_KEY not in scope_of(request) or (moment := state_of(request)[MOMENT]) is None:
            return response
        if isinstance(response, HttpResponse) and response.get("Content-Type", "").startswith("text/html"):
            response.content = keep_moment(response.content.decode(), moment.at).encode()
        if 300 <= response.status_code < 400:
            response["Location"] = keep_moment(f' href="{response["Location"]}"', moment.at)[7:-1].replace("&amp;", "&")
        return response
