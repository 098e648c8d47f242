"""An API server of a test's own whose pod shop/web runs what the test says, for what no kubelet does when asked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from informerd.remotecommand.exec_session import PROTOCOLS
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig

Speak = Callable[[web.WebSocketResponse, web.Request], Awaitable[None]]
STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = b"\x00", b"\x01", b"\x02", b"\x03", b"\x04", b"\xff"
SUCCESS = ERROR + json.dumps({"status": "Success"}).encode()


def failure(code: str) -> bytes:
    """The message that a command has ended with this exit code."""
    causes = [{"reason": "ExitCode", "message": code}]
    return (
        ERROR + json.dumps({"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": causes}}).encode()
    )


@asynccontextmanager
async def exec_client(speak: Speak, protocols: tuple[str, ...] = PROTOCOLS) -> AsyncIterator[Client]:
    """A client of a server whose websockets do what `speak` does."""

    async def answer(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(protocols=protocols)
        await socket.prepare(request)
        await speak(socket, request)
        return socket

    async with client_of(answer) as client:
        yield client


@asynccontextmanager
async def client_of(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[Client]:
    """A client of a server that answers each request so."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    (address,) = runner.addresses
    try:
        async with Client(ClusterConfig(name="scripted", server=f"http://127.0.0.1:{address[1]}")) as client:
            yield client
    finally:
        await runner.cleanup()
