"""Tests that large bodies stay in their file until the application reads them."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from dashboard.server.body_parts import BodyPart, BodyParts, Message, read_body_parts
from dashboard.server.guard import Receive, Scope, Send

PARTS = [b"abc", b"defgh", b"i"]


def sent_parts(content: BinaryIO) -> asyncio.Queue[Any]:
    """The application's queue after daphne has read `content`."""
    queue: asyncio.Queue[Any] = asyncio.Queue()
    parts = BodyParts(queue, content)
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

    await read_body_parts(application)({}, queue.get, send)
    return messages


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
        assert all(isinstance(each, BodyPart) for each in waiting[:-1])
        for each in waiting:
            queue.put_nowait(each)
        assert await received(queue) == EXPECTED


async def test_a_small_body_is_in_memory_anyway() -> None:
    queue = sent_parts(BytesIO(b"".join(PARTS)))
    assert await received(queue) == EXPECTED


async def test_the_body_of_a_client_that_has_gone_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "body"
    path.write_bytes(b"".join(PARTS))
    with path.open("rb") as file:
        queue = sent_parts(file)
    assert await received(queue) == [{"type": "http.disconnect"}] * 4
