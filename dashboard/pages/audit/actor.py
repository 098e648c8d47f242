"""Who sends a request, as the audit log names them: the person, and an id that the proxy's logs may have, too."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from dashboard.access.person import person_of
from dashboard.cluster.connection import CONNECTION, ConnectionWithClient
from dashboard.pages.audit.entry import Actor
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AUDIT
from dashboard.runtime.app_state import AppState, scope_of
from informerd.rest.client import Client

REQUEST_ID_HEADER = b"x-request-id"
MAX_REQUEST_ID = 128
_KEY = "deltaboard.request_id"
"""Key of the ASGI scope for an id that was made here."""


def actor_of(carrier: HttpRequest | Mapping[str, Any]) -> Actor:
    """The actor of a request or an ASGI scope. The same id for each call about one request."""
    scope = scope_of(carrier)
    return Actor(person_of(carrier), _request_id(scope))


def recorded_state(state: AppState, scope: Mapping[str, Any]) -> AppState:
    """The state for one request: what it writes with the connection's client is recorded as its person's.

    `state` is what the person gets otherwise: a client that impersonates them stays that.
    """
    connection, recorder, actor = state[CONNECTION], state[AUDIT], actor_of(scope)
    if not recorder.is_on:
        return state

    recorded: list[Client] = []

    def client() -> Client | None:
        """The same for the whole request, from when there is one: a connection may come while a form arrives."""
        if not recorded and (current := connection.client) is not None:
            recorded.append(recorded_client(recorder, current, actor))
        return recorded[0] if recorded else None

    return state.with_objects({CONNECTION: ConnectionWithClient(connection, client)})


def _request_id(scope: Mapping[str, Any]) -> str:
    """The id that a trusted proxy sends in X-Request-Id; else one that is made for the request."""
    if settings.DELTABOARD_SIGN_IN == "proxy":
        for name, value in scope.get("headers", ()):
            text: str = value.decode("latin-1")
            if name.lower() == REQUEST_ID_HEADER and 0 < len(text) <= MAX_REQUEST_ID and text.isprintable():
                return text
    if isinstance(scope, dict):
        made: str = scope.setdefault(_KEY, secrets.token_hex(8))
        return made
    return secrets.token_hex(8)
