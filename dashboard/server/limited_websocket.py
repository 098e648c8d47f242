"""Daphne's websocket protocol with limits on what a browser sends.

Daphne reads all that arrives, queues it for the application, and queues all that cannot be written, without limit. Here

* each frame costs a token before its payload is read: FRAMES_PER_SECOND in the long run, FRAME_BURST in a burst. Pings
  and the fragments of a message are frames, too. So does a read of a few bytes that begins no frame.
* a message has at most MAX_MESSAGE_BYTES in all its frames, by what their headers say.
* nothing more is read until the consumer has handled a message, so that TCP slows the browser down.
* the consumer can wait until what it has sent was written.

permessage-deflate stays off, as daphne has it: a compressed frame is a protocol error, which ends the connection.
Import this module only where Twisted's reactor is installed already.
"""

from __future__ import annotations

import asyncio
from typing import Any

from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol

from dashboard.server.daphne_request_limits import connection_ended
from dashboard.server.token_bucket import TokenBucket
from dashboard.server.websocket_connection import (
    BAD_MESSAGE,
    CONNECTION,
    MAX_MESSAGE_BYTES,
    TOO_MUCH,
    WebSocketConnection,
)
from informerd.clock import Clock, SystemClock

FRAMES_PER_SECOND = 20.0
"""Frames per second that a browser may send in the long run. A page sends at most 10 acknowledgements and 2 views."""
SMALL_READ_BYTES = 1_000
"""Bytes from which on a read costs nothing that begins no frame: less than a segment of TCP, of which a long message
has several.
"""
FRAME_BURST = 60
"""Frames that it may send in a burst."""
FIRST_CONTROL_OPCODE = 8
"""Opcodes from here on are close, ping and pong (RFC 6455, 5.2)."""


def install() -> None:
    """Have daphne serve all websockets of this process with these limits."""
    WebSocketFactory.protocol = LimitedWebSocket


class LimitedWebSocket(WebSocketProtocol):  # type: ignore[misc] # daphne has no types
    """One browser's websocket. What exceeds a limit is not read any further: the connection is closed with a code."""

    clock: Clock = SystemClock()

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        """Called by Twisted when daphne has handed the connection over from HTTP."""
        super().connectionMade()
        self.connection = DaphneConnection(self)
        self._tokens = TokenBucket(FRAME_BURST, FRAMES_PER_SECOND, self.clock)
        self._frames = 0
        self._early_data = b""
        self._is_message_pending = False
        self.transport.unregisterProducer()  # daphne's HTTP channel, which has nothing to do with it any more
        self.transport.registerProducer(self.connection, True)

    def connectionLost(self, *reason: Any) -> None:  # noqa: N802 -- Twisted's name
        """Called by Twisted at the end. What refers to the protocol lets go of it: cycles of thousands of connections
        would keep their memory until a collection of all objects, which takes half a second then.
        """
        try:
            super().connectionLost(*reason)
        finally:
            del self.is_closed  # autobahn's future, whose result is the protocol
            self.connection.end()
            connection_ended(self.transport)

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:  # noqa: N802, N803 -- autobahn's names
        """Called by autobahn at the end. Daphne's method reads what it sets when the application is asked, which a
        handshake that fails does not come to.
        """
        if hasattr(self, "client_addr"):
            super().onClose(wasClean, code, reason)
        elif hasattr(self, "server"):
            self.server.protocol_disconnected(self)

    def onConnect(self, request: Any) -> Any:  # noqa: N802 -- autobahn's name
        """Create the application's task, in whose context CONNECTION is this connection."""
        token = CONNECTION.set(self.connection)
        try:
            return super().onConnect(request)
        finally:
            CONNECTION.reset(token)

    def onOpen(self) -> None:  # noqa: N802 -- autobahn's name
        """Called when the application has accepted; autobahn goes on with `data`."""
        super().onOpen()
        self.data += self._early_data
        self._early_data = b""
        self.transport.resumeProducing()

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Called with all bytes that have arrived."""
        if self.connection.refusal is not None:
            return
        if self.state == self.STATE_CONNECTING and hasattr(self, "handshake_deferred"):
            self._early_data += data  # autobahn would look for another handshake in it
            self.transport.pauseProducing()
            return
        frames = self._frames
        super().dataReceived(data)
        drips = self._frames == frames and len(data) < SMALL_READ_BYTES
        if self.state == self.STATE_OPEN and drips and not self._tokens.try_take():
            self._refuse(TOO_MUCH)

    def processData(self) -> bool:  # noqa: N802 -- autobahn's name
        """Process the next piece of `data`; False where that has to wait."""
        if self._is_message_pending or self.connection.refusal is not None:
            return False
        return bool(super().processData())

    def onFrameBegin(self) -> None:  # noqa: N802 -- autobahn's name
        """Called with a frame's header, before its payload is read."""
        self._frames += 1
        if not self._tokens.try_take():
            self._refuse(TOO_MUCH)
        elif self._message_bytes() > MAX_MESSAGE_BYTES:
            self._refuse(BAD_MESSAGE)
        else:
            super().onFrameBegin()

    def _message_bytes(self) -> int:
        """Length of the message so far, with the frame that begins."""
        frame = self.current_frame
        before = self.message_data_total_length if self.inside_message else 0
        return int(frame.length + (before if frame.opcode < FIRST_CONTROL_OPCODE else 0))

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803 -- autobahn's names
        """Called with a message; queues it for the consumer and reads nothing more until that has handled it."""
        self._is_message_pending = True
        self.transport.pauseProducing()
        super().onMessage(payload, isBinary)

    def continue_reading(self) -> None:
        """The consumer has handled the message."""
        self._is_message_pending = False
        if self.connection.refusal is None and self.state in {self.STATE_OPEN, self.STATE_CLOSING}:
            self.consumeData()
            if not self._is_message_pending and self.connection.refusal is None:
                self.transport.resumeProducing()

    def onPing(self, payload: bytes) -> None:  # noqa: N802 -- autobahn's name
        """Called with a ping. It gets no pong while nothing can be written."""
        if self.connection.is_writable:
            super().onPing(payload)

    def _refuse(self, code: int) -> None:
        """Close with `code` and read nothing more. Without an answer, autobahn drops the connection after a second."""
        self.connection.refusal = code
        self.data = b""
        self.application_queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.muted = True  # so daphne does not say again that it has ended
        self.sendClose(code)
        self.transport.pauseProducing()


class DaphneConnection(WebSocketConnection):
    """The connection of a LimitedWebSocket; the transport's producer, which tells when its buffer is full and empty."""

    def __init__(self, websocket: LimitedWebSocket) -> None:
        self._websocket: LimitedWebSocket | None = websocket
        self._writable = asyncio.Event()
        self._writable.set()

    @property
    def is_writable(self) -> bool:  # type: ignore[override] # a constant of the base
        return self._writable.is_set()

    async def wait_until_writable(self) -> None:
        await self._writable.wait()

    def end(self) -> None:
        """The connection has ended: from now on nothing has an effect on it."""
        self._websocket = None

    def message_handled(self) -> None:
        if self._websocket is not None:
            self._websocket.continue_reading()

    def abort(self) -> None:
        if self._websocket is not None:
            self._websocket.dropConnection(abort=True)

    def pauseProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when 64 KiB wait to be written."""
        self._writable.clear()

    def resumeProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when all was written."""
        self._writable.set()

    def stopProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Called when the connection has ended; daphne tells the application so."""
