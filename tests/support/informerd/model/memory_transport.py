"""HTTP/1.1 in memory: a connection to a model server, with real bytes, so that parsing is tested too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from http import HTTPStatus
from itertools import cycle
from typing import Any
from urllib.parse import parse_qsl, urlsplit


class Call:
    """A request as the server sees it, and the way to answer it."""

    def __init__(self, wire: Wire, path: str, params: dict[str, str]) -> None:
        self.path = path
        self.params = params
        self._wire = wire

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed the connection, or the server has."""
        return self._wire.is_closing()

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """The whole answer."""
        self._head(status, {"Content-Length": str(len(body)), **(headers or {})})
        self._wire.receive(body)

    def answer_cut(self, body: bytes) -> None:
        """An answer whose connection breaks before the last byte."""
        self._head(200, {"Content-Length": str(len(body) + 1)})
        self._wire.receive(body)
        self._wire.break_off()

    def open(self) -> None:
        """Begin an answer of unknown length."""
        self._head(200, {"Transfer-Encoding": "chunked"})

    def send(self, data: bytes) -> None:
        """One chunk of it."""
        if data:
            self._wire.receive(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """End it as the API server does."""
        self._wire.receive(b"0\r\n\r\n")

    def cut(self) -> None:
        """The server vanishes in an orderly way, in the middle of the answer."""
        self._wire.break_off()

    def reset(self) -> None:
        """The connection is reset: what is still under way is lost."""
        self._wire.break_off(ConnectionResetError(104, "Connection reset by peer"))

    def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", "Content-Type: application/json"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._wire.receive("\r\n".join((*lines, "", "")).encode())


class Wire(asyncio.Transport):
    """The client's end of a connection.

    What the server sends comes `latency` seconds later, together with all that it sends meanwhile, in pieces of the
    lengths `pieces`, again and again.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        protocol: Any,
        serve: Callable[[Call], None],
        pieces: list[int],
        latency: float,
        on_close: Callable[[Wire], None],
    ) -> None:
        super().__init__()
        self._loop = loop
        self._protocol = protocol
        self._serve = serve
        self._latency = latency
        self._pieces: Iterator[int] | None = cycle(pieces) if pieces else None
        self._on_close = on_close
        self._asked = b""
        self._under_way = b""
        self._broken: tuple[Exception | None] | None = None
        self._paused = self._closing = self._delivering = False
        protocol.connection_made(self)

    def receive(self, data: bytes) -> None:
        """Bytes from the server."""
        if not self._closing and self._broken is None:
            self._under_way += data
            self._schedule(self._latency)

    def break_off(self, error: Exception | None = None) -> None:
        """The end from the server's side: after what is under way, or at once with an error."""
        if self._broken is None:
            self._broken = (error,)
            if error is not None:
                self._under_way = b""
            self._schedule()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._asked += bytes(data)
        while b"\r\n\r\n" in self._asked:
            head, self._asked = self._asked.split(b"\r\n\r\n", 1)
            target = urlsplit(head.split(b" ", 2)[1].decode())
            call = Call(self, target.path, dict(parse_qsl(target.query)))
            self._loop.call_soon(self._serve, call)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def get_protocol(self) -> Any:
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def is_closing(self) -> bool:
        return self._closing or self._broken is not None

    def is_reading(self) -> bool:
        return not self._paused

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._schedule()

    def can_write_eof(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self._lose(None)

    def abort(self) -> None:
        self._lose(None)

    def _schedule(self, after: float = 0.0) -> None:
        if not self._delivering:
            self._delivering = True
            self._loop.call_later(after, self._deliver)

    def _deliver(self) -> None:
        self._delivering = False
        if self._closing or self._paused:
            return
        if self._under_way:
            size = next(self._pieces) if self._pieces else len(self._under_way)
            piece, self._under_way = self._under_way[:size], self._under_way[size:]
            self._protocol.data_received(piece)
        if self._under_way:
            self._schedule()
        elif self._broken is not None and not self._closing:
            (error,) = self._broken
            if error is None:
                self._protocol.eof_received()
            self._lose(error)

    def _lose(self, error: Exception | None) -> None:
        if not self._closing:
            self._closing = True
            self._on_close(self)
            self._loop.call_soon(self._protocol.connection_lost, error)
