"""Websocket client that sends whatever bytes a test makes up, and reads only when it is told to."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
"""Opcodes (RFC 6455, 5.2)."""
TIMEOUT = 30.0
"""Seconds without a byte after which a read raises TimeoutError."""

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Frame(NamedTuple):
    """What the server has sent."""

    opcode: int
    payload: bytes


class RawWebSocket:
    """An open websocket of the page `path`; `headers` are added to the handshake. A context manager."""

    def __init__(
        self,
        port: int,
        path: str = "/resources/pods/",
        *,
        receive_buffer: int = 0,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        self._buffer = b""
        self._socket = socket.socket()
        if receive_buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._socket.settimeout(TIMEOUT)
        self._socket.connect(("127.0.0.1", port))
        lines = [
            f"GET /live/?{urlencode({'path': path, 'view': '', 'seq': ''})} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Origin: http://127.0.0.1:{port}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._received()
        response, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        self.response = response.decode()
        """Status line and headers with which the server has answered."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection without a close frame."""
        self._socket.close()

    def send(self, data: bytes) -> bool:
        """Send these bytes; False where the server has ended the connection or takes no more."""
        with contextlib.suppress(OSError):
            self._socket.sendall(data)
            return True
        return False

    def send_text(self, text: str) -> bool:
        return self.send(frame(TEXT, text.encode()))

    def read(self) -> Frame | None:
        """The next frame; None once the connection has ended. Raises TimeoutError where neither comes."""
        try:
            first, second = self._take(2)
            length = second & 127
            if length > 125:
                size, form = (2, "!H") if length == 126 else (8, "!Q")
                (length,) = struct.unpack(form, self._take(size))
            return Frame(first & 15, self._take(length))
        except (EOFError, ConnectionError):
            return None

    def close_code(self) -> int | None:
        """Read up to the end. Returns the server's close code; None where it has ended without one."""
        while (received := self.read()) is not None:
            if received.opcode == CLOSE:
                return int(struct.unpack("!H", received.payload[:2])[0])
        return None

    def next_heartbeat(self) -> dict[str, Any]:
        """Read up to the next heartbeat."""
        while (received := self.read()) is not None:
            if received.opcode == TEXT and "beat" in (message := json.loads(received.payload)):
                return dict(message["beat"])
        raise AssertionError("the connection has ended")

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._buffer += self._received()
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def _received(self) -> bytes:
        received = self._socket.recv(65536)
        if not received:
            raise EOFError
        return received


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, rsv: int = 0, length: int | None = None) -> bytes:
    """A masked frame. With `length` the header announces so many bytes, whatever the payload has."""
    length = len(payload) if length is None else length
    head = bytes([(128 if fin else 0) | rsv << 4 | opcode])
    if length < 126:
        head += bytes([128 | length])
    elif length < 65536:
        head += struct.pack("!BH", 128 | 126, length)
    else:
        head += struct.pack("!BQ", 128 | 127, length)
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
