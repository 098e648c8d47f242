"""Tests of the demo API server's end, whatever connections are on their way to it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import socket
import ssl
import time
import warnings

import pytest

from devcluster.certificates import make_certificates
from devcluster.demo_server import ADDRESS, DemoServer
from devcluster.server.api_server_core import ApiServer
from tests.support.tcp_proxy import Wire

CERTIFICATES = make_certificates()
TURNS = range(8)
"""Turns of the event loop between a connection and the end: in the third asyncio has accepted it, and no more."""


def demo_server() -> DemoServer:
    return DemoServer(ApiServer(now=time.time, rng=random.Random(1)), certificates=CERTIFICATES)


def port_of(server: DemoServer) -> int:
    return int(server.url.rpartition(":")[2])


async def connect_and_leave(port: int, turns: int) -> None:
    """A connection that is given up again before anybody may have answered it."""
    with socket.create_connection((ADDRESS, port)):
        for _ in range(turns):
            await asyncio.sleep(0)


@pytest.mark.parametrize("turns", TURNS)
async def test_the_end_closes_what_is_just_being_accepted(turns: int) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        async with demo_server() as server:
            await connect_and_leave(port_of(server), turns)
        await asyncio.sleep(0)
        gc.collect()
    assert [each.message for each in said] == []


@pytest.mark.parametrize("turns", TURNS)
async def test_the_end_of_a_wire_closes_what_is_just_being_accepted(turns: int) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        async with demo_server() as server, Wire(port_of(server)) as wire:
            await connect_and_leave(wire.port, turns)
        await asyncio.sleep(0)
        gc.collect()
    assert [each.message for each in said] == []


async def test_a_connection_whose_handshake_ends_after_the_server_did_is_closed() -> None:
    async with demo_server() as server:
        connected = socket.create_connection((ADDRESS, port_of(server)))
        connected.setblocking(False)
        for _ in TURNS:
            await asyncio.sleep(0)
    trusting = ssl.create_default_context(cadata=CERTIFICATES.authority.decode())
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(sock=connected, ssl=trusting, server_hostname=ADDRESS)
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
    writer.close()
