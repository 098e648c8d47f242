"""ASGI layer by which what a request writes is recorded as its person's."""

from __future__ import annotations

from dashboard.pages.audit.actor import recorded_state
from dashboard.runtime.app_state import SCOPE_KEY
from dashboard.server.guard import Application, Receive, Scope, Send


class AuditLayer:
    """Passes requests to `inner` with a state whose client records. Sockets write nothing."""

    def __init__(self, inner: Application) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            state = recorded_state(scope[SCOPE_KEY], scope)  # which gives the scope an id
            scope = {**scope, SCOPE_KEY: state}
        await self._inner(scope, receive, send)
