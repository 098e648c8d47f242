"""Scripted API server, whose every response the test gives, request by request, over real HTTP.

request = await server.take()
assert request.params["resourceVersion"] == "0"
request.answer_list([pod("a", "1")], "7")
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from aiohttp import web

from informerd.clock import Clock
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from tests.support.wait import eventually

Json = dict[str, Any]
PATIENCE = 5.0
"""Seconds of real time for what happens at once."""


def pod(name: str, version: str, *, namespace: str = "default", uid: str = "", **more: Any) -> Json:
    """A pod as the API server writes it into a watch; `more` are further members of metadata."""
    metadata = {"name": name, "namespace": namespace, "uid": uid or f"uid-{name}", "resourceVersion": version, **more}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": {"nodeName": "n1"}}


def bookmark(version: str, *, ends_initial: bool = False) -> Json:
    """The object of a BOOKMARK event."""
    annotations = {"annotations": {"k8s.io/initial-events-end": "true"}} if ends_initial else {}
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": version, **annotations}}


def status(code: int, reason: str, message: str = "", causes: Iterable[Json] = (), *, retry_after: int = 0) -> Json:
    """A metav1.Status that says no; `retry_after` (seconds) stands in its details."""
    details = {"causes": [*causes], "retryAfterSeconds": retry_after}
    return {
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": code, "reason": reason, "message": message or reason, "details": details,
    }  # fmt: skip


TOO_LARGE = status(
    504,
    "Timeout",
    "Too large resource version: 9, current: 1",
    [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
    retry_after=1,
)
"""As kube-apiserver 1.37 says it. Nobody waits for the second that it names: any version is there at once."""
TOO_LARGE_ENCODINGS = (
    pytest.param(status(504, "Timeout", "x", [{"reason": "ResourceVersionTooLarge"}]), id="cause type"),
    pytest.param(status(504, "Timeout", "x", [{"message": "Too large resource version"}]), id="cause message"),
    pytest.param(status(504, "Timeout", "Too large resource version: 9, current: 1"), id="message"),
)
"""How API servers of different ages say it."""
EXPIRED = status(410, "Expired", "too old resource version: 1 (5)")


class Request:
    """A LIST or WATCH that waits for its answer."""

    def __init__(self, request: web.Request) -> None:
        self.path = request.path
        self.params = dict(request.query)
        self.port = request.transport.get_extra_info("peername")[1] if request.transport else 0
        """The client's end of the connection."""
        self.accept = request.headers.get("Accept", "")
        self._request = request
        self._answer: asyncio.Future[web.Response] = asyncio.get_running_loop().create_future()
        self._stream: web.StreamResponse | None = None

    @property
    def is_watch(self) -> bool:
        return self.params.get("watch") == "true"

    @property
    def is_streaming_list(self) -> bool:
        return self.params.get("sendInitialEvents") == "true"

    @property
    def version(self) -> str:
        """The resourceVersion asked for, "" for none."""
        return self.params.get("resourceVersion", "")

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed the connection."""
        return self._request.transport is None or self._request.transport.is_closing()

    def answer_list(
        self, items: Iterable[Json], version: str, *, continue_token: str = "", remaining: int | None = None
    ) -> None:
        """Answer a LIST as kube-apiserver does for built-in kinds: items without kind and apiVersion."""
        bare = [{name: value for name, value in item.items() if name not in ("kind", "apiVersion")} for item in items]
        meta: Json = {"resourceVersion": version}
        if continue_token:
            meta["continue"] = continue_token
        if remaining is not None:
            meta["remainingItemCount"] = remaining
        self._json(200, {"kind": "PodList", "apiVersion": "v1", "metadata": meta, "items": bare})

    def answer_text(self, text: str) -> None:
        """Answer 200 with whatever text."""
        self._answer.set_result(web.Response(text=text, content_type="application/json"))

    def fail(self, body: Json, *, retry_after: int | str | None = None, date: str = "") -> None:
        """Answer with a Status and its code; `date` is a Date header instead of the right one."""
        headers = {"Date": date} if date else {}
        self._json(body["code"], body, headers if retry_after is None else {**headers, "Retry-After": str(retry_after)})

    async def open(self, **headers: str) -> None:
        """Begin to answer a WATCH."""
        stream = web.StreamResponse(headers={"Content-Type": "application/json", **headers})
        stream.enable_chunked_encoding()
        await stream.prepare(self._request)
        self._stream = stream

    async def send(self, event_type: str, obj: Json) -> None:
        """Send one event, opening the stream where that has not been done."""
        await self.send_all([(event_type, obj)])

    async def send_all(self, events: Iterable[tuple[str, Json]]) -> None:
        """Send events in one piece."""
        lines = (msgspec.json.encode({"type": event_type, "object": obj}) + b"\n" for event_type, obj in events)
        await self.send_raw(b"".join(lines))

    async def send_list(self, items: Iterable[Json], version: str) -> None:
        """Send a whole streaming list with its bookmark, in one piece."""
        events = [("ADDED", item) for item in items]
        await self.send_all([*events, ("BOOKMARK", bookmark(version, ends_initial=True))])

    async def send_raw(self, data: bytes) -> None:
        """Send bytes."""
        if self._stream is None:
            await self.open()
        assert self._stream is not None
        await self._stream.write(data)

    def end(self) -> None:
        """End a stream as the API server does at its time-out."""
        if not self._answer.done():
            self._answer.set_result(web.Response())

    def drop(self) -> None:
        """Break the connection."""
        if self._request.transport is not None:
            self._request.transport.abort()
        self.end()

    async def run(self) -> web.StreamResponse:
        """Wait for the test's answer. For the server."""
        answer = await self._answer
        return answer if self._stream is None else self._stream

    def _json(self, code: int, body: Json, headers: dict[str, str] | None = None) -> None:
        content = msgspec.json.encode(body)
        answer = web.Response(status=code, body=content, content_type="application/json", headers=headers)
        self._answer.set_result(answer)


