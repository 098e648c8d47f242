"""Tests of the client's connection to the server: certificates, names, rotation, proxies."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from informerd.errors import Unreachable
from informerd.rest.client import Client
from informerd.rest.connection_socket import new_socket
from informerd.rest.load_config import ClusterConfig, TlsConfig
from informerd.rest.tls import CHECK_INTERVAL
from tests.support.clock import FakeClock
from tests.support.controlplane import free_ports
from tests.support.informerd.certificates import Authority
from tests.support.informerd.stub_servers import head, raw_server, read_head, scripted


@contextlib.asynccontextmanager
async def tls_server(
    authority: Authority, folder: Path, *names: str, ask: bool = False
) -> AsyncIterator[ClusterConfig]:
    context = authority.server_context(folder, *names, ask_client=ask)

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path != "/watch":
            return web.json_response({"gitVersion": "v9"})
        stream = web.StreamResponse()
        await stream.prepare(request)
        await stream.write(b"{}\n")
        await asyncio.sleep(3600)
        return stream

    async with scripted(answer, tls=context) as server:
        yield replace(server.config, tls=TlsConfig(ca_data=authority.pem))


async def test_a_certificate_of_another_authority_is_not_accepted(tmp_path: Path) -> None:
    async with tls_server(Authority(), tmp_path, "127.0.0.1") as config:
        async with Client(config) as client:
            assert await client.version() == "v9"
        async with Client(replace(config, tls=TlsConfig(ca_data=Authority().pem))) as client:
            with pytest.raises(Unreachable, match=r"the certificate of https://.* is not accepted"):
                await client.version()


async def test_the_name_in_the_certificate_is_checked_or_the_one_that_is_asked_for(tmp_path: Path) -> None:
    authority = Authority()
    async with tls_server(authority, tmp_path, "kubernetes.example") as config:
        async with Client(config) as client:
            with pytest.raises(Unreachable, match="is not accepted: IP address mismatch"):
                await client.version()
        named = TlsConfig(ca_data=authority.pem, server_name="kubernetes.example")
        async with Client(replace(config, tls=named)) as client:
            assert await client.version() == "v9"
        async with Client(replace(config, tls=TlsConfig(insecure=True))) as client:
            assert await client.version() == "v9"


async def test_a_new_client_certificate_serves_new_requests_and_drains_old_streams(tmp_path: Path) -> None:
    authority, clock = Authority(), FakeClock()
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"

    def write(name: str) -> None:
        for file, content in zip((cert, key), authority.issue(name), strict=True):
            file.write_bytes(content)

    write("first")
    async with tls_server(authority, tmp_path, "127.0.0.1", ask=True) as config:
        tls = TlsConfig(ca_data=authority.pem, cert_file=cert, key_file=key)
        async with Client(replace(config, tls=tls), clock=clock) as client, client.stream("/watch") as stream:
            assert await stream.batch() == [b"{}"]
            waiting = asyncio.create_task(stream.batch())
            write("second")
            await clock.advance(CHECK_INTERVAL)
            assert await client.probe()
            async with asyncio.timeout(30):
                assert await waiting == []
            assert await client.version() == "v9"


# Proxies


class Proxy:
    """An HTTP proxy that notes what it is asked for and tunnels it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_head(reader)
        self.asked.append(request.splitlines()[0])
        target = request.split()[1]
        if target.startswith("forbidden"):
            writer.write(head(status="403 Forbidden"))
            await writer.drain()
            return
        host, _, port = target.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        writer.write(head())
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            far_writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def test_requests_and_streams_go_through_the_proxy(tmp_path: Path) -> None:
    proxy = Proxy()
    async with contextlib.AsyncExitStack() as stack:
        config = await stack.enter_async_context(tls_server(Authority(), tmp_path, "127.0.0.1"))
        address = await stack.enter_async_context(raw_server(proxy))
        client = await stack.enter_async_context(Client(replace(config, proxy=f"http://{address}")))
        assert await client.version() == "v9"
        stream = await stack.enter_async_context(client.stream("/watch"))
        assert await stream.batch() == [b"{}"]
    target = config.server.removeprefix("https://")
    assert proxy.asked == [f"CONNECT {target} HTTP/1.1"] * 2


async def test_a_proxy_that_is_gone_or_refuses_is_named() -> None:
    (port,) = free_ports(1)
    config = ClusterConfig(name="far", server="https://forbidden.example", proxy=f"http://127.0.0.1:{port}")
    async with Client(config) as client:
        with pytest.raises(Unreachable, match=r"the proxy for https://forbidden.example cannot be reached"):
            await client.version()
    async with raw_server(Proxy()) as address, Client(replace(config, proxy=f"http://{address}")) as client:
        with pytest.raises(Unreachable, match=r"the proxy refused to connect to https://forbidden.example: 403"):
            await client.version()


async def test_the_connection_of_a_cancelled_call_has_ended_when_the_client_is_closed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Else whoever ends the event loop at once, as a script does, is told of a transport that was not closed."""
    asked = asyncio.Event()
    made: list[socket.socket] = []

    def noted(address: Any) -> socket.socket:
        made.append(new_socket(address))
        return made[-1]

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        asked.set()
        with contextlib.suppress(OSError):
            await reader.read()
        writer.close()

    monkeypatch.setattr("informerd.rest.transport.new_socket", noted)
    context = Authority().server_context(tmp_path, "127.0.0.1")
    server = await asyncio.start_server(silent, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    client = Client(ClusterConfig(name="x", server=f"https://127.0.0.1:{port}", tls=TlsConfig(insecure=True)))
    asking = asyncio.create_task(client.request("GET", "/version"))
    await asked.wait()
    asking.cancel()
    await asyncio.wait((asking,))
    await client.close()
    assert [each.fileno() for each in made] == [-1]
    server.close()
    await server.wait_closed()
