"""Backpressure of HTTP responses: a response is written only as fast as its client reads.

Daphne's `send` returns at once and leaves what cannot be written to Twisted, which keeps it without limit. Here `send`
waits while 64 KiB (Twisted's limit) or more wait to be written. A client that does not read that much within
SILENT_SECONDS is disconnected, and the work on its response ends.

The last piece of a response, 64 KiB at most, is handed over without waiting for what becomes of it: Twisted keeps it
until its own limit for idle connections, about a minute.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

from dashboard.server.guard import Application, Receive, Scope, Send
from informerd.clock import Clock, SystemClock, within

SILENT_SECONDS = 30.0
"""Seconds in which a client must read what waits to be written."""


class ClientGone(OSError):
    """The client has disconnected, or was disconnected because it read nothing."""


async def wait_to_write(request: Any, message: MutableMapping[str, Any]) -> None:
    """Return once a message of daphne's `request` may be written. Raises ClientGone, for pieces of a body only: what
    comes before them, such as a write to the cluster, is finished for a client that has gone, too.
    """
    if message["type"] != "http.response.body":
        return
    if request.channel is None:
        raise ClientGone
    is_last = not message.get("more_body")
    writer: ResponseWriter | None = getattr(request, "response_writer", None)
    if writer is None and is_last and not _is_full(request):
        return
    if writer is None:
        writer = request.response_writer = ResponseWriter(request)
    await writer.wait_until_writable()
    if is_last:
        request.unregisterProducer()


class ResponseWriter:
    """The producer of one response: Twisted tells it when the connection is full, empty, or lost."""

    clock: Clock = SystemClock()

    def __init__(self, request: Any) -> None:
        self._request = request
        self._writable = asyncio.Event()
        self._is_gone = False
        if not _is_full(request):
            self._writable.set()
        request.registerProducer(self, True)

    async def wait_until_writable(self) -> None:
        """Return once all was written after the connection was full. Raises ClientGone."""
        if not self._writable.is_set():
            try:
                async with within(SILENT_SECONDS, self.clock):
                    await self._writable.wait()
            except TimeoutError:
                self._request.channel.transport.abortConnection()
                raise ClientGone from None
        if self._is_gone:
            raise ClientGone

    def pauseProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when more than 64 KiB wait to be written."""
        self._writable.clear()

    def resumeProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when all was written."""
        self._writable.set()

    def stopProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when the connection is lost."""
        self._is_gone = True
        self._writable.set()


def end_with_client(application: Application) -> Application:
    """The application, for which ClientGone is a normal end."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientGone):
            await application(scope, receive, send)

    return call


def _is_full(request: Any) -> bool:
    """Whether an earlier response on the same connection has not been read yet."""
    return bool(request.channel._waitingForTransport)  # noqa: SLF001 -- there is no public name for it
