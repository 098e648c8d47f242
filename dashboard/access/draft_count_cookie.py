"""Number of a browser's drafts, in a cookie, so that no page has to count the drafts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from dashboard.access.lasting_cookie import set_cookie

DRAFT_COUNT_COOKIE = "deltaboard_drafts"


def draft_count_of(request: HttpRequest) -> int:
    """Number of drafts from this browser's cookie. The client can change it, so it is only displayed."""
    count = request.COOKIES.get(DRAFT_COUNT_COOKIE, "")
    return int(count) if count.isascii() and count.isdecimal() and len(count) <= 3 else 0


def remember_count(response: HttpResponse, count: int) -> None:
    set_cookie(response, DRAFT_COUNT_COOKIE, str(count))
