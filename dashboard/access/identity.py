"""Identity of a browser and its user: a signed cookie with the browser's id and its number of drafts.

The number is in the cookie so that no page has to count the drafts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from dashboard.runtime.app_state import scope_of

USER_KEY = "deltaboard.user"
"""Key of the ASGI scope for the user that an authenticating proxy names."""
BROWSER_COOKIE = "deltaboard_browser"
DRAFT_COUNT_COOKIE = "deltaboard_drafts"
COOKIE_MAX_AGE = 400 * 86_400
"""Seconds; browsers keep no cookie for longer."""
_LENGTH = 32
_SIGNER = signing.Signer(salt="dashboard.drafts.browser")


def user_of(carrier: HttpRequest | Mapping[str, Any]) -> str:
    """The user that an authenticating proxy names (DELTABOARD_TRUST_PROXY_USER); empty where there is no such proxy."""
    return str(scope_of(carrier).get(USER_KEY, ""))


def browser_of(request: HttpRequest) -> str:
    """The id of this browser; empty where it has no cookie yet, or one that this server did not sign."""
    try:
        browser = _SIGNER.unsign(request.COOKIES.get(BROWSER_COOKIE, ""))
    except signing.BadSignature:
        return ""
    return browser if len(browser) == _LENGTH else ""


def draft_count_of(request: HttpRequest) -> int:
    """Number of drafts from this browser's cookie. The client can change it, so it is only displayed."""
    count = request.COOKIES.get(DRAFT_COUNT_COOKIE, "")
    return int(count) if count.isascii() and count.isdecimal() and len(count) <= 3 else 0


def remember_browser(response: HttpResponse, browser: str) -> None:
    """Set the cookie that identifies this browser. SameSite is Lax so that links from other sites reach its drafts."""
    _set(response, BROWSER_COOKIE, _SIGNER.sign(browser))


def remember_count(response: HttpResponse, count: int) -> None:
    _set(response, DRAFT_COUNT_COOKIE, str(count))


def _set(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(
        name, value, max_age=COOKIE_MAX_AGE, httponly=True, samesite="Lax", secure=settings.CSRF_COOKIE_SECURE
    )


@dataclass(frozen=True, slots=True)
class Identity:
    """Owner of drafts: a user (empty while there is no sign-in) in one browser."""

    owner: str
    browser: str
