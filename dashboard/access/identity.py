"""Identity of a browser and its user: the browser's id in a signed cookie, and the person who is signed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse, parse_cookie

from dashboard.access.lasting_cookie import set_cookie
from dashboard.access.person import person_of

BROWSER_COOKIE = "deltaboard_browser"
_LENGTH = 32
_SIGNER = signing.Signer(salt="dashboard.drafts.browser")


def user_of(carrier: HttpRequest | Mapping[str, Any]) -> str:
    """The name of the person who is signed in; empty without sign-in."""
    return person_of(carrier).name


def browser_of(carrier: HttpRequest | Mapping[str, Any]) -> str:
    """The id of this browser; empty where it has no cookie yet, or one that this server did not sign."""
    cookies = carrier.COOKIES if isinstance(carrier, HttpRequest) else _cookies(carrier)
    try:
        browser = _SIGNER.unsign(cookies.get(BROWSER_COOKIE, ""))
    except signing.BadSignature:
        return ""
    return browser if len(browser) == _LENGTH else ""


def _cookies(scope: Mapping[str, Any]) -> dict[str, str]:
    headers = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name.lower() == b"cookie"]
    return parse_cookie("; ".join(headers))


def remember_browser(response: HttpResponse, browser: str) -> None:
    """Set the cookie that identifies this browser. SameSite is Lax so that links from other sites reach its drafts."""
    set_cookie(response, BROWSER_COOKIE, _SIGNER.sign(browser))


@dataclass(frozen=True, slots=True)
class Identity:
    """Owner of drafts and runs: a user (empty while there is no sign-in) in one browser."""

    owner: str
    browser: str
