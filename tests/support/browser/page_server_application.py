"""ASGI application of the page server: pages and socket as the dashboard has them, and /control for the test."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from dashboard.runtime.app_state import SCOPE_KEY
from dashboard.server.consumers import LiveConsumer
from dashboard.server.django_handler import LoopHandler
from dashboard.server.request_quotas import RequestQuotas
from tests.support.pages.app_state import AttributeState

if TYPE_CHECKING:
    from tests.support.browser.page_server import Control


class Application:
    """ASGI application that sends /control to `control`, and all else to the dashboard's pages and consumer."""

    def __init__(self, control: Control) -> None:
        self._control = control
        pages: Any = LoopHandler()  # its stub asks for a dict where ASGI has any mapping
        self._pages = RequestQuotas(pages)
        self._sockets = LiveConsumer.as_asgi()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope = {**scope, SCOPE_KEY: AttributeState(self._control.parts)}
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["path"] == "/control":
            await self._command(receive, send)
        else:
            await self._page(scope, receive, send)

    async def _socket(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        async def receive_and_note() -> Any:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self._control.closed.append(message["code"])
            return message

        if not self._control.refuse:
            await self._sockets(scope, receive_and_note, send)
            return
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": self._control.refuse})

    async def _page(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        async def send_and_count(message: Any) -> None:
            await send(message)
            self._control.body_bytes += len(message.get("body", b""))

        self._control.pages_open += 1
        try:
            await self._pages(scope, receive, send_and_count)
        finally:
            self._control.pages_open -= 1

    async def _command(self, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        command = json.loads(body)
        answer = getattr(self._control, command.pop("do"))(**command)
        if asyncio.iscoroutine(answer):
            answer = await answer
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})
