"""Load server in Python, which lists and watches prepared bytes.

    python -m benchmarks.support.stub_api_server PORT PODS EVENTS [asked]

It replaces `watch-stub` where that is missing, and serves more: `/api/v1/pods` is full, every other
collection is empty and silent, and discovery knows pods. With `asked` the events come when somebody gets `/start`, else
after three seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from benchmarks.support.load_server_pods import LAST_VERSION, pod

DELAY = 3.0
"""Seconds of silence before a watch's first event."""

DISTINCT_EVENTS = 20_000
"""Events that are prepared; they are sent over and over."""


def _resources(group_version: str, **kinds: str) -> dict[str, Any]:
    verbs = ["list", "watch"]
    found = [{"name": name, "singularName": "", "kind": kind, "verbs": verbs} for name, kind in kinds.items()]
    resources = [each | {"namespaced": each["name"] == "pods"} for each in found]
    return {"kind": "APIResourceList", "groupVersion": group_version, "resources": resources}


EXTENSIONS = {"groupVersion": "apiextensions.k8s.io/v1", "version": "v1"}

DISCOVERY: dict[str, dict[str, Any]] = {
    "/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.1"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [{"name": "apiextensions.k8s.io", "versions": [EXTENSIONS], "preferredVersion": EXTENSIONS}],
    },
    "/api/v1": _resources("v1", pods="Pod", namespaces="Namespace"),
    "/apis/apiextensions.k8s.io/v1": _resources(
        "apiextensions.k8s.io/v1", customresourcedefinitions="CustomResourceDefinition"
    ),
}


class StubApiServer:
    def __init__(self, pods: int, events: int, *, on_request: bool = False) -> None:
        self._asked = asyncio.Event() if on_request else None
        items = [pod(number, number + 1) for number in range(pods)]
        head = b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[' % pods
        self._list = head + b",".join(items) + b"]}"
        self._initial = [*(_event(b"ADDED", item) for item in items), _bookmark(b"Pod", pods)]
        changed = range(min(events, DISTINCT_EVENTS))
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
        if path == "/start" and self._asked:
            self._asked.set()
        if "watch=true" not in query:
            body = self._list if full else _document(path)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
            writer.write(body)
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        if "sendInitialEvents=true" in query:
            await _send(writer, self._initial if full else [_bookmark(_kind(path), 1)])
        if full:
            await (self._asked.wait() if self._asked else asyncio.sleep(DELAY))
            for start in range(0, self._count, len(self._changes) or 1):
                await _send(writer, self._changes[: self._count - start])
            await _send(writer, [self._last])
        await asyncio.Event().wait()


def _document(path: str) -> bytes:
    if path in ("/livez", "/start"):
        return b"ok"
    return json.dumps(DISCOVERY[path]).encode() if path in DISCOVERY else _empty_list(path)


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


async def main(port: int, pods: int, events: int, *, on_request: bool) -> None:
    stub = StubApiServer(pods, events, on_request=on_request)
    server = await asyncio.start_server(stub.serve, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:4]), on_request="asked" in sys.argv[4:]))
