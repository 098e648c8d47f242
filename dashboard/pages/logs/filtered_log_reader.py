"""Reads what the kubelet has of a log before the lines that are followed, through the filter and the span of a page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass

from dashboard.live.logs.container_stream import ContainerId
from dashboard.objects.logs.line_filter import LineFilter
from dashboard.pages.feed.time_range import iso
from dashboard.pages.logs.line_buffer import TIME_LENGTH, sort_key, time_bytes
from informerd.errors import BadRequest, NotFound
from informerd.logs.log_follower import TAIL
from informerd.logs.log_lines import PREFIX, split_time
from informerd.logs.log_reader import read_log
from informerd.rest.client import Client


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines from `begin` on and until `end`, both included: times of lines in UTC; empty where there is no limit."""

    begin: bytes = b""
    end: bytes = b""

    @classmethod
    def of(cls, begin: float | None, end: float | None) -> LineSpan:
        """The span between two Unix times."""
        return cls(_bound(begin, 0), _bound(end, 999))

    def chosen(self, lines: list[bytes]) -> list[bytes]:
        """Those of the lines, which are in the order of a log, that are within."""
        if not lines or (not self.begin and not self.end):
            return lines
        return [line for line in lines if self.begin <= sort_key(line) and (not self.end or sort_key(line) <= self.end)]

    def is_over(self, line: bytes) -> bool:
        """Whether this line and all that follow it are later."""
        return bool(self.end) and sort_key(line) > self.end


@dataclass(slots=True)
class ReadProgress:
    """How much was read, of one log or many; each line counts once, however it came."""

    bytes_read: int = 0
    lines_read: int = 0


async def read_history(
    client: Client,
    container: ContainerId,
    lines: LineFilter,
    span: LineSpan,
    progress: ReadProgress,
    *,
    previous: bool = False,
    with_previous: bool = False,
    first_line: Callable[[], bytes] = bytes,
    note_newest: Callable[[bytes], None] | None = None,
) -> AsyncGenerator[list[bytes], None]:
    """The lines that match, oldest first, some at a time.

    `previous` reads only the run before the last restart, `with_previous` that one before the present one. While a
    container waits to be started again, the kubelet gives the same run for both: it is read once.
    `first_line` returns the first line that is had by other means, empty while there is none: lines end there.
    `note_newest` is called with the newest line that there is, of the TAIL lines after that one: a followed log begins
    with so many. Raises as read_log.
    """
    since = iso(float(int(_unix(span.begin)))) if span.begin else ""
    before = _Run()
    if previous or with_previous:
        with suppress(*(() if previous else (BadRequest, NotFound))):
            chunks = read_log(
                client, container.namespace, container.pod, container.container, previous=True, since=since
            )
            async for found in _matching(before.noted(chunks), lines, span, progress, first_line):
                yield found
    if previous:
        return
    chunks = read_log(client, container.namespace, container.pod, container.container, since=since)
    async for found in _matching(before.left_out(chunks), lines, span, progress, first_line, note_newest):
        yield found


class _Run:
    """One run of a container, known by the first line of its log."""

    def __init__(self) -> None:
        self._first_line = b""

    async def noted(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Its log, which it is known by from now on."""
        async for chunk in chunks:
            self._first_line = self._first_line or chunk[: chunk.find(b"\n") + 1]
            yield chunk

    async def left_out(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """A log, unless it is of this run."""
        is_known = bool(self._first_line)
        async for chunk in chunks:
            if is_known and chunk.startswith(self._first_line):
                return
            is_known = False
            yield chunk


async def _matching(
    chunks: AsyncIterator[bytes],
    lines: LineFilter,
    span: LineSpan,
    progress: ReadProgress,
    first_line: Callable[[], bytes],
    note_newest: Callable[[bytes], None] | None = None,
) -> AsyncIterator[list[bytes]]:
    newest, left = b"", TAIL
    async for chunk in chunks:
        newest = chunk[chunk.rfind(b"\n", 0, len(chunk) - 1) + 1 :]
        if left < TAIL:
            left -= chunk.count(b"\n")
        else:
            whole, is_last = _before(chunk, first_line())
            progress.bytes_read += len(whole)
            progress.lines_read += whole.count(b"\n")
            found = lines.matching_lines(whole) if lines else whole.split(b"\n")[:-1]
            found = span.chosen(found)
            if found:
                yield found
            if span.end and span.is_over(newest):
                return
            if is_last:
                left -= chunk[len(whole) :].count(b"\n")
        if left < TAIL and (left <= 0 or note_newest is None):
            break
    if note_newest is not None and newest:
        note_newest(newest)


def _before(chunk: bytes, line: bytes) -> tuple[bytes, bool]:
    """The part of a chunk before a line, and whether the line is in it or before it."""
    if not line:
        return chunk, False
    last = chunk[chunk.rfind(b"\n", 0, len(chunk) - 1) + 1 :]
    if last[:TIME_LENGTH] < line[:TIME_LENGTH]:
        return chunk, False
    if chunk.startswith(line + b"\n"):
        return b"", True
    place = chunk.find(b"\n" + line + b"\n")
    if place >= 0:
        return chunk[: place + 1], True
    if last[:PREFIX] <= line[:PREFIX]:  # it may come in a moment: lines of stdout and stderr are a little out of order
        return chunk, False
    later = [each for each in chunk.split(b"\n")[:-1] if sort_key(each) < sort_key(line)]
    return b"".join(each + b"\n" for each in later), True  # the line is gone from the file: it was rotated


def _bound(moment: float | None, rest: int) -> bytes:
    return b"" if moment is None else time_bytes(round(moment * 1e6) * 1000 + rest)


def _unix(time: bytes) -> float:
    nanoseconds, _ = split_time(time)
    return (nanoseconds or 0) / 1e9
