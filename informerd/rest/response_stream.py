"""Byte stream of a long response: a watch's, cut into lines, or a list's."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from datetime import datetime

import aiohttp
import msgspec

from informerd.errors import UNREADABLE, MalformedStream, Unreachable
from informerd.rest.read_time_slice import LoopTurn

MAX_LINE_BYTES = 64 * 2**20
"""Bytes of a line, that is of an event and its object. etcd takes objects of 1.5 MiB unless it is set otherwise."""
MAX_BATCH_LINES = 100
"""Lines that are cut, and given to be decoded, in one step."""
MAX_BLANK_BYTES = 2**20
"""Bytes of empty lines in a row. The API server sends none; a proxy may send one now and then."""

_LINE_ENDS = b"\r\n"
_NO_LINE_END = re.compile(rb"[^\r\n]")


class _Closed(aiohttp.ClientError):
    """Wakes a reader whose stream was closed from elsewhere."""


Line = bytes | memoryview
"""A line without its end. A view into the chunk that it came with: copy what you need later."""


class LineCutter:
    """Cuts chunks into lines, a few at a time. A line that spans many chunks is copied once; others are views.

    Empty lines are left out, and cost a few nanoseconds each.
    """

    def __init__(self) -> None:
        self._chunk = b""
        self._at = 0
        """Up to where the chunk has been cut."""
        self._begun = bytearray()
        """A line whose end has not come."""
        self._blank_bytes = 0
        """Since the last line that was not empty."""

    def feed(self, chunk: bytes) -> None:
        """Take the next chunk. All `lines` of the chunk before must have been taken."""
        self._chunk, self._at = chunk, 0

    def lines(self) -> list[Line]:
        """The next complete lines, MAX_BATCH_LINES at most; none where the next chunk is needed.

        Raises MalformedStream where a line has more than MAX_LINE_BYTES, or empty lines more than MAX_BLANK_BYTES.
        """
        lines: list[Line] = []
        chunk, at = self._chunk, self._at
        view, size, find = memoryview(chunk), len(chunk), chunk.find
        while at < size and len(lines) < MAX_BATCH_LINES:
            if chunk[at] in _LINE_ENDS and not self._begun:
                at = self._skip_empty_lines(at)
                continue
            end = find(b"\n", at)
            if end < 0:
                self._begin(view[at:])
                at = size
                break
            lines.append(self._joined(view[at:end]) if self._begun else view[at:end])
            at, self._blank_bytes = end + 1, 0
        if at == size:
            self._chunk, at = b"", 0  # a watch may be silent for long
        self._at = at
        return lines

    def remainder(self) -> bytes:
        """Bytes after the end of the last line."""
        rest, self._begun = bytes(self._begun), bytearray()
        return rest

    def _skip_empty_lines(self, start: int) -> int:
        """Where the empty lines that begin at `start` end."""
        following = _NO_LINE_END.search(self._chunk, start)
        end = following.start() if following else len(self._chunk)
        self._blank_bytes += end - start
        if self._blank_bytes > MAX_BLANK_BYTES:
            raise MalformedStream(f"the response has more than {MAX_BLANK_BYTES // 2**20} MiB of empty lines in a row")
        return end

    def _begin(self, rest: memoryview) -> None:
        """Keep the beginning of a line, or more of it."""
        self._begun += rest
        if len(self._begun) > MAX_LINE_BYTES:
            self._begun = bytearray()
            raise MalformedStream(f"a line of the response has more than {MAX_LINE_BYTES // 2**20} MiB")

    def _joined(self, end: memoryview) -> Line:
        """The line that has begun, with its end."""
        line, self._begun = self._begun, bytearray()
        line += end
        return memoryview(line)


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
        self._turn = LoopTurn()
        self._ended = False
        self._closed = False

    def __aiter__(self) -> AsyncIterator[Line]:
        return self._lines()

    async def read(self) -> bytes:
        """The bytes that have come, at least one; none at the end of the stream, the server's or `close`.

        For answers that are not made of lines: use this or `batch`. Raises Unreachable where the connection broke.
        """
        await self._turn.yield_if_over()
        return b"" if self._ended else await self._read()

    async def batch(self) -> list[Line]:
        """Lines that have come, from one to MAX_BATCH_LINES; an empty list at the end of the stream.

        The end is the server's, or `close`. A line cut off there is dropped. Raises MalformedStream for a line of more
        than MAX_LINE_BYTES and for more than MAX_BLANK_BYTES of empty lines, Unreachable where the connection broke;
        lines that came whole before that have been given, but for some of the last moment. However fast lines come,
        other tasks run each TURN_SECONDS; what the caller does between two batches counts.
        """
        while True:
            await self._turn.yield_if_over()
            if self._ended:
                return []
            if lines := self._cutter.lines():
                return lines
            chunk = await self._read()
            if not chunk:
                self._ended = True
                return self._last_line()
            self._cutter.feed(chunk)

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
                await self._turn.yield_if_over()
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
