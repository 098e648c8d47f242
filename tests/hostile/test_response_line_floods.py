"""Attack: an API server's answer holds, or unpacks to, millions of empty or tiny lines, and the event loop stands still
while they are read.
"""

from __future__ import annotations

import zlib

import pytest
from aiohttp import web

from informerd.errors import MalformedStream
from informerd.rest import read_time_slice
from informerd.rest.client import Client
from informerd.rest.response_stream import MAX_BATCH_LINES, MAX_BLANK_BYTES, LineCutter
from tests.support.hostile.event_loop_turns import counted_turns
from tests.support.informerd.stub_servers import Handler, scripted

MIB = 2**20
PATH = "/api/v1/pods"
FEWEST = 100
"""Turns of the event loop while a flood is read, if every step of reading lets others run. Else they are about ten."""
BOOKMARK = b'{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1"}}}'


@pytest.fixture(autouse=True)
def turns_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step of reading takes so long as a turn may: the number of turns is the same on every machine."""
    monkeypatch.setattr(read_time_slice, "TURN_SECONDS", 0.0)


def answer(body: bytes, times: int, *, gzip: bool) -> Handler:
    """Answers so many times `body`, which is sent a thousand times smaller with gzip."""
    packer = zlib.compressobj(wbits=31)
    packed = b"".join(packer.compress(body) for _ in range(times)) + packer.flush() if gzip else body * times

    async def serve(_: web.Request) -> web.Response:
        headers = {"Content-Encoding": "gzip"} if gzip else {}
        return web.Response(body=packed, headers={"Content-Type": "application/json", **headers})

    return serve


@pytest.mark.slow
@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("gzip", [True, False], ids=["gzip", "plain"])
async def test_empty_lines_without_end_break_the_watch(blank: bytes, gzip: bool) -> None:
    serve = answer(blank * (MIB // len(blank)), 32, gzip=gzip)
    async with (
        scripted(serve) as server,
        Client(server.config) as client,
        client.stream(PATH, {"watch": True}) as stream,
    ):
        with pytest.raises(MalformedStream, match="more than 1 MiB of empty lines in a row"):
            await stream.batch()


@pytest.mark.slow
async def test_tiny_lines_come_a_few_at_a_time() -> None:
    lines = 2 * MIB
    serve = answer(b"1\n" * (MIB // 2), 4, gzip=True)
    async with scripted(serve) as server, Client(server.config) as client, counted_turns() as turns:
        async with client.stream(PATH, {"watch": True}) as stream:
            while batch := await stream.batch():
                assert len(batch) <= MAX_BATCH_LINES
                lines -= len(batch)
        assert turns.count > FEWEST
    assert lines == 0


@pytest.mark.slow
async def test_others_have_their_turn_between_the_events_of_a_flood() -> None:
    events = 0
    block = (BOOKMARK + b"\n") * (MIB // len(BOOKMARK))
    serve = answer(block, 16, gzip=True)
    async with scripted(serve) as server, Client(server.config) as client, counted_turns() as turns:
        async with client.stream(PATH, {"watch": True}) as stream:
            async for line in stream:
                assert line == BOOKMARK
                events += 1
        assert turns.count > FEWEST
    assert events == 16 * block.count(b"\n")


@pytest.mark.slow
async def test_others_have_their_turn_while_a_body_is_unpacked() -> None:
    serve = answer(b" " * MIB, 224, gzip=True)
    async with scripted(serve) as server, Client(server.config) as client, counted_turns() as turns:
        body = (await client.request("GET", PATH)).body
    assert len(body) == 224 * MIB
    assert turns.count > FEWEST


@pytest.mark.slow
async def test_others_have_their_turn_while_a_list_is_unpacked() -> None:
    size = 0
    serve = answer(b" " * MIB, 224, gzip=True)
    async with scripted(serve) as server, Client(server.config) as client, counted_turns() as turns:
        async with client.download(PATH) as body:
            while piece := await body.read():
                size += len(piece)
        assert turns.count > FEWEST
    assert size == 224 * MIB


def cut(cutter: LineCutter, chunk: bytes) -> list[bytes]:
    """All lines that the chunk completes."""
    cutter.feed(chunk)
    found: list[bytes] = []
    while lines := cutter.lines():
        found += map(bytes, lines)
    return found


def test_empty_lines_between_events_are_left_out_however_many_there_are_in_all() -> None:
    cutter, blanks = LineCutter(), b"\r\n" * (MAX_BLANK_BYTES // 2)
    for _ in range(4):
        assert cut(cutter, blanks + BOOKMARK) == []
        assert cut(cutter, b"\n") == [BOOKMARK]
    assert cut(cutter, blanks) == []
    with pytest.raises(MalformedStream, match="empty lines"):
        cut(cutter, b"\n")
