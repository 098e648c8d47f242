"""Who a request's work is counted for: the user, or without sign-in the browser and the address it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http.cookie import parse_cookie

from dashboard.access.identity import BROWSER_COOKIE, signed_browser, user_of

LOCAL = "this machine"


def quota_owners(scope: Mapping[str, Any]) -> tuple[str, ...]:
    """The owners of an ASGI scope's work, for `dashboard.runtime.concurrency_limit`.

    A user that the proxy names is the only one. Else they are the browser by its signed cookie, where it has one, and
    always the peer's address: who drops the cookie, or takes a new one for each request, is still counted by address.
    All of this machine's own addresses count as one.
    """
    if user := user_of(scope):
        return (f"user {user}",)
    address = f"address {_peer(scope)}"
    browser = _browser(scope)
    return (f"browser {browser}", address) if browser else (address,)


def _peer(scope: Mapping[str, Any]) -> str:
    client = scope.get("client")
    host = str(client[0]) if client else ""
    return LOCAL if not host or host in ("::1", "::ffff:127.0.0.1") or host.startswith("127.") else host


def _browser(scope: Mapping[str, Any]) -> str:
    for name, value in scope.get("headers", ()):
        if name == b"cookie":
            return signed_browser(parse_cookie(value.decode("latin-1")).get(BROWSER_COOKIE, ""))
    return ""
