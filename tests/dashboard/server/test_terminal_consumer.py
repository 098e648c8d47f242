"""Tests of a terminal's websocket: who may, what starts it, what ends it, and what it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import web
from channels.testing import WebsocketCommunicator

from dashboard.cluster.connection import CONNECTION as CLUSTER
from dashboard.live.hub.hub import HUB, Hub
from dashboard.pages.audit.recorder import AUDIT, AuditRecorder
from dashboard.runtime.app_state import CLOCK, SCOPE_KEY, AppState
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits
from dashboard.server.rights_layer import PERSON_STATE_KEY
from dashboard.server.socket_limits import SOCKET_LIMITS, SocketLimits
from dashboard.server.terminal_consumer import NOT_KNOWN, REPLACED, TERMINALS, TOO_MANY, TerminalConsumer
from informerd.clock import SystemClock
from informerd.remotecommand.exec_session import PROTOCOLS
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.scripted_exec import STDIN, STDOUT, client_of

PATH = "/resources/pods/shop/web/terminal/"
START = {"start": {"uid": "first", "container": "main", "shell": "sh"}}


class Endpoint:
    """A consumer with its API server, which echoes what is typed."""

    def __init__(self) -> None:
        self.denied: set[str] = set()
        self.is_down = False
        self.uid = "first"
        """Uid of the pod; empty where there is none."""
        self.started = 0
        self.person = SimpleNamespace(on_change=lambda: None, renew=lambda: True, state=None)
        self._open: list[WebsocketCommunicator] = []
        clock = SystemClock()
        feeders = Feeders(Feeder("pods", clock))
        self.hub = Hub(feeders, clock)
        self.cluster = SimpleNamespace(client=None)
        self.state = AppState({
            CLOCK: clock, HUB: self.hub, AUDIT: AuditRecorder(clock), CLUSTER: self.cluster,
            SOCKET_LIMITS: SocketLimits(in_all=3, per_user=3),
            TERMINALS: ConcurrencyLimit(Limits(1, 1), clock, queue_seconds=None, max_waiting=0),
        })  # fmt: skip
        self.person.state = self.state

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if self.is_down:
            return web.Response(status=500)
        if request.path.endswith("/selfsubjectaccessreviews"):
            attributes = (await request.json())["spec"]["resourceAttributes"]
            assert (attributes["resource"], attributes["subresource"]) == ("pods", "exec")
            return web.json_response({"status": {"allowed": attributes["verb"] not in self.denied}}, status=201)
        if not request.path.endswith("/exec"):
            status = {"kind": "Status", "code": 404, "reason": "NotFound", "message": 'pods "web" not found'}
            answer = {"metadata": {"name": "web", "uid": self.uid}} if self.uid else status
            return web.json_response(answer, status=200 if self.uid else 404)
        self.started += 1
        socket = web.WebSocketResponse(protocols=PROTOCOLS)
        await socket.prepare(request)
        async for message in socket:
            if message.data[:1] == STDIN:
                await socket.send_bytes(STDOUT + message.data[1:])
        return socket

    async def connect(self, path: str = PATH, *, is_person: bool = True) -> WebsocketCommunicator:
        application = TerminalConsumer.as_asgi()

        async def wired(scope: dict[str, Any], receive: Any, send: Any) -> None:
            more: dict[str, Any] = {SCOPE_KEY: self.state}
            if is_person:
                more[PERSON_STATE_KEY] = self.person
            await application({**scope, **more}, receive, send)

        browser = WebsocketCommunicator(wired, f"/terminal/?{urlencode({'path': path})}")
        accepted, _ = await browser.connect()
        assert accepted
        self._open.append(browser)
        return browser

    async def begin(self) -> WebsocketCommunicator:
        browser = await self.connect()
        await browser.send_json_to(START)
        assert await browser.receive_json_from(timeout=5) == {"opened": True}
        return browser

    async def close(self) -> None:
        for browser in self._open:
            await browser.disconnect()


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    made = Endpoint()
    async with client_of(made.answer) as client:
        made.cluster.client = client
        yield made
        await made.close()


async def end_of(browser: WebsocketCommunicator) -> str:
    """Why the session ended; the socket is closed after that."""
    message = await browser.receive_json_from(timeout=5)
    assert message["ended"]["code"] is None
    closed = await browser.receive_output(timeout=5)
    assert (closed["type"], closed["code"]) == ("websocket.close", 1000)
    return str(message["ended"]["reason"])


async def test_nothing_starts_by_itself_and_one_start_is_one_command(endpoint: Endpoint) -> None:
    browser = await endpoint.connect()
    await browser.send_to(bytes_data=b"ls\n")
    await browser.send_json_to({"size": [80, 24]})
    assert await browser.receive_nothing(0.05)
    assert endpoint.started == 0
    await browser.send_json_to(START)
    assert await browser.receive_json_from(timeout=5) == {"opened": True}
    await browser.send_json_to(START)
    await browser.send_json_to({"size": [100, 30], "drawn": 10})
    await browser.send_to(bytes_data=b"ls\n")
    assert await browser.receive_from(timeout=5) == b"ls\n"
    assert endpoint.started == 1


@pytest.mark.parametrize("verb", ["create", "get"])
async def test_whoever_lacks_a_right_starts_nothing_whatever_the_page_says(endpoint: Endpoint, verb: str) -> None:
    endpoint.denied = {verb}
    browser = await endpoint.connect()
    await browser.send_json_to(START)
    assert f"do not let you {verb} pods/exec in namespace shop" in await end_of(browser)
    assert endpoint.started == 0


async def test_nothing_starts_in_another_pod_than_the_page_showed_nor_in_one_that_is_gone(endpoint: Endpoint) -> None:
    endpoint.uid = "second"
    browser = await endpoint.connect()
    await browser.send_json_to(START)
    assert await end_of(browser) == REPLACED
    endpoint.uid = ""
    browser = await endpoint.connect()
    await browser.send_json_to(START)
    assert 'pods "web" not found' in await end_of(browser)
    assert endpoint.started == 0


async def test_where_the_rights_cannot_be_asked_nothing_starts_and_nothing_goes_on(endpoint: Endpoint) -> None:
    running = await endpoint.begin()
    endpoint.is_down = True
    endpoint.person.on_change()
    assert await end_of(running) == NOT_KNOWN
    browser = await endpoint.connect()
    await browser.send_json_to(START)
    assert await end_of(browser) == NOT_KNOWN
    assert endpoint.started == 1


async def test_a_right_that_is_lost_while_another_change_is_looked_at_ends_it(endpoint: Endpoint) -> None:
    browser = await endpoint.begin()
    endpoint.person.on_change()
    endpoint.denied = {"create"}
    endpoint.person.on_change()
    assert "do not let you create pods/exec" in await end_of(browser)


async def test_at_most_so_many_run_and_a_closed_page_makes_room(endpoint: Endpoint) -> None:
    first = await endpoint.begin()
    second = await endpoint.connect()
    await second.send_json_to(START)
    assert await end_of(second) == TOO_MANY
    await first.disconnect()
    await asyncio.sleep(0)
    await endpoint.begin()


@pytest.mark.parametrize("text", [
    " ", "{}", "[]", '{"start": null}', '{"size": [0, 24]}', '{"size": [80, 100000]}', '{"drawn": -1}', '{"other": 1}',
    '{"start": {"uid": "first", "container": "main", "shell": "sh"}, "drawn": 1}',
    json.dumps({"drawn": 1}) + " " * 20_000,
])  # fmt: skip
async def test_a_message_that_the_page_does_not_send_closes_it(endpoint: Endpoint, text: str) -> None:
    browser = await endpoint.connect()
    await browser.send_to(text_data=text)
    closed = await browser.receive_output(timeout=5)
    assert (closed["type"], closed["code"]) == ("websocket.close", 4400)


@pytest.mark.parametrize("path", ["", "/", "/resources/pods/shop/web/", "/resources/pods/shop/terminal/"])
async def test_another_address_has_no_terminal(endpoint: Endpoint, path: str) -> None:
    browser = await endpoint.connect(path)
    closed = await browser.receive_output(timeout=5)
    assert (closed["type"], closed["code"]) == ("websocket.close", 4404)


async def test_bad_commands_and_read_only_mode_are_told(endpoint: Endpoint, settings: Any) -> None:
    browser = await endpoint.connect()
    await browser.send_json_to({"start": {**START["start"], "shell": "other", "command": "echo 'x"}})
    assert "a quote that does not end" in await end_of(browser)
    settings.DELTABOARD_READ_ONLY = True
    browser = await endpoint.connect(is_person=False)
    await browser.send_json_to(START)
    assert "DELTABOARD_READ_ONLY" in await end_of(browser)
    assert endpoint.started == 0
