"""Kubelet that serves made-up logs: files of any length, which grow at any rate.

    python -m benchmarks.support.scripted_kubelet CERTIFICATE KEY '{"web-0": 1000}'

serves a log of so many lines for the one container of each of these pods, behind a real API server, and prints
``port N``. On its standard input ``flow RATE POD…`` makes these logs grow by RATE lines a second each, to the schedule,
whoever reads; ``stop`` ends that, and prints how many lines each pod's log has, as JSON. Lines have a time and a number
(``n=``, from 0 on), so that what a reader lost can be counted. Where a reader falls behind by more than KEPT_BYTES the
program ends: what it would get then is not what was measured.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from urllib.parse import parse_qs, urlsplit

import uvloop

TICK = 0.01
"""Seconds between two writes to a growing log: a kubelet sends a line at a time, and the API server what has come."""
BLOCK_LINES = 5_000
"""Lines of a block of a log that there is from the beginning."""
BEFORE = 7200.0
"""Seconds before the start in which such a log begins; its lines are a millisecond apart."""
KEPT_BYTES = 256 * 2**20
"""Bytes that are kept of a log that grows: 10 s of 200,000 lines a second."""
TIME = len("2026-11-28T07:09:06.123456789Z ")
RARE = 5_000
"""One line of so many has a word of its own, ``needle-0`` to ``needle-9`` in turn, and a timeout."""
_RESTS = tuple(
    b"method=GET path=/api/v1/orders/%d status=%d took=%dms host=db-%d"
    % (7919 * each % 9973, 200 + each % 5, each, each)
    for each in range(100)
)


@dataclass(frozen=True)
class Block:
    """Lines that follow one another."""

    first: int
    """Number of the first line."""
    content: bytes

    @cached_property
    def content_without_times(self) -> bytes:
        return without_times(self.content)


class Log:
    """One container's log, with times before its lines."""

    def __init__(self, lines: int) -> None:
        self.count = 0
        self.grown = asyncio.Event()
        """Set, and replaced, when lines come."""
        self._blocks: deque[Block] = deque()
        self._kept = 0
        began = time.time() - BEFORE
        for first in range(0, lines, BLOCK_LINES):
            number = min(BLOCK_LINES, lines - first)
            self._add(b"".join(_lines(first, number, began + first / 1000, 0.001)), number)

    def write(self, number: int, now: float, seconds: float) -> None:
        """Add so many lines, the last of them from `now` (Unix seconds), those before it from the seconds before."""
        self._add(b"".join(_lines(self.count, number, now - seconds, seconds / number)), number)
        while self._kept > KEPT_BYTES:
            self._kept -= len(self._blocks.popleft().content)
        grown, self.grown = self.grown, asyncio.Event()
        grown.set()

    def since(self, first: int) -> list[Block]:
        """The blocks from the one that begins with this line on; ends the program where it is not kept any more."""
        if self._blocks and first < self._blocks[0].first:
            sys.exit("a reader fell behind by more than is kept of the log")
        missing: list[Block] = []
        for block in reversed(self._blocks):
            if block.first < first:
                break
            missing.append(block)
        return missing[::-1]

    def newest(self, lines: int) -> bytes:
        """The last lines, at most so many."""
        found: deque[bytes] = deque()
        number = 0
        for block in reversed(self._blocks):
            found.appendleft(block.content)
            number += block.content.count(b"\n")
            if number >= lines:
                break
        return b"".join(b"".join(found).splitlines(keepends=True)[-lines:]) if lines else b""

    def later_than(self, second: str) -> bytes:
        """The kept lines from a second on (RFC 3339 in UTC)."""
        begin = second.rstrip("Z").encode()
        blocks = [block.content for block in self._blocks]
        later = [content for content in blocks if content[content.rfind(b"\n", 0, -1) + 1 :] >= begin]
        return b"".join(line for line in b"".join(later).splitlines(keepends=True) if line >= begin)

    def _add(self, content: bytes, number: int) -> None:
        self._blocks.append(Block(self.count, content))
        self.count += number
        self._kept += len(content)


