"""Tests of long responses, read as they arrive."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from informerd.errors import ApiError, MalformedAnswer, NotFound, Unreachable
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig, load_kubeconfig
from tests.support.clock import FakeClock
from tests.support.informerd.kubeconfigs import kubeconfig
from tests.support.informerd.stub_servers import chunk, head, raw_server, read_head, scripted

LONG = b"x" * 3_000_000


async def whole(client: Client, timeout: float = 60.0) -> bytes:
    async with client.download("/api/v1/pods", timeout=timeout) as body:
        pieces = []
        while piece := await body.read():
            pieces.append(piece)
        assert await body.read() == b""
        return b"".join(pieces)


async def test_a_long_answer_comes_whole_in_pieces() -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response(body=LONG)

    async with scripted(serve) as server, Client(server.config) as client:
        assert await whole(client) == LONG


async def test_what_the_api_server_compressed_all_the_same_is_read() -> None:
    async def serve(_: web.Request) -> web.Response:
        answer = web.Response(body=LONG)
        answer.enable_compression(web.ContentCoding.gzip)
        return answer

    async with scripted(serve) as server, Client(server.config) as client:
        assert await whole(client) == LONG
        assert server.seen[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("server", "compression", "expected"),
    [
        ("https://10.0.0.1:6443", True, True),
        ("https://cluster.example/k8s", True, True),
        ("https://10.0.0.1:6443", False, False),
        ("https://127.0.0.1:6443", True, False),
        ("https://[::1]:6443", True, False),
        ("https://localhost:6443", True, False),
    ],
)
def test_lists_come_compressed_over_a_network_only(server: str, compression: bool, expected: bool) -> None:
    assert ClusterConfig(name="c", server=server, compression=compression).compresses is expected


def test_a_kubeconfig_may_say_no_to_compression(tmp_path: Path) -> None:
    assert not load_kubeconfig(kubeconfig(tmp_path / "config", cluster="disable-compression: true")).compression


async def test_told_to_come_later_it_does() -> None:
    left = [2]

    async def serve(_: web.Request) -> web.Response:
        left[0] -= 1
        if left[0] >= 0:
            return web.Response(status=429, headers={"Retry-After": "3"})
        return web.Response(body=b"[]")

    clock = FakeClock()
    async with scripted(serve) as server, Client(server.config, clock=clock) as client:
        reading = asyncio.create_task(whole(client))
        while not reading.done():
            if clock.pending_sleeps:
                await clock.advance(clock.pending_sleeps[0])
            await asyncio.sleep(0.001)
        assert await reading == b"[]"


async def test_a_refusal_is_its_typed_error() -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response(status=404, text="404 page not found\n")

    async with scripted(serve) as server, Client(server.config) as client:
        with pytest.raises(NotFound):
            await whole(client)


async def test_an_answer_that_breaks_off_or_stops_is_unreachable() -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(head("Content-Length: 100") + b"half")
        await writer.drain()

    async def frozen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        writer.write(head("Transfer-Encoding: chunked") + chunk(b"half"))
        await writer.drain()
        await asyncio.sleep(60)

    for handler in (broken, frozen):
        async with (
            raw_server(handler) as address,
            Client(ClusterConfig(name="raw", server=f"http://{address}")) as client,
        ):
            with pytest.raises(Unreachable):
                await whole(client, timeout=0.2)


@pytest.mark.parametrize("code", [202, 204, 206])
async def test_a_success_that_is_no_whole_answer_is_an_error(code: int) -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response(status=code)

    async with scripted(serve) as server, Client(server.config) as client:
        with pytest.raises(MalformedAnswer, match=f"answered {code} instead of 200"):
            await whole(client)


async def test_a_404_that_is_not_the_api_servers_own_does_not_say_that_anything_is_gone() -> None:
    async def serve(_: web.Request) -> web.Response:
        return web.Response(status=404, text="<html>nginx</html>", content_type="text/html")

    async with scripted(serve) as server, Client(server.config) as client:
        with pytest.raises(ApiError) as raised:
            await whole(client)
        assert not isinstance(raised.value, NotFound)
