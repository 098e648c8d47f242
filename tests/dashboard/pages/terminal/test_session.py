"""Tests of a terminal's session: output, input, how it ends, and what the audit log has of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.terminal.session import (
    BROKEN,
    MAX_WAITING_INPUT,
    NOT_READ,
    WINDOW_BYTES,
    Command,
    SessionEnd,
    TerminalSession,
)
from informerd.rest.client import Client
from tests.dashboard.pages.audit.conftest import (
    ANNA,
    entries,
    in_thread,
    record,
    recorder_at,
    sqlite_record,
)
from tests.dashboard.pages.drains.conftest import empty_database
from tests.support.clock import FakeClock
from tests.support.scripted_exec import STDIN, STDOUT, SUCCESS, client_of, exec_client, failure
from tests.support.wait import eventually

__all__ = ["empty_database", "record", "sqlite_record"]

IDLE_SECONDS = 600


class Terminal:
    """A session whose browser is this test."""

    def __init__(self, client: Client, recorder: AuditRecorder, **options: Any) -> None:
        self.clock = FakeClock()
        self.shown = b""
        self.session = TerminalSession(
            client, Command("shop", "web", "uid-1", "main", ("sh",), 100, 30), self._show, clock=self.clock,
            recorder=recorder, actor=ANNA, idle_seconds=IDLE_SECONDS, **options,
        )  # fmt: skip
        self.running = asyncio.create_task(self.session.run())

    async def _show(self, content: bytes) -> None:
        self.shown += content


@pytest.fixture
async def recorder(record: str) -> AsyncIterator[AuditRecorder]:
    made = recorder_at(record)
    yield made
    await made.stop()


async def contents(alias: str) -> list[dict[str, Any]]:
    return [json.loads(each.content) for each in await in_thread(entries, alias)]


async def echo(socket: web.WebSocketResponse, request: web.Request) -> None:
    """Shows what is typed; ``q`` ends it with exit code 3."""
    async for message in socket:
        assert message.type is WSMsgType.BINARY
        if message.data[:1] == STDIN:
            await socket.send_bytes(STDOUT + message.data[1:])
            if message.data.endswith(b"q"):
                await socket.send_bytes(failure("3"))
                return


async def test_what_is_typed_and_shown_and_the_end_are_recorded_with_who_where_and_how_much(
    recorder: AuditRecorder, record: str
) -> None:
    async with exec_client(echo) as client:
        terminal = Terminal(client, recorder)
        await terminal.session.opened.wait()
        (intent,) = await contents(record)
        assert (intent["verb"], intent["resource"], intent["subresource"]) == ("create", "pods", "exec")
        assert (intent["namespace"], intent["name"], intent["uid"]) == ("shop", "web", "uid-1")
        assert intent["person"]["name"] == "anna"
        assert intent["options"] == {"container": "main", "command": "sh"}
        await terminal.clock.advance(12)
        terminal.session.type(b"ls -la")
        terminal.session.type(b"q")
        assert await terminal.running == SessionEnd(3)
    assert terminal.shown == b"ls -laq"
    outcome = (await contents(record))[-1]
    assert (outcome["outcome"], outcome["record"]) == ("done", intent["record"])
    assert outcome["message"] == "ended after 12 s, 7 bytes typed, 7 bytes shown: exit code 3"


async def test_nothing_typed_for_a_while_ends_it_and_what_a_command_writes_does_not_count() -> None:
    async with exec_client(echo) as client:
        terminal = Terminal(client, AuditRecorder(FakeClock()))
        await terminal.session.opened.wait()
        await terminal.clock.advance(IDLE_SECONDS - 1)
        terminal.session.type(b"x")
        await terminal.clock.advance(IDLE_SECONDS - 1)
        assert not terminal.running.done()
        await terminal.clock.advance(1)
        end = await terminal.running
    assert end == SessionEnd(None, "Nothing was typed for 10 min, so Deltaboard ended the session.")


async def test_a_command_that_writes_without_end_waits_for_the_browser() -> None:
    piece = STDOUT + b"y\n" * 8_000

    async def flood(socket: web.WebSocketResponse, request: web.Request) -> None:
        for _ in range(100):
            await socket.send_bytes(piece)
        await socket.send_bytes(SUCCESS)

    async with exec_client(flood) as client:
        terminal = Terminal(client, AuditRecorder(FakeClock()))
        await eventually(lambda: len(terminal.shown) >= WINDOW_BYTES)
        for _ in range(50):
            await asyncio.sleep(0.002)
        assert len(terminal.shown) < WINDOW_BYTES + len(piece)
        drawn = 0
        while not terminal.running.done():
            terminal.session.acknowledge(len(terminal.shown) - drawn)
            drawn = len(terminal.shown)
            await asyncio.sleep(0)
        assert await terminal.running == SessionEnd(0)
    assert terminal.shown == b"y\n" * 800_000


async def test_the_api_servers_refusal_is_told_and_recorded(recorder: AuditRecorder, record: str) -> None:
    words = 'pods "web" is forbidden: User "anna" cannot create resource "pods/exec"'

    async def refuse(_: web.Request) -> web.StreamResponse:
        status = {"kind": "Status", "status": "Failure", "reason": "Forbidden", "message": words, "code": 403}
        return web.json_response(status, status=403)

    async with client_of(refuse) as client:
        assert await Terminal(client, recorder).running == SessionEnd(None, words)
    outcome = (await contents(record))[-1]
    assert (outcome["outcome"], outcome["code"], outcome["message"]) == ("refused", 403, words)


async def test_it_ends_with_a_reason_and_with_the_browser(recorder: AuditRecorder, record: str) -> None:
    async with exec_client(echo) as client:
        terminal = Terminal(client, recorder)
        await terminal.session.opened.wait()
        terminal.session.end("You may not any more.")
        assert await terminal.running == SessionEnd(None, "You may not any more.")
        terminal.session.type(b"late")
        terminal.session.resize(10, 10)
        left = Terminal(client, recorder)
        await left.session.opened.wait()
        left.running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left.running
    await recorder.stop()
    messages = [each.get("message") for each in await contents(record) if each["type"] == "outcome"]
    assert messages[0] == "ended after 0 s, 0 bytes typed, 0 bytes shown: You may not any more."
    assert messages[1] == "ended after 0 s, 0 bytes typed, 0 bytes shown: the browser left"


async def test_nothing_is_started_where_it_cannot_be_recorded(empty_database: str) -> None:
    asked: list[str] = []

    async def speak(_: web.WebSocketResponse, request: web.Request) -> None:
        asked.append(request.path)

    recorder = recorder_at(empty_database)  # which nobody has migrated
    async with exec_client(speak) as client:
        end = await Terminal(client, recorder).running
    await recorder.stop()
    assert "The audit log cannot be written now, so nothing was sent." in end.reason
    assert asked == []


async def test_contents_are_recorded_where_that_is_switched_on(recorder: AuditRecorder, record: str) -> None:
    async with exec_client(echo) as client:
        terminal = Terminal(client, recorder, records_contents=True)
        await terminal.session.opened.wait()
        terminal.session.type(b"secret ")
        await eventually(lambda: terminal.shown == b"secret ")
        await terminal.clock.advance(11)
        terminal.session.type("ü".encode())
        await eventually(lambda: terminal.shown == "secret ü".encode())
        terminal.session.type(b"q")
        await terminal.running
    pieces = [
        each["options"] for each in await contents(record) if each.get("verb") == "contents" and "options" in each
    ]
    assert "".join(each.get("typed", "") for each in pieces) == "secret üq"
    assert "".join(each.get("shown", "") for each in pieces) == "secret üq"
    assert [each["piece"] for each in pieces] == [str(number + 1) for number in range(len(pieces))]
    assert pieces[0]["second"] == "0.0"


async def test_a_connection_that_breaks_is_said_in_words_for_whoever_looks_at_it() -> None:
    async def abort(_: web.WebSocketResponse, request: web.Request) -> None:
        assert request.transport is not None
        request.transport.abort()

    async with exec_client(abort) as client:
        assert await Terminal(client, AuditRecorder(FakeClock())).running == SessionEnd(None, BROKEN)


async def test_a_server_that_is_away_is_told() -> None:
    async with exec_client(echo) as client:
        pass
    end = await Terminal(client, AuditRecorder(FakeClock())).running
    assert end.exit_code is None
    assert end.reason


async def test_a_command_that_reads_nothing_holds_up_nobody_and_ends_when_too_much_waits() -> None:
    async def deaf(socket: web.WebSocketResponse, request: web.Request) -> None:
        assert request.transport is not None
        request.transport.pause_reading()
        await asyncio.sleep(60)

    async with exec_client(deaf) as client:
        terminal = Terminal(client, AuditRecorder(FakeClock()))
        terminal.session.type(b"typed before it runs\n")
        await terminal.session.opened.wait()
        for _ in range(4 * MAX_WAITING_INPUT // 1024 * 20):
            if terminal.running.done():
                break
            terminal.session.type(b"x" * 1024)
            await asyncio.sleep(0)
        assert await terminal.running == SessionEnd(None, NOT_READ)


async def test_what_is_typed_before_the_command_runs_comes_to_it() -> None:
    async with exec_client(echo) as client:
        terminal = Terminal(client, AuditRecorder(FakeClock()))
        terminal.session.type(b"early q")
        assert await terminal.running == SessionEnd(3)
    assert terminal.shown == b"early q"


async def test_a_browser_that_draws_nothing_for_a_minute_loses_nothing() -> None:
    async def flood(socket: web.WebSocketResponse, request: web.Request) -> None:
        for _ in range(60):
            await socket.send_bytes(STDOUT + b"y" * 16_000)
        await socket.send_bytes(SUCCESS)

    async with exec_client(flood) as client:
        terminal = Terminal(client, AuditRecorder(FakeClock()))
        await eventually(lambda: len(terminal.shown) >= WINDOW_BYTES)
        await terminal.clock.advance(60)
        assert not terminal.running.done()
        while not terminal.running.done():
            terminal.session.acknowledge(WINDOW_BYTES)
            await asyncio.sleep(0)
        assert await terminal.running == SessionEnd(0)
    assert len(terminal.shown) == 960_000
