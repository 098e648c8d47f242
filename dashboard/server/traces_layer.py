"""ASGI layer that records an OpenTelemetry span for each POST, the parent of the spans of its steps."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

from django.conf import settings
from django.urls import Resolver404, resolve

from dashboard.access.request_id import request_id_of
from dashboard.runtime.tracing import SpanId, Traces
from dashboard.server.guard import Application, Receive, Scope, Send
from dashboard.server.request_headers import header_values

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")


class TracesLayer:
    """Passes requests to `inner`. A trusted proxy's `traceparent` says in which trace a span is, and whether at all."""

    def __init__(self, inner: Application, traces: Traces) -> None:
        self._inner = inner
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parent, is_recorded = _parent_of(scope)
        if scope["type"] != "http" or scope["method"] != "POST" or not is_recorded:
            await self._inner(scope, receive, send)
            return
        route = _route_of(scope)
        with self._traces.open(f"POST {route}".rstrip(), parent, kind="server") as span:
            span.attributes |= {"http.request.method": "POST", "deltaboard.request_id": request_id_of(scope)}
            if route:
                span.attributes["http.route"] = route

            async def send_and_note(message: MutableMapping[str, Any]) -> None:
                if message["type"] == "http.response.start":
                    span.attributes["http.response.status_code"] = message["status"]
                    span.failed = message["status"] >= 500
                await send(message)

            await self._inner(scope, receive, send_and_note)


def _route_of(scope: Scope) -> str:
    """The pattern of the address, which names no object; empty where there is no such page."""
    try:
        return f"/{resolve(scope['path'].removeprefix(scope.get('root_path', ''))).route}"
    except Resolver404:
        return ""


def _parent_of(scope: Scope) -> tuple[SpanId | None, bool]:
    """The span of the proxy that sent a request, and whether the request is recorded: the proxy says, else it is."""
    if settings.DELTABOARD_SIGN_IN != "proxy":
        return None, True
    values = header_values(scope, "traceparent")
    found = _TRACEPARENT.fullmatch(values[0]) if len(values) == 1 else None
    if found is None:
        return None, True
    trace, span, flags = (int(part, 16) for part in found.groups())
    return SpanId(trace, span), bool(flags & 1)
