"""ASGI layer that sets the log context of each request, and the header X-Request-Id of its answer."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import partial
from typing import Any

from dashboard.access.person import person_of
from dashboard.access.request_id import REQUEST_ID_HEADER, request_id_of
from dashboard.cluster.connection import CONNECTION, cluster_name
from dashboard.runtime.app_state import state_of
from dashboard.runtime.log_context import LogContext, log_context
from dashboard.server.guard import Application, Receive, Scope, Send


class LogContextLayer:
    """Passes requests and sockets to `inner`; an answer gets the request's id in X-Request-Id."""

    def __init__(self, inner: Application) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._inner(scope, receive, send)
            return
        request_id, connection = request_id_of(scope), state_of(scope)[CONNECTION]

        async def send_with_id(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (REQUEST_ID_HEADER, request_id.encode("latin-1"))]
                message = {**message, "headers": headers}
            await send(message)

        with log_context(LogContext(partial(cluster_name, connection), request_id, person_of(scope).name)):
            await self._inner(scope, receive, send_with_id)
