"""Tests of the sockets of connections to the API server: none closes a descriptor that another one has by then."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import cast

import pytest

from informerd.errors import Unreachable
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, TlsConfig
from informerd.rest.connection_socket import ConnectionSocket, new_socket

uvloop = pytest.importorskip("uvloop")

LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
Run = Callable[[Coroutine[None, None, None]], None]


class Leaver(asyncio.Protocol):
    """Ends the connection while it is made, as a reset does."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.WriteTransport", transport).abort()


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


async def connected_socket(listening: socket.socket) -> ConnectionSocket:
    made = new_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", listening.getsockname()))
    made.setblocking(False)
    await asyncio.get_running_loop().sock_connect(made, listening.getsockname())
    return made


@LOOPS
def test_the_descriptor_of_a_connection_that_ended_while_it_was_made_is_left_to_its_next_owner(
    listening: socket.socket, run: Run
) -> None:
    async def lose_a_connection() -> None:
        made = await connected_socket(listening)
        number = made.fileno()
        await asyncio.get_running_loop().create_connection(Leaver, sock=made)
        await asyncio.sleep(0.01)
        assert not made.has_descriptor
        reader, writer = os.pipe()
        others = [reader, writer]
        while number not in others:
            others.append(os.dup(reader))
        del made
        gc.collect()
        for each in others:
            os.close(each)  # fails where it is closed already

    run(lose_a_connection())


def test_a_socket_that_is_left_alone_closes_its_own_descriptor() -> None:
    made = ConnectionSocket()
    number = made.fileno()
    with pytest.warns(ResourceWarning, match="unclosed"):
        del made
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_closed_and_detached_sockets_have_no_descriptor() -> None:
    closed, detached = ConnectionSocket(), ConnectionSocket()
    closed.close()
    number = detached.detach()
    assert not closed.has_descriptor
    assert not detached.has_descriptor
    os.close(number)


def test_a_copy_has_a_descriptor_of_its_own() -> None:
    with ConnectionSocket() as made, made.dup() as copy:
        assert isinstance(copy, ConnectionSocket)
        assert made.has_descriptor
        assert copy.has_descriptor
        assert copy.fileno() != made.fileno()


def reset_all(listening: socket.socket) -> None:
    """Reset each connection as soon as it stands, until `listening` is closed."""
    while True:
        try:
            accepted, _ = listening.accept()
        except OSError:
            return
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        accepted.close()


def test_clients_of_a_server_that_resets_connections_leave_those_of_others_alone(listening: socket.socket) -> None:
    """uvloop loses the descriptors of some; each is given to somebody else, who must keep it."""
    threading.Thread(target=reset_all, args=(listening,), daemon=True).start()
    address = f"https://127.0.0.1:{listening.getsockname()[1]}"
    config = ClusterConfig(name="resets", server=address, tls=TlsConfig(insecure=True))

    async def ask() -> None:
        others: list[tuple[socket.socket, socket.socket]] = []
        async with Client(config) as client:
            for _ in range(200):
                with pytest.raises(Unreachable):
                    await client.request("GET", "/version")
                others.append(socket.socketpair())
        gc.collect()
        for one, other in others:
            one.send(b"here")
            assert other.recv(4) == b"here"
            one.close()
            other.close()

    uvloop.run(ask())
    listening.shutdown(socket.SHUT_RDWR)
