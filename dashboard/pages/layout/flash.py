"""A sentence that the next page shows once: "Saved." It travels in a signed cookie, so nothing is stored here.

It is shown on the one address it is meant for, for SHOWN_FOR seconds; no session and no database is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

COOKIE = "deltaboard_said"
SHOWN_FOR = 15
"""Seconds."""
_SALT = "dashboard.edits.said"
_LONGEST = 900
"""Characters; a cookie holds 4 kB."""

Tone = Literal["ok", "warn"]


@dataclass(frozen=True, slots=True)
class Said:
    """What the page shows."""

    words: str
    tone: Tone


def say(response: HttpResponse, path: str, words: str, tone: Tone = "ok") -> None:
    """Have the page at the address `path` show `words`, if it is opened soon."""
    value = signing.dumps([unquote(path), words[:_LONGEST], tone], salt=_SALT, compress=True)
    secure = settings.CSRF_COOKIE_SECURE
    response.set_cookie(COOKIE, value, max_age=SHOWN_FOR, httponly=True, samesite="Strict", secure=secure)


def said_to(request: HttpRequest) -> Said | None:
    """What was said for the address of this request; None where nothing was, or not by us."""
    value = request.COOKIES.get(COOKIE)
    if value is None:
        return None
    try:
        path, words, tone = signing.loads(value, salt=_SALT, max_age=SHOWN_FOR)
    except (signing.BadSignature, ValueError):
        return None
    return Said(words, tone) if path == request.path else None


def say_no_more(request: HttpRequest, response: HttpResponse) -> None:
    """Forget what was said: the person has gone on to something else, and "Saved." would be about the past."""
    if COOKIE in request.COOKIES:
        response.delete_cookie(COOKIE, samesite="Strict")
