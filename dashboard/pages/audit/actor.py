"""Who sends a request, as the audit log names them: the person, and an id that the proxy's logs may have, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from dashboard.access.person import person_of
from dashboard.access.request_id import request_id_of
from dashboard.cluster.connection import CONNECTION, ConnectionWithClient
from dashboard.pages.audit.entry import Actor
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AUDIT
from dashboard.runtime.app_state import AppState, scope_of
from informerd.rest.client import Client


def actor_of(carrier: HttpRequest | Mapping[str, Any]) -> Actor:
    """The actor of a request or an ASGI scope. The same id for each call about one request."""
    scope = scope_of(carrier)
    return Actor(person_of(carrier), request_id_of(scope))


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
