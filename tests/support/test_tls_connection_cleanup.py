"""Tests of the cleanup of TLS connections: closed ones are aborted, and forgotten ones are still reported."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import warnings
from collections.abc import Callable
from pathlib import Path

from tests.support.informerd.certificates import Authority


class Greeted(asyncio.Protocol):
    """A server's side of a connection that does something with it as soon as a byte has come."""

    def __init__(self, do: Callable[[asyncio.Transport], None], done: asyncio.Event) -> None:
        self._do = do
        self._done = done

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._do(self._transport)
        self._done.set()


def ended(folder: Path, do: Callable[[asyncio.Transport], None]) -> list[str]:
    """What is warned of where the server did this, the client never sends close_notify, and the loop ends at once."""

    async def run() -> socket.socket:
        done = asyncio.Event()
        context = Authority().server_context(folder, "127.0.0.1")
        server = await asyncio.get_running_loop().create_server(lambda: Greeted(do, done), "127.0.0.1", 0, ssl=context)
        client = await asyncio.to_thread(greet, server.sockets[0].getsockname()[1])
        await done.wait()
        server.close()
        return client

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        silent = asyncio.run(run())
        gc.collect()
    silent.close()
    return [str(each.message).split(" <")[0] for each in told]


def greet(port: int) -> socket.socket:
    context = ssl._create_unverified_context()
    client = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
    client.sendall(b"x")
    return client


def test_one_that_was_closed_and_waits_for_the_other_sides_close_notify_is_aborted(tmp_path: Path) -> None:
    assert ended(tmp_path, lambda transport: transport.close()) == []


def test_one_that_nobody_closed_is_told_of(tmp_path: Path) -> None:
    assert "unclosed transport" in ended(tmp_path, lambda transport: None)