class ScriptedServer:
    """Keeps each request until the test has answered it. `/livez` is answered at once."""

    def __init__(self, resource: Resource = PODS) -> None:
        self.port = 0
        self.probes = 0
        self.probe_ports: set[int] = set()
        """The client's ends of the connections on which probes came."""
        self._path = resource.path()
        self._waiting: list[Request] = []
        self._all: list[Request] = []
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen, on the port of the last time if there was one."""
        app = web.Application()
        app.router.add_get("/livez", self._livez)
        app.router.add_get("/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.05, access_log=None)  # 0 is for ever
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Break all connections and stop listening."""
        for request in self._all:
            request.drop()
        self._waiting.clear()
        self._all.clear()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def client(self, clock: Clock) -> Client:
        """A client of this server."""
        return Client(ClusterConfig(name="scripted", server=f"http://127.0.0.1:{self.port}"), clock=clock)

    @property
    def waiting(self) -> int:
        """Requests that no test has taken yet."""
        return len(self._waiting)

    async def take(self) -> Request:
        """The next request, waiting for it if need be."""
        await eventually(lambda: self._waiting, within=PATIENCE, what="a request")
        return self._waiting.pop(0)

    async def take_list(self) -> Request:
        """The next request, which must be a LIST."""
        request = await self.take()
        assert not request.is_watch, request.params
        return request

    async def take_watch(self) -> Request:
        """The next request, which must be a plain WATCH."""
        request = await self.take()
        assert request.is_watch, request.params
        assert not request.is_streaming_list, request.params
        return request

    async def tell_version(self, version: str) -> None:
        """Answer the next request, which must be the question for the newest version, as after a broken connection."""
        question = await self.take_list()
        assert question.params == {"limit": "1"}, question.params
        question.answer_list([], version)

    async def take_streaming_list(self) -> Request:
        """The next request, which must be a streaming list."""
        request = await self.take()
        assert request.is_streaming_list, request.params
        return request

    async def _serve(self, web_request: web.Request) -> web.StreamResponse:
        if web_request.path != self._path:
            return web.json_response(status(404, "NotFound"), status=404)
        request = Request(web_request)
        self._waiting.append(request)
        self._all.append(request)
        return await request.run()

    async def _livez(self, request: web.Request) -> web.StreamResponse:
        self.probes += 1
        if request.transport is not None:
            self.probe_ports.add(request.transport.get_extra_info("peername")[1])
        return web.Response(text="ok")
