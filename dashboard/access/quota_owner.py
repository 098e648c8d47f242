"""Who work and sockets are counted for: the user, or without sign-in the browser and its address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.access.identity import browser_of, user_of

LOCAL = "this machine"


def quota_owners(scope: Mapping[str, Any]) -> tuple[str, ...]:
    """The owners of an ASGI scope's work or socket, for `dashboard.runtime.concurrency_limit` and `SocketLimits`.

    A user that the proxy names is the only one. Else they are the browser by its signed cookie, where it has one, and
    always the peer's address: who drops the cookie, or takes a new one for each request, is still counted by address.
    All of this machine's own addresses count as one.
    """
    if user := user_of(scope):
        return (f"user {user}",)
    address = f"address {_peer(scope)}"
    browser = browser_of(scope)
    return (f"browser {browser}", address) if browser else (address,)


def _peer(scope: Mapping[str, Any]) -> str:
    client = scope.get("client")
    host = str(client[0]) if client else ""
    return LOCAL if not host or host in ("::1", "::ffff:127.0.0.1") or host.startswith("127.") else host
