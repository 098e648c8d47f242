"""Tests of a watch's bytes: cut into lines in any chunks, and ended from either side."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import random
from collections.abc import AsyncIterator

import pytest

from informerd.errors import NotBegun, Unreachable
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig
from informerd.rest.response_stream import MAX_BATCH_LINES, LineCutter
from tests.support.informerd.stub_servers import RawHandler, chunk, head, raw_server, read_head

CHUNKED = head("Content-Type: application/json", "Transfer-Encoding: chunked")
END = b"0\r\n\r\n"


def answers(*parts: bytes, then_wait: bool = False) -> RawHandler:
    """A server that sends parts as they are, then closes the connection or falls silent."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        for part in parts:
            writer.write(part)
            await writer.drain()
        if then_wait:
            await reader.read()
        writer.close()
        await writer.wait_closed()

    return serve


@contextlib.asynccontextmanager
async def client_of(handler: RawHandler) -> AsyncIterator[Client]:
    async with raw_server(handler) as address, Client(ClusterConfig(name="raw", server=f"http://{address}")) as client:
        yield client


def cut(cutter: LineCutter, chunk: bytes) -> list[bytes]:
    """All lines that the chunk completes."""
    cutter.feed(chunk)
    found: list[bytes] = []
    while lines := cutter.lines():
        assert len(lines) <= MAX_BATCH_LINES
        found += map(bytes, lines)
    return found


async def lines_of(handler: RawHandler) -> list[bytes]:
    lines: list[bytes] = []
    async with client_of(handler) as client, client.stream("/", {"watch": True}) as stream:
        async for line in stream:
            lines.append(bytes(line))  # noqa: PERF401 - what came before a failure counts
    return lines


def test_lines_come_out_whatever_the_chunks() -> None:
    chance = random.Random(7)
    lines = [bytes([65 + i % 26]) * chance.choice((1, 10, 5000)) for i in range(200)]
    content = b"\n".join(lines) + b"\n"
    for _ in range(20):
        cutter, got, rest = LineCutter(), [], content
        while rest:
            size = chance.choice((1, 7, 1000, 100_000))
            got += cut(cutter, rest[:size])
            rest = rest[size:]
        assert got == lines
        assert cutter.remainder() == b""


def test_empty_lines_are_left_out_and_what_is_unfinished_is_kept() -> None:
    cutter = LineCutter()
    assert cut(cutter, b'\n\r\n{"a":1}\n\n{"b"') == [b'{"a":1}']
    assert cutter.remainder() == b'{"b"'
    assert [cut(cutter, piece) for piece in (b"\r", b"\n{}", b"\r", b"\n")] == [[], [], [], [b"{}\r"]]


@pytest.mark.slow
def test_a_line_of_many_megabytes_costs_in_proportion() -> None:
    """64 MB in chunks of 16 kB: joined once, they take milliseconds; joined at each chunk, the test times out."""
    cutter, piece = LineCutter(), b"x" * 16_384
    for _ in range(4096):
        assert cut(cutter, piece) == []
    (line,) = cut(cutter, b"\n")
    assert len(line) == 4096 * 16_384


async def test_lines_of_several_megabytes_arrive() -> None:
    big = b'{"x":"' + b"y" * 5_000_000 + b'"}'
    content = big + b"\n" + big + b"\n{}\n"
    assert await lines_of(answers(CHUNKED, chunk(content), END)) == [big, big, b"{}"]


async def test_lines_that_come_together_are_a_few_batches() -> None:
    content = b"".join(b'{"n":%d}\n' % n for n in range(2 * MAX_BATCH_LINES + 5))
    async with client_of(answers(CHUNKED, chunk(content), END)) as client, client.stream("/") as stream:
        assert [len(await stream.batch()) for _ in range(3)] == [MAX_BATCH_LINES, MAX_BATCH_LINES, 5]
        assert await stream.batch() == []
        assert await stream.batch() == []


async def test_a_document_without_a_line_end_counts_and_a_cut_one_does_not() -> None:
    assert await lines_of(answers(CHUNKED, chunk(b"{}\n[1]"), END)) == [b"{}", b"[1]"]
    assert await lines_of(answers(CHUNKED, chunk(b'{}\n{"typ'), END)) == [b"{}"]


async def test_identity_is_asked_for_and_gzip_of_many_members_read_all_the_same() -> None:
    asked: list[str] = []
    members = [gzip.compress(b'{"n":%d}\n' % n) for n in range(5)]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await read_head(reader))
        writer.write(head("Content-Encoding: gzip", "Transfer-Encoding: chunked"))
        for member in members:
            writer.write(chunk(member))
            await writer.drain()
        writer.write(END)
        await writer.drain()

    assert await lines_of(serve) == [b'{"n":%d}' % n for n in range(5)]
    assert "accept-encoding: identity\r\n" in asked[0].lower()


@pytest.mark.parametrize("parts", [(CHUNKED,), (CHUNKED, chunk(b"{}\n")), (CHUNKED, b"5\r\n{}\n")])
async def test_a_connection_that_breaks_is_unreachable(parts: tuple[bytes, ...]) -> None:
    with pytest.raises(Unreachable, match=r"the connection to http://127.0.0.1:\d+ broke"):
        await lines_of(answers(*parts))


async def test_a_connection_that_is_reset_is_unreachable() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(CHUNKED)
        await writer.drain()
        writer.transport.abort()

    with pytest.raises(Unreachable):
        await lines_of(serve)


async def test_close_from_another_task_ends_it() -> None:
    async with (
        client_of(answers(CHUNKED, chunk(b"{}\n"), then_wait=True)) as client,
        client.stream("/") as stream,
        asyncio.timeout(30),
    ):
        assert await stream.batch() == [b"{}"]
        waiting = asyncio.create_task(stream.batch())
        await asyncio.sleep(0)
        stream.close()
        stream.close()
        assert await waiting == []
        assert await stream.batch() == []


async def test_closing_the_client_ends_its_streams() -> None:
    async with raw_server(answers(CHUNKED, then_wait=True)) as address:
        client = Client(ClusterConfig(name="raw", server=f"http://{address}"))
        async with client.stream("/") as stream, asyncio.timeout(30):
            waiting = asyncio.create_task(stream.batch())
            await asyncio.sleep(0)
            await client.close()
            assert await waiting == []


@pytest.mark.slow
async def test_the_time_out_is_for_the_beginning_only() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(CHUNKED)
        await asyncio.sleep(1.5)
        writer.write(chunk(b"{}\n") + END)
        await writer.drain()

    async with client_of(serve) as client, client.stream("/", timeout=1) as stream:
        assert await stream.batch() == [b"{}"]


async def test_a_server_that_never_begins_is_given_up() -> None:
    async with client_of(answers(then_wait=True)) as client:
        with pytest.raises(NotBegun, match="did not answer in time"):
            async with client.stream("/", timeout=0.1):
                pytest.fail("it began")