def _lines(first: int, number: int, at: float, step: float) -> Iterator[bytes]:
    second = int(at)
    prefix, nanoseconds, each = _second(second), int((at - second) * 1e9), int(step * 1e9)
    for line in range(first, first + number):
        if nanoseconds >= 10**9:
            second, nanoseconds = second + nanoseconds // 10**9, nanoseconds % 10**9
            prefix = _second(second)
        severity = b"INFO" if line % 100 else b"WARN" if line % 1000 else b"ERROR"
        rest = _RESTS[line % 100]
        if line % RARE == RARE - 1:
            rest += b" needle-%d upstream timeout 3000ms" % (line // RARE % 10)
        yield b"%b.%09dZ %b request n=%d %b\n" % (prefix, nanoseconds, severity, line, rest)
        nanoseconds += each


def _second(unix: int) -> bytes:
    return f"{datetime.fromtimestamp(unix, UTC):%Y-%m-%dT%H:%M:%S}".encode()


class ScriptedKubelet:
    """The logs, and the readers' requests."""

    def __init__(self, lines: dict[str, int]) -> None:
        self.logs = {pod: Log(number) for pod, number in lines.items()}
        self._flow: asyncio.Task[None] | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head.split(b" ", 2)[1].decode(), writer)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.transport.abort()

    def flow(self, rate: float, pods: list[str]) -> None:
        """Let these logs grow by so many lines a second each."""
        self._flow = asyncio.create_task(self._write([self.logs[pod] for pod in pods], rate))

    def stop(self) -> dict[str, int]:
        """End that. Returns how many lines each log has."""
        if self._flow is not None:
            self._flow.cancel()
        return {pod: log.count for pod, log in self.logs.items()}

    async def _write(self, logs: list[Log], rate: float) -> None:
        began = last = time.time()
        written = 0
        while True:
            await asyncio.sleep(TICK)
            now = time.time()
            due = int((now - began) * rate) - written
            if not due:
                continue
            for log in logs:
                log.write(due, now, now - last)
            written, last = written + due, now

    async def _answer(self, target: str, writer: asyncio.StreamWriter) -> None:
        url = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        log = self.logs.get(url.path.split("/")[3]) if url.path.startswith("/containerLogs/") else None
        if log is None:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
        has_times, end = query.get("timestamps") == "true", log.count
        if "tailLines" in query or "sinceTime" in query:
            newest = log.newest(int(query["tailLines"])) if "tailLines" in query else log.later_than(query["sinceTime"])
            await _send(writer, newest if has_times else without_times(newest))
        else:
            await _send_blocks(writer, log.since(0), has_times=has_times)
        while query.get("follow") == "true":
            grown = log.grown
            if log.count == end:
                await grown.wait()
            blocks, end = log.since(end), log.count
            await _send_blocks(writer, blocks, has_times=has_times)
        writer.write(b"0\r\n\r\n")


def without_times(content: bytes) -> bytes:
    """Lines without their times."""
    return b"".join(line[TIME:] for line in content.splitlines(keepends=True))


async def _send_blocks(writer: asyncio.StreamWriter, blocks: list[Block], *, has_times: bool) -> None:
    for block in blocks:
        await _send(writer, block.content if has_times else block.content_without_times)


async def _send(writer: asyncio.StreamWriter, content: bytes) -> None:
    """One HTTP chunk."""
    if content:
        writer.write(b"%x\r\n%b\r\n" % (len(content), content))
        await writer.drain()


async def main(certificate: str, key: str, lines: dict[str, int]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    kubelet = ScriptedKubelet(lines)
    server = await asyncio.start_server(kubelet.serve, "127.0.0.1", 0, ssl=context)
    print(f"port {server.sockets[0].getsockname()[1]}", flush=True)
    while command := await asyncio.to_thread(sys.stdin.readline):
        word, *rest = command.split()
        if word == "flow":
            kubelet.flow(float(rest[0]), rest[1:])
        elif word == "stop":
            print(json.dumps(kubelet.stop()), flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
