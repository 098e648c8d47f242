"""Access guard that admits requests only from this machine, under its own host name and with the token."""

from __future__ import annotations

import hmac

from aiohttp import web

from devcluster.server.api_errors import unauthorized

_HOSTS = frozenset(("127.0.0.1", "localhost", "[::1]"))
_OPEN_PATHS = frozenset(("/healthz", "/livez", "/readyz", "/version"))


def is_local_host(header: str) -> bool:
    """Whether a Host header names this machine itself; a page that rebinds its own name to 127.0.0.1 sends its own."""
    host = header.rsplit(":", 1)[0] if not header.endswith("]") else header
    return host.lower() in _HOSTS


def check_request(request: web.BaseRequest, token: str) -> None:
    """Raises Failure (401) without the token, HTTPForbidden under a foreign name or from a page of another origin."""
    if not is_local_host(request.headers.get("Host", "")):
        raise web.HTTPForbidden(text="this name is not served here\n")
    if "Origin" in request.headers:
        raise web.HTTPForbidden(text="pages of other origins are not served\n")
    if request.path in _OPEN_PATHS:
        return
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise unauthorized()
