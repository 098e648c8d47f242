"""ASGI layer that gives each request and socket the state of whoever sends it, by their own rights."""

from __future__ import annotations

from urllib.parse import parse_qs

from dashboard.access.person import person_of
from dashboard.runtime.app_state import SCOPE_KEY
from dashboard.server.guard import Application, Receive, Scope, Send, is_probe
from dashboard.server.person_states import PersonState, PersonStates

PERSON_STATE_KEY = "deltaboard.person_state"
"""Key of a websocket's ASGI scope for its PersonState."""
STATIC_PATH = "/static/"


class RightsLayer:
    """Passes requests to `inner` with the state of their person. Files of the program itself need none."""

    def __init__(self, inner: Application, states: PersonStates) -> None:
        self._inner = inner
        self._states = states

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_probe(scope) or scope["path"].startswith(STATIC_PATH):
            await self._inner(scope, receive, send)
            return
        page = await self._states.open(person_of(scope), _address_of(scope))
        try:
            await self._inner({**scope, SCOPE_KEY: page.state, PERSON_STATE_KEY: page}, receive, send)
        finally:
            page.close()


def _address_of(scope: Scope) -> str:
    """The address of the page: of a websocket, the one that it follows at first."""
    if scope["type"] == "http":
        path: str = scope["path"]
        return path
    values = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("path")
    return values[0] if values else ""


def person_state_of(scope: Scope) -> PersonState | None:
    """The state of a socket's person; None where people act with the rights of the account."""
    state: PersonState | None = scope.get(PERSON_STATE_KEY)
    return state
