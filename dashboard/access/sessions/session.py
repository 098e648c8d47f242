"""A session: one browser that somebody has signed in with, and the cookie that it shows."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, parse_cookie

from dashboard.access.person import Person
from dashboard.runtime.app_state import scope_of

SESSION_KEY = "deltaboard.session"
"""Key of the ASGI scope for the session."""
COOKIE = "deltaboard_session"
HOST_PREFIX = "__Host-"
"""Browsers take such a cookie only over HTTPS and from this very host."""
TOUCH_SECONDS = 60.0
"""Seconds after which the last use is written again."""
_SIGNER = signing.Signer(salt="dashboard.access.sessions")
_MAX_COOKIE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Seconds for which a session lasts: in all, and without being used."""

    longest: float
    idle: float


def lifetime_from_settings() -> Lifetime:
    return Lifetime(settings.DELTABOARD_SESSION_HOURS * 3600.0, settings.DELTABOARD_SESSION_IDLE_HOURS * 3600.0)


@dataclass(frozen=True, slots=True)
class Session:
    """As it was read. Times are Unix seconds."""

    id: str
    """Hash of the cookie's key; no secret."""
    person: Person
    issuer: str
    subject: str
    sid: str
    device: str
    created: float
    last_used: float
    expires: float

    def has_ended(self, now: float, lifetime: Lifetime) -> bool:
        """Whether its time is over, or nobody has used it for too long. The last use is up to a minute late."""
        return now >= self.expires or now - self.last_used >= lifetime.idle + TOUCH_SECONDS


def new_cookie() -> str:
    """The value of a new session's cookie: a random key, signed, so that a made-up one costs no question to the
    database.
    """
    return _SIGNER.sign(secrets.token_urlsafe(32))


def session_id(cookie: str) -> str:
    """The id of the session of a cookie; empty where this installation did not make it."""
    if not cookie or len(cookie) > _MAX_COOKIE_LENGTH:
        return ""
    try:
        key = _SIGNER.unsign(cookie)
    except signing.BadSignature:
        return ""
    return hashlib.sha256(key.encode()).hexdigest()


def cookie_name() -> str:
    return f"{HOST_PREFIX}{COOKIE}" if settings.CSRF_COOKIE_SECURE else COOKIE


def cookie_of(scope: Mapping[str, Any]) -> str:
    """The session cookie of an ASGI scope; empty without one."""
    headers = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name.lower() == b"cookie"]
    return parse_cookie("; ".join(headers)).get(cookie_name(), "")


def set_session_cookie(response: HttpResponse, cookie: str, *, max_age: float) -> None:
    """Give the browser its session. SameSite is Lax, so that a link from elsewhere opens a page signed in."""
    response.set_cookie(
        cookie_name(),
        cookie,
        max_age=int(max_age),
        httponly=True,
        samesite="Lax",
        secure=settings.CSRF_COOKIE_SECURE,
    )


def delete_session_cookie(response: HttpResponse) -> None:
    """Have the browser forget its session."""
    response.delete_cookie(cookie_name(), samesite="Lax")


def session_of(carrier: HttpRequest | Mapping[str, Any]) -> Session | None:
    """The session of a request or an ASGI scope; None without one."""
    session: Session | None = scope_of(carrier).get(SESSION_KEY)
    return session


_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
)  # fmt: skip
_SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
"""What a User-Agent has, and what people call it. The first that is found counts: browsers name others, too."""


def device_of(user_agent: str) -> str:
    """A few words for a browser and its system, such as “Firefox on Linux”."""
    text = user_agent[:1_000]
    browser = next((name for mark, name in _BROWSERS if mark in text), "")
    system = next((name for mark, name in _SYSTEMS if mark in text), "")
    return f"{browser or 'A browser'} on {system}" if system else browser or "An unknown device"
