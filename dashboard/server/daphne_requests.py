"""Daphne's request with a limit of its body, which is enforced while the body arrives.

Twisted receives a body completely, into a file where it is large, and parses a posted form, before daphne calls the
application. Here a request is refused as soon as its headers announce too much, or once more has arrived than it may
have; what follows is thrown away, for a moment, so that the browser can read the answer (as nginx's lingering_close).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daphne import http_protocol

from dashboard.runtime.quotas import RETRY_AFTER
from dashboard.server.body_limits import BodyLimits, BodyRoom, BodyTooLarge, NoRoomForBody
from dashboard.server.guard import REJECTION_HEADERS

LINGER_SECONDS = 2.0
"""Seconds in which the rest of a refused body is read and thrown away."""
_CONTINUE = b"Expect"
_REASONS: Mapping[int, bytes] = {413: b"Content Too Large", 429: b"Too Many Requests"}


@dataclass(frozen=True, slots=True)
class BodyDoor:
    """What a request needs to judge its body."""

    limits: BodyLimits
    room: BodyRoom
    user_header: str
    """Header with the user's name; empty without a proxy."""
    refused: Counter[str]
    """Counts refusals, under "bodies"."""


class LimitedRequest(http_protocol.WebRequest):  # type: ignore[misc] # daphne has no types
    """A request that refuses a body over the limit while it arrives. `door` is set by `install_body_door`."""

    door: BodyDoor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "parsePOSTFormSubmission": False})  # Django parses it, within its limits
        self._received = 0
        self._refused = False
        self._owner = ""

    def gotLength(self, length: int | None) -> None:  # noqa: N802 -- Twisted's name
        """Called when all headers are there."""
        super().gotLength(length)
        header = self.door.user_header
        user = self.requestHeaders.getRawHeaders(header, [""])[0] if header else ""
        self._owner = user or str(getattr(self.channel.getPeer(), "host", ""))
        self._judge(length or 0)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Called for each piece of the body."""
        if self._refused:
            return
        self._judge(self._received + len(data), arrived=len(data))
        if not self._refused:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Called when the whole body is there."""
        if not self._refused:
            super().requestReceived(command, path, version)
            if self.transport is None:  # it has become a websocket, and is never finished
                self._forget_body()
                self.channel.requests.remove(self)  # ends the cycle of the two, see limited_websocket.py

    def finish(self) -> None:
        self._forget_body()
        super().finish()

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 -- Twisted's name
        self._forget_body()
        super().connectionLost(reason)

    def _judge(self, size: int, *, arrived: int = 0) -> None:
        path = self.channel._path.partition(b"?")[0]  # noqa: SLF001 -- known to the channel alone until the body is there
        try:
            self.door.limits.check(self.channel._command, path, size)  # noqa: SLF001 -- as above
            if arrived:
                self.door.room.take(self._owner, arrived)
                self._received += arrived
        except BodyTooLarge as error:
            self._refuse(413, str(error))
        except NoRoomForBody as error:
            self._refuse(429, str(error))

    def _forget_body(self) -> None:
        if self._received:
            self.door.room.give_back(self._owner, self._received)
            self._received = 0

    def _refuse(self, status: int, sentence: str) -> None:
        """Answer, let nothing of the rest reach the memory, and close the connection soon."""
        self._refused = True
        self._forget_body()
        self.door.refused["bodies"] += 1
        self.content.close()
        self.requestHeaders.removeHeader(_CONTINUE)  # else Twisted would ask for the body now
        body = f"{sentence}\n".encode()
        headers = {**REJECTION_HEADERS, "Content-Length": str(len(body)), "Connection": "close"}
        if status == 429:
            headers["Retry-After"] = str(RETRY_AFTER)
        lines = b"".join(f"{name}: {value}\r\n".encode() for name, value in headers.items())
        transport = self.channel.transport
        transport.write(b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, _REASONS[status], lines, body))
        self.channel.persistent = False
        transport.loseWriteConnection()
        self.channel.callLater(LINGER_SECONDS, transport.abortConnection)


def install_body_door(door: BodyDoor) -> None:
    """Make daphne's servers of this process build LimitedRequests, whichever command started them.

    Daphne has no setting for it: its factory takes the class from its module for each connection.
    """
    LimitedRequest.door = door
    http_protocol.WebRequest = LimitedRequest
