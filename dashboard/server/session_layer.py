"""ASGI layer that finds the person of a session, where people sign in to Deltaboard itself.

It stands behind the guard. Without a session, pages lead to the sign-in page and back, scripts get 401 and a sentence,
and websockets are closed with 4401. A websocket ends with its session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings

from dashboard.access.person import PERSON_KEY, Person
from dashboard.access.sessions.session import SESSION_KEY, Session, cookie_of, session_id
from dashboard.live.hub.browser_socket import RECONNECT_CODE
from dashboard.pages.sessions.registry import SessionRegistry
from dashboard.pages.sign_in.addresses import MAX_NEXT, OPEN, SIGN_IN
from dashboard.runtime.database_executor import Unavailable
from dashboard.server.guard import Application, Receive, Rejection, Scope, Send, is_probe, reject
from dashboard.server.request_headers import header_values

SIGNED_OUT = (
    f"You are signed out, or your session is over. Sign in at {SIGN_IN} and send this again. "
    "Deltaboard did nothing with this request."
)
CLOSE_CODE = 4401
"""The page of a websocket that ends with it shows nothing any more, and leads to the sign-in."""
_HEADERS = [(b"www-authenticate", f'Session sign-in="{SIGN_IN}"'.encode()), (b"hx-reswap", b"none")]
"""htmx leaves the page as it is: what somebody has typed there must not be lost."""


class SessionLayer:
    """Passes to `inner` what has a session, with its person in the scope, and what needs none."""

    def __init__(self, inner: Application, sessions: SessionRegistry) -> None:
        self._inner = inner
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or is_probe(scope) or _is_static(scope):
            await self._inner(scope, receive, send)
            return
        cookie = cookie_of(scope)
        try:
            session = await self._sessions.current(cookie) if cookie else None
        except Unavailable as error:
            if not is_open(scope):
                await reject(scope, receive, send, _unavailable(error), [(b"retry-after", b"5")])
                return
            session = None
        if session is None and not is_open(scope):
            await self._refuse(scope, receive, send)
            return
        if session is not None:
            scope = {**scope, PERSON_KEY: session.person, SESSION_KEY: session}
        if session is None or scope["type"] == "http":
            await self._inner(scope, receive, send)
        else:
            await self._serve_socket(scope, session, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _wants_page(scope):
            await reject(
                scope, receive, send, Rejection(401, SIGNED_OUT, is_for_own_page=True, close_code=CLOSE_CODE), _HEADERS
            )
            return
        location = f"{SIGN_IN}?{urlencode({'next': back})}" if (back := _address(scope)) != "/" else SIGN_IN
        to_sign_in = Rejection(303, f"Sign in at {SIGN_IN} to see this page.")
        await reject(scope, receive, send, to_sign_in, [(b"location", location.encode())])

    async def _serve_socket(self, scope: Scope, session: Session, receive: Receive, send: Send) -> None:
        """Serve a websocket until its session ends; then close it, whatever is to be sent."""
        with self._sessions.watch(session) as ended:
            ending = asyncio.create_task(ended.wait(), name="session ends")
            receiving: asyncio.Task[MutableMapping[str, Any]] | None = None
            is_closed = False

            async def received() -> MutableMapping[str, Any]:
                nonlocal receiving, is_closed
                receiving = receiving or asyncio.ensure_future(receive())
                await asyncio.wait((receiving, ending), return_when=asyncio.FIRST_COMPLETED)
                if receiving.done():
                    message, receiving = receiving.result(), None
                    return message
                is_closed = True
                await send({"type": "websocket.close", "code": CLOSE_CODE})
                return {"type": "websocket.disconnect", "code": CLOSE_CODE}

            async def sent(message: MutableMapping[str, Any]) -> None:
                if not is_closed:
                    await send(message)

            try:
                await self._inner(scope, received, sent)
            finally:
                ending.cancel()
                if receiving is not None:
                    receiving.cancel()


def without_session(scope: Scope) -> Rejection | None:
    """The refusal of a request that has no session cookie of ours, before its body is received; None where it may
    have a session, or needs none. Whether that has ended, the layer finds out.
    """
    if is_open(scope) or session_id(cookie_of(scope)):
        return None
    return Rejection(401, SIGNED_OUT, is_for_own_page=True, close_code=CLOSE_CODE)


def identify_by_cookie(identify: Callable[[Scope], Rejection | Person]) -> Callable[[Scope], Rejection | Person]:
    """The guard's rules and `without_session`, for a request whose body has not been received. Until its session is
    looked up the request counts for that, under a name of its own.
    """

    def identified(scope: Scope) -> Rejection | Person:
        person = identify(scope)
        if isinstance(person, Rejection):
            return person
        key = session_id(cookie_of(scope))
        return without_session(scope) or (Person(f"of session {key[:16]}") if key else person)

    return identified


def is_open(scope: Scope) -> bool:
    """Whether it is answered without a session: what somebody needs who signs in, and probes."""
    if scope["type"] != "http":
        return False
    return is_probe(scope) or _is_static(scope) or OPEN.fullmatch(scope["path"]) is not None


def _is_static(scope: Scope) -> bool:
    return scope["type"] == "http" and bool(scope["path"].startswith(settings.STATIC_URL))


def _wants_page(scope: Scope) -> bool:
    """Whether a browser shows the answer as a page."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or header_values(scope, "hx-request"):
        return False
    if destinations := header_values(scope, "sec-fetch-dest"):
        return destinations == ["document"]
    return any("text/html" in value for value in header_values(scope, "accept"))


def _address(scope: Scope) -> str:
    """Path and query of a request, to come back to."""
    query = scope.get("query_string", b"").decode("latin-1")
    path = quote(scope["path"])
    address = f"{path}?{query}" if query else path
    return address if len(address) <= MAX_NEXT else path[:MAX_NEXT]


def _unavailable(error: Unavailable) -> Rejection:
    return Rejection(
        503,
        f"Deltaboard cannot look up who you are, because its database cannot be used: {error}. Try again in a few "
        "seconds.",
        is_for_own_page=True,
        close_code=RECONNECT_CODE,
    )
