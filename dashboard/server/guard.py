"""Access checks of requests and websockets, before any other code of Deltaboard sees them.

Each refusal has a sentence. The Host must be one of ALLOWED_HOSTS: a foreign name that resolves to this machine (DNS
rebinding) is refused. A websocket's Origin must be the host it connects to: browsers let any page open a socket to any
host, and the same-origin rule does not cover them. Where nobody signs in, only connections to this machine's own
addresses are served, and they must show the access token (access_token.py). With a proxy, the request must come from it
and name a user (trusted_proxy.py). Where people sign in to Deltaboard itself, session_layer.py knows who asks.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from django.http.request import split_domain_port, validate_host

from dashboard.access.person import NOBODY, PERSON_KEY, Person
from dashboard.server.access_token import AccessToken, without_token
from dashboard.server.request_headers import header_values
from dashboard.server.trusted_proxy import DoubledHeader, ProxyRefusal, TrustedProxy


class BindRefused(Exception):
    """Other machines could reach the requested address; the message is a sentence for the user."""


def is_loopback(host: str) -> bool:
    """Whether `host` (a name or an IP, brackets allowed) reaches this machine only."""
    bare = host.strip("[]").partition("%")[0]
    if bare.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def check_bind(host: str, *, signs_in: bool) -> None:
    """Raise BindRefused unless `host` is this machine's own, or people sign in, by a proxy or here."""
    if is_loopback(host) or signs_in:
        return
    raise BindRefused(
        f"Deltaboard does not listen on {host}: nobody signs in, and whoever reaches it may read and change the "
        "cluster. Listen on 127.0.0.1, let people sign in (DELTABOARD_SIGN_IN=oidc), or put a proxy in front that "
        "signs them in and name the header it sets in DELTABOARD_TRUST_PROXY_USER."
    )


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

PROBE_PATHS = frozenset({"/healthz", "/readyz"})
"""Requested by load balancers and kubelets, by address and without a user; they reveal nothing about the cluster."""

REJECTION_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
)
"""Headers of responses that no middleware sees: a sentence, and nothing else."""

HIGHEST_PORT = 65535
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class Rejection:
    """A refused request. Websockets get 403 whatever the status."""

    status: int
    message: str
    is_for_own_page: bool = False
    """Whether our own page may get it. A browser does not tell its page about a 403 before the websocket's handshake is
    over, and the page would retry for ever; so such a socket is accepted and closed with 4403, which the page shows.
    """
    is_for_doubled_header: bool = False
    """Whether a header that must come once came more often. Daphne joins the values of a websocket, so nothing after
    its handshake could tell.
    """
    close_code: int = 4403
    """With which a websocket is closed."""


class Guard:
    """An ASGI application that passes to `inner` only what the rules allow.

    `inner` finds the person in the scope, see dashboard.access.person.person_of, and never the access token.
    Without `proxy` and `token` every connection to this machine's own addresses is served; with `knows_sessions`, every
    connection, for `inner` finds out who asks.
    """

    def __init__(
        self,
        inner: Application,
        *,
        allowed_hosts: Iterable[str],
        proxy: TrustedProxy | None = None,
        token: AccessToken | None = None,
        knows_sessions: bool = False,
    ) -> None:
        self._inner = inner
        self._hosts = list(allowed_hosts)
        self._proxy = proxy
        self._token = token
        self._knows_sessions = knows_sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._inner(scope, receive, send)
            return
        identified = self.identify(scope)
        if isinstance(identified, Person):
            await self._serve(scope, identified, receive, send)
        else:
            await reject(scope, receive, send, identified)

    def identify(self, scope: Scope) -> Rejection | Person:
        """The first rule that `scope` breaks; else the person whom a proxy names, NOBODY without one."""
        if is_probe(scope):
            return NOBODY
        return self._wrong_host(scope) or self._wrong_origin(scope) or self._person(scope)

    async def _serve(self, scope: Scope, person: Person, receive: Receive, send: Send) -> None:
        if self._token is not None:
            redirect = None if is_probe(scope) else self._token.redirect_headers(scope)
            if redirect is not None:
                await _respond(send, 303, "This page is at its address without the token.", redirect)
                return
            headers = [(name, value) for name, value in scope["headers"] if name.lower() != b"authorization"]
            scope = {**scope, "headers": headers, "query_string": without_token(scope.get("query_string", b""))}
        await self._inner({**scope, PERSON_KEY: person}, receive, send)

    def _wrong_host(self, scope: Scope) -> Rejection | None:
        hosts = header_values(scope, "host")
        if len(hosts) == 1:
            domain, port = split_domain_port(hosts[0])
            if domain and validate_host(domain, self._hosts) and int(port or 0) <= HIGHEST_PORT:
                return None
        named = repr(hosts[0]) if hosts else "no host"
        return Rejection(400, f"Deltaboard is not served as {named}. ALLOWED_HOSTS lists the names it answers to.")

    def _wrong_origin(self, scope: Scope) -> Rejection | None:
        if scope["type"] != "websocket":
            return None
        origins = header_values(scope, "origin")
        if len(origins) == 1 and is_same_host(origins[0], header_values(scope, "host")[0]):
            return None
        return Rejection(403, "Only Deltaboard's own pages may open this socket.")

    def _person(self, scope: Scope) -> Rejection | Person:
        if self._proxy is not None:
            try:
                return self._proxy.person_of(scope)
            except ProxyRefusal as refusal:
                return Rejection(
                    403, str(refusal), is_for_own_page=True, is_for_doubled_header=isinstance(refusal, DoubledHeader)
                )
        if self._knows_sessions:
            return NOBODY
        server = scope.get("server")
        if server and server[1] is not None and not is_loopback(str(server[0])):
            return Rejection(
                403,
                "Nobody signs in to Deltaboard, so it answers on this machine's own addresses only. Let people sign in "
                "(DELTABOARD_SIGN_IN=oidc); behind a proxy that does it, set DELTABOARD_TRUST_PROXY_USER.",
                is_for_own_page=True,
            )
        if self._token is not None and not self._token.admits(scope):
            return Rejection(403, self._token.refusal(scope), is_for_own_page=True)
        return NOBODY


def is_probe(scope: Scope) -> bool:
    """Whether it is a load balancer's or kubelet's question, which no rule stops."""
    return bool(scope["type"] == "http" and scope["path"] in PROBE_PATHS)


def is_same_host(origin: str, host: str) -> bool:
    """Whether an Origin names the host and port of a Host header, whatever the scheme (a proxy may end TLS)."""
    try:
        parts = urlsplit(origin)
        default = _DEFAULT_PORTS[parts.scheme]
        here = urlsplit(f"//{host}")
        same_port = (parts.port or default) == (here.port or default)
    except (KeyError, ValueError):
        return False
    if parts.path or parts.query or parts.fragment or parts.username is not None:
        return False
    return bool(parts.hostname) and parts.hostname == here.hostname and same_port


async def reject(
    scope: Scope, receive: Receive, send: Send, rejection: Rejection, more_headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Answer a request with the sentence of a rejection; close a websocket with its code."""
    if scope["type"] == "websocket":
        await receive()
        if rejection.is_for_own_page:
            await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": rejection.close_code})
    else:
        await _respond(send, rejection.status, rejection.message, more_headers)


async def _respond(send: Send, status: int, sentence: str, more_headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    body = f"{sentence}\n".encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in REJECTION_HEADERS.items()]
    headers += [(b"content-length", str(len(body)).encode()), *more_headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
