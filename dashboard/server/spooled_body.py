"""Bodies of requests that stay in Twisted's temporary file until the application reads them.

Daphne reads the whole body into the request's queue of messages, so all requests that wait for their turn would have
theirs in memory. A client that goes away takes its large body with it: a request that still waits then is not served.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO

from dashboard.server.guard import Application, Receive, Scope, Send

BODY_CHUNK = 2**20
"""Bytes of a request's body that the application receives at once. Blocks of this size go back to the system when they
are freed (see LARGE_BLOCK in dashboard.runtime.malloc_tuning); daphne's 8 KiB left fragments of the heap behind.
"""

Message = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpooledPart:
    """A message of the body, whose bytes are in `file`."""

    file: BinaryIO
    start: int
    length: int
    more_body: bool

    def read(self) -> Message:
        """The message; that of a disconnected client where the file was closed with its connection."""
        if self.file.closed:
            return {"type": "http.disconnect"}
        self.file.seek(self.start)
        return {"type": "http.request", "body": self.file.read(self.length), "more_body": self.more_body}


class SpooledBody:
    """What daphne puts messages into: passes them on to the application's queue, those of the body without its bytes
    where these are in a file.
    """

    def __init__(self, queue: Any, content: BinaryIO) -> None:
        self._queue, self._content = queue, content
        self._position = 0

    def put_nowait(self, message: Message) -> None:
        """Add a message. Parts of the body come in their order."""
        if message["type"] != "http.request" or isinstance(self._content, BytesIO):
            self._queue.put_nowait(message)
            return
        length = len(message["body"])
        self._queue.put_nowait(SpooledPart(self._content, self._position, length, message["more_body"]))
        self._position += length


def read_spooled_bodies(application: Application) -> Application:
    """The application, which receives parts of a body as the messages that ASGI defines."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        async def read() -> Any:
            message: Any = await receive()
            return message.read() if isinstance(message, SpooledPart) else message

        await application(scope, read, send)

    return call
