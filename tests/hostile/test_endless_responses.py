"""Attack: an API server, or whoever answers in its place, sends a response, an event or an item that never ends."""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from informerd.decoding.list_splitter import MAX_ITEM_BYTES, ListSplitter
from informerd.errors import MalformedAnswer, MalformedStream
from informerd.rest import transport
from informerd.rest.client import Client
from informerd.rest.response_stream import MAX_LINE_BYTES, LineCutter
from tests.support.informerd.stub_servers import scripted

PIECE = b" " * 2**20
PATH = "/api/v1/namespaces/shop/pods/web-1"


def gzip_of(megabytes: int) -> bytes:
    """About a kilobyte for each megabyte of it."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(PIECE) for _ in range(megabytes)) + packer.flush()


@asynccontextmanager
async def client_of(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[Client]:
    async with scripted(answer) as server, Client(server.config) as client:
        yield client


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(PIECE)


async def gzip_bomb(_: web.Request) -> web.Response:
    return web.Response(body=gzip_of(64), headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


@pytest.mark.slow
@pytest.mark.parametrize("answer", [endless, gzip_bomb])
async def test_a_response_without_end_is_refused(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MAX_RESPONSE_BYTES", 16 * 2**20)
    async with client_of(answer) as client:
        tracemalloc.start()
        try:
            with pytest.raises(MalformedAnswer, match=f"the response from {PATH} has more than 16 MiB"):
                await client.request("GET", PATH)
            assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
        finally:
            tracemalloc.stop()


@pytest.mark.slow
async def test_a_large_response_is_held_once() -> None:
    async def large(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(64):
            await response.write(PIECE)
        return response

    async with client_of(large) as client:
        tracemalloc.start()
        try:
            assert len((await client.request("GET", PATH)).body) == 64 * len(PIECE)
            assert tracemalloc.get_traced_memory()[1] < 96 * 2**20
        finally:
            tracemalloc.stop()


@pytest.mark.slow
async def test_the_client_goes_on_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_RESPONSE_BYTES", 16 * 2**20)
    answers = [gzip_bomb]

    async def answer(request: web.Request) -> web.Response:
        return await answers.pop()(request) if answers else web.json_response({"major": "1"})

    async with client_of(answer) as client:
        with pytest.raises(MalformedAnswer):
            await client.request("GET", PATH)
        assert (await client.request("GET", "/version")).body == b'{"major": "1"}'


@pytest.mark.slow
async def test_a_watch_event_without_end_breaks_the_watch() -> None:
    async with client_of(endless) as client, client.stream(PATH) as stream:
        with pytest.raises(MalformedStream, match="a line of the response has more than 64 MiB"):
            await stream.batch()


@pytest.mark.slow
def test_lines_that_end_may_be_many() -> None:
    cutter = LineCutter()
    line = b"x" * (MAX_LINE_BYTES // 2)
    for _ in range(3):
        cutter.feed(line)
        assert cutter.lines() == []
        cutter.feed(b"y\n")
        assert [len(each) for each in cutter.lines()] == [len(line) + 1]


@pytest.mark.slow
@pytest.mark.parametrize("beginning", [b'{"items":[{"a":"', b'{"kind":"', b'{"items":[{"a":"b"}]', b'{"kind":{"a":'])
def test_an_item_or_a_list_without_end_is_refused(beginning: bytes) -> None:
    splitter = ListSplitter(bytes)
    splitter.feed(beginning)
    for _ in range(MAX_ITEM_BYTES // len(PIECE) - 1):
        splitter.feed(PIECE)
    with pytest.raises(MalformedStream, match="of the list has more than 64 MiB"):
        splitter.feed(2 * PIECE)


@pytest.mark.slow
def test_white_space_without_end_takes_no_memory_between_items_and_is_refused_before_them() -> None:
    splitter = ListSplitter(bytes)
    splitter.feed(b'{"items":[{"a":"b"},')
    tracemalloc.start()
    try:
        for _ in range(16):
            assert splitter.feed(PIECE) == []
        assert tracemalloc.get_traced_memory()[1] < 4 * len(PIECE)
    finally:
        tracemalloc.stop()
    assert splitter.feed(b'{"a":"c"}]}') == []
    assert splitter.finish() == ([b'{"a":"c"}'], b'{"items":[]}')
    before_items = ListSplitter(bytes)
    before_items.feed(b'{"items"')
    with pytest.raises(MalformedStream, match="items are malformed"):
        before_items.feed(PIECE)


@pytest.mark.parametrize(
    "beginning",
    [
        b'{"kind":"',
        b'{"items":[{"a":"b"},',
        b'{"items":[{"a":"',
        b'{"items":[{"a":',
        b'{"items":[{"metadata":"b"},{"metadata":"b"},{"metadata":"',
    ],
)
def test_small_chunks_are_examined_once_or_twice(beginning: bytes) -> None:
    splitter = ListSplitter(bytes)
    splitter.feed(beginning)
    for _ in range(2000):
        splitter.feed(b" " * 64)
    assert splitter.bytes_examined < 3 * 2000 * 64
