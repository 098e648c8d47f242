"""A load server of our own: python -m benchmarks.stub PORT PODS EVENTS. It lists and watches from prepared bytes.

It stands in for `watch-stub` where that is missing, and serves what that has not: `/api/v1/pods` is full, every other
collection is empty and silent.
"""

from __future__ import annotations

import asyncio
import sys

from benchmarks.pods import LAST_VERSION, pod

DELAY = 3.0
"""Seconds of silence before a watch's first event."""

DIFFERENT = 20_000
"""Events that are prepared; they are sent over and over."""


class Stub:
    def __init__(self, pods: int, events: int) -> None:
        items = [pod(number, number + 1) for number in range(pods)]
        head = b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[' % pods
        self._list = head + b",".join(items) + b"]}"
        self._initial = [*(_event(b"ADDED", item) for item in items), _bookmark(b"Pod", pods)]
        changed = range(min(events, DIFFERENT))
        self._changes = (
            [_event(b"MODIFIED", pod(number % pods, pods + 1 + number)) for number in changed] if pods else []
        )
        self._count = events
        self._last = _event(b"MODIFIED", pod(0, int(LAST_VERSION)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head.split(b" ", 2)[1].decode(), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.transport.abort()

    async def _answer(self, target: str, writer: asyncio.StreamWriter) -> None:
        path, _, query = target.partition("?")
        full = path == "/api/v1/pods"
        if "watch=true" not in query:
            body = self._list if full else b"ok" if path == "/livez" else _empty_list(path)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
            writer.write(body)
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        if "sendInitialEvents=true" in query:
            await _send(writer, self._initial if full else [_bookmark(_kind(path), 1)])
        if full:
            await asyncio.sleep(DELAY)
            for start in range(0, self._count, len(self._changes) or 1):
                await _send(writer, self._changes[: self._count - start])
            await _send(writer, [self._last])
        await asyncio.Event().wait()


async def _send(writer: asyncio.StreamWriter, events: list[bytes]) -> None:
    """One HTTP chunk an event, as the API server sends them."""
    for start in range(0, len(events), 50):
        writer.write(b"".join(b"%x\r\n%b\r\n" % (len(event), event) for event in events[start : start + 50]))
        await writer.drain()


def _event(event_type: bytes, obj: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (event_type, obj)


def _bookmark(kind: bytes, version: int) -> bytes:
    meta = b'{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}' % version
    return _event(b"BOOKMARK", b'{"apiVersion":"v1","kind":"%b","metadata":%b}' % (kind, meta))


def _kind(path: str) -> bytes:
    """Of /api/v1/kind7s: Kind7."""
    return path.rpartition("/")[2].removesuffix("s").capitalize().encode()


def _empty_list(path: str) -> bytes:
    return b'{"kind":"%bList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}' % _kind(path)


async def main(port: int, pods: int, events: int) -> None:
    stub = Stub(pods, events)
    server = await asyncio.start_server(stub.serve, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
