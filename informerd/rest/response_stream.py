"""Byte stream of a long response: a watch's, cut into lines, or a list's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import datetime

import aiohttp
import msgspec

from informerd.errors import UNREADABLE, MalformedStream, Unreachable

MAX_LINE_BYTES = 64 * 2**20
"""Bytes of a line, that is of an event and its object. etcd takes objects of 1.5 MiB unless it is set otherwise."""

_RETURN = ord("\r")


class _Closed(aiohttp.ClientError):
    """Wakes a reader whose stream was closed from elsewhere."""


Line = bytes | memoryview
"""A line without its end. A view into the chunk that it came with: copy what you need later."""


class LineCutter:
    """Cuts chunks into lines. A line that spans many chunks is joined once; others are views."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        """Bytes of the pieces."""

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that `chunk` completes; empty lines are left out.

        Raises MalformedStream where a line has more than MAX_LINE_BYTES.
        """
        lines: list[Line] = []
        view = memoryview(chunk)
        start, find = 0, chunk.find
        while (end := find(b"\n", start)) >= 0:
            if self._pieces:
                line = b"".join((*self._pieces, chunk[:end]))
                self._forget()
                if line != b"\r":
                    lines.append(line)
            elif end > start + 1 or (end > start and chunk[start] != _RETURN):
                lines.append(view[start:end])
            start = end + 1
        if start < len(chunk):
            self._pieces.append(chunk[start:])
            self._size += len(chunk) - start
            if self._size > MAX_LINE_BYTES:
                self._forget()
                raise MalformedStream(f"a line of the response has more than {MAX_LINE_BYTES // 2**20} MiB")
        return lines

    def remainder(self) -> bytes:
        """Bytes after the end of the last line."""
        rest = b"".join(self._pieces)
        self._forget()
        return rest

    def _forget(self) -> None:
        self._pieces.clear()
        self._size = 0


class ResponseStream:
    """The bytes of one answer, or its lines, each a JSON document. One task reads; any task may close."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        date: datetime | None,
        translate: Callable[[Exception], Unreachable],
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.date = date
        """The API server's clock when the stream began."""
        self.warnings = warnings
        """The API server's warnings for people when it began."""
        self._response = response
        self._translate = translate
        self._cutter = LineCutter()
        self._ended = False
        self._closed = False

    def __aiter__(self) -> AsyncIterator[Line]:
        return self._lines()

    async def read(self) -> bytes:
        """The bytes that have come, at least one; none at the end of the stream, the server's or `close`.

        For answers that are not made of lines: use this or `batch`. Raises Unreachable where the connection broke.
        """
        return b"" if self._ended else await self._read()

    async def batch(self) -> list[Line]:
        """The lines that have come, at least one; an empty list at the end of the stream.

        The end is the server's, or `close`. A line cut off there is dropped. Raises MalformedStream for a line of more
        than MAX_LINE_BYTES, Unreachable where the connection broke; lines that came whole before that have been given,
        but for some of the last moment.
        """
        while not self._ended:
            chunk = await self._read()
            if not chunk:
                self._ended = True
                return self._last_line()
            lines = self._cutter.feed(chunk)
            if lines:
                return lines
        return []

    def close(self) -> None:
        """End the stream; a waiting `batch` gives an empty list. May be called again."""
        if self._closed:
            return
        self._closed = self._ended = True
        self._response.content.set_exception(_Closed())
        connection = self._response.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()  # close() would wait for the farewell of a server that may be frozen
        self._response.close()

    async def _lines(self) -> AsyncIterator[Line]:
        while lines := await self.batch():
            for line in lines:
                yield line

    async def _read(self) -> bytes:
        """The next bytes, empty at the end."""
        try:
            return await self._response.content.readany()
        except _Closed:
            return b""
        except (aiohttp.ClientError, OSError) as error:
            if self._closed:
                return b""
            self._ended = True
            raise self._translate(error) from error

    def _last_line(self) -> list[Line]:
        """A last document without a line's end, where it is whole."""
        rest = b"" if self._closed else self._cutter.remainder()
        try:
            msgspec.json.decode(rest, type=msgspec.Raw)
        except UNREADABLE:
            return []
        return [rest]
