"""Tests of the limits of bodies, and of the layer that enforces them under any server."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.runtime.concurrency_limit import Limits
from dashboard.server.body_limits import MIB, BodyLimitLayer, BodyLimits, BodyRoom, NoRoomForBody

LIMITS = BodyLimits(2 * MIB, Limits(4 * MIB, 6 * MIB))


async def sent(body: list[bytes], *, length: bool, path: str = "/new/") -> tuple[int, int]:
    """The status of the answer, and the number of pieces that the application has read of the body."""
    pieces = iter(enumerate(body, 1))
    read, answers = 0, list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        nonlocal read
        read, piece = next(pieces)
        return {"type": "http.request", "body": piece, "more_body": read < len(body)}

    async def send(message: Any) -> None:
        answers.append(message)

    async def application(_: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headers = [(b"content-length", str(sum(map(len, body))).encode())] if length else []
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    await BodyLimitLayer(application, LIMITS)(scope, receive, send)
    return answers[0]["status"], read


async def test_a_body_that_announces_too_much_is_not_read() -> None:
    assert await sent([bytes(MIB)] * 3, length=True) == (413, 0)


async def test_a_body_without_a_length_is_read_up_to_the_limit() -> None:
    assert await sent([bytes(MIB)] * 300, length=False) == (413, 3)


async def test_a_body_at_the_limit_passes_where_texts_are_posted_and_not_elsewhere() -> None:
    assert await sent([bytes(MIB)] * 2, length=True) == (200, 2)
    assert await sent([bytes(MIB)] * 2, length=True, path="/theme/") == (413, 0)


def test_the_bodies_of_one_user_leave_room_for_those_of_others() -> None:
    room = BodyRoom(LIMITS.together)
    room.take(("mallory",), 4 * MIB)
    with pytest.raises(NoRoomForBody):
        room.take(("mallory",), 1)
    room.take(("alice",), 2 * MIB)
    with pytest.raises(NoRoomForBody):
        room.take(("bob",), 1)
    room.give_back(("mallory",), 4 * MIB)
    room.take(("mallory",), 1)


def test_a_body_counts_for_each_of_its_owners() -> None:
    room = BodyRoom(LIMITS.together)
    room.take(("browser one", "address"), 3 * MIB)
    with pytest.raises(NoRoomForBody):
        room.take(("browser two", "address"), 2 * MIB)
    room.give_back(("browser one", "address"), 3 * MIB)
    room.take(("browser two", "address"), 4 * MIB)
