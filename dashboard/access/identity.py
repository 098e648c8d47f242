"""What a browser carries for its drafts: who it is, signed, and how many it has, so that no page has to count them."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

BROWSER = "deltaboard_browser"
COUNT = "deltaboard_drafts"
LIFE = 400 * 86_400
"""Seconds; browsers keep no cookie for longer."""
_LENGTH = 32
_SIGNER = signing.Signer(salt="dashboard.drafts.browser")


def browser_of(request: HttpRequest) -> str:
    """Which browser this is; empty for one that has kept nothing yet, or whose cookie is none of ours."""
    try:
        browser = _SIGNER.unsign(request.COOKIES.get(BROWSER, ""))
    except signing.BadSignature:
        return ""
    return browser if len(browser) == _LENGTH else ""


def drafts_of(request: HttpRequest) -> int:
    """How many drafts this browser has, as it was last told; anybody may have changed that, so it is shown only."""
    count = request.COOKIES.get(COUNT, "")
    return int(count) if count.isascii() and count.isdecimal() and len(count) <= 3 else 0


def remember_browser(response: HttpResponse, browser: str) -> None:
    """Have the browser say next time that it is this one. Lax: a link from elsewhere leads to its drafts, too."""
    _set(response, BROWSER, _SIGNER.sign(browser))


def remember_count(response: HttpResponse, count: int) -> None:
    _set(response, COUNT, str(count))


def _set(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(name, value, max_age=LIFE, httponly=True, samesite="Lax", secure=settings.CSRF_COOKIE_SECURE)
