"""Tests that large bodies stay in their file until the application reads them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from dashboard.server.guard import Receive, Scope, Send
from dashboard.server.spooled_body import BODY_CHUNK, Message, SpooledBody, SpooledPart, read_spooled_bodies
from tests.support.program import ROOT

PARTS = [b"abc", b"defgh", b"i"]


def sent_parts(content: BinaryIO) -> asyncio.Queue[Any]:
    """The application's queue after daphne has read `content`."""
    queue: asyncio.Queue[Any] = asyncio.Queue()
    parts = SpooledBody(queue, content)
    content.seek(0)
    for part in PARTS:
        more = part is not PARTS[-1]
        parts.put_nowait({"type": "http.request", "body": content.read(len(part)), "more_body": more})
    parts.put_nowait({"type": "http.disconnect"})
    return queue


async def received(queue: asyncio.Queue[Any]) -> list[Message]:
    """What an application receives."""
    messages: list[Message] = []

    async def application(_: Scope, receive: Receive, __: Send) -> None:
        messages.extend([await receive() for _ in range(queue.qsize())])

    async def send(_: Message) -> None:
        raise AssertionError

    await read_spooled_bodies(application)({}, queue.get, send)
    return messages


SERVER = """
import asyncio, tempfile
from types import SimpleNamespace
from dashboard.server.daphne import install_reactor
install_reactor()
from dashboard.server.daphne_server import DaphneServer

class Protocol(SimpleNamespace):
    __hash__ = object.__hash__

async def application(scope, receive, send):
    received.append(await receive())

async def serve():
    content = tempfile.TemporaryFile()
    content.write(b"abc")
    peer = SimpleNamespace(host="127.0.0.1", port=1)
    protocol = Protocol(content=content, transport=SimpleNamespace(getPeer=lambda: peer))
    server = DaphneServer(application, endpoints=["none"])
    server.connections = {protocol: {}}
    queue = server.create_application(protocol, {"type": "http"})
    queue.put_nowait({"type": "http.request", "body": b"abc", "more_body": False})
    await asyncio.sleep(0.01)
    print(type(queue).__name__, server.request_buffer_size, received[0]["body"].decode())

received = []
asyncio.run(serve())
"""
EXPECTED = [
    {"type": "http.request", "body": b"abc", "more_body": True},
    {"type": "http.request", "body": b"defgh", "more_body": True},
    {"type": "http.request", "body": b"i", "more_body": False},
    {"type": "http.disconnect"},
]


async def test_a_body_in_a_file_is_read_from_there_when_the_application_asks(tmp_path: Path) -> None:
    path = tmp_path / "body"
    path.write_bytes(b"".join(PARTS))
    with path.open("rb") as file:
        queue = sent_parts(file)
        waiting = [queue.get_nowait() for _ in range(queue.qsize())]
        assert all(isinstance(each, SpooledPart) for each in waiting[:-1])
        for each in waiting:
            queue.put_nowait(each)
        assert await received(queue) == EXPECTED


@pytest.mark.program
def test_daphnes_server_uses_them_whichever_command_starts_it() -> None:
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    command = [sys.executable, "-c", SERVER]
    printed = subprocess.run(command, env=environ, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert printed.split() == ["SpooledBody", str(BODY_CHUNK), "abc"]


async def test_a_small_body_is_in_memory_anyway() -> None:
    queue = sent_parts(BytesIO(b"".join(PARTS)))
    assert await received(queue) == EXPECTED


async def test_the_body_of_a_client_that_has_gone_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "body"
    path.write_bytes(b"".join(PARTS))
    with path.open("rb") as file:
        queue = sent_parts(file)
    assert await received(queue) == [{"type": "http.disconnect"}] * 4
