"""Flash messages: a sentence, such as "Saved.", that the next page shows once.

A message travels in a signed cookie, so it needs no session and no database. It is shown at one address only, and for
LIFETIME seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

COOKIE = "deltaboard_said"
LIFETIME = 15
"""Seconds."""
_SALT = "dashboard.edits.said"
_MAX_LENGTH = 900
"""Characters; a cookie holds 4 kB."""

Tone = Literal["ok", "warn"]


@dataclass(frozen=True, slots=True)
class Flash:
    """A flash message as the page shows it."""

    words: str
    tone: Tone
    undo_href: str
    """Address that leads to the review of the reverse of what was done; empty where there is none."""


def flash(response: HttpResponse, path: str, words: str, tone: Tone = "ok", *, undo_href: str = "") -> None:
    """Set the flash message `words` for the page at the address `path`."""
    value = signing.dumps([unquote(path), words[:_MAX_LENGTH], tone, undo_href], salt=_SALT, compress=True)
    secure = settings.CSRF_COOKIE_SECURE
    response.set_cookie(COOKIE, value, max_age=LIFETIME, httponly=True, samesite="Strict", secure=secure)


def flash_for(request: HttpRequest) -> Flash | None:
    """The flash message for the address of this request; None where there is none, or its signature is not valid."""
    value = request.COOKIES.get(COOKIE)
    if value is None:
        return None
    try:
        path, words, tone, undo_href = signing.loads(value, salt=_SALT, max_age=LIFETIME)
    except (signing.BadSignature, ValueError):
        return None
    return Flash(words, tone, undo_href) if path == request.path else None


def clear_flash(request: HttpRequest, response: HttpResponse) -> None:
    """Delete the flash message: the user has gone on to another page, and "Saved." would be out of date."""
    if COOKIE in request.COOKIES:
        response.delete_cookie(COOKIE, samesite="Strict")
