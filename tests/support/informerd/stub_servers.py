"""HTTP and raw TCP servers that answer as a test's handler says."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from informerd.rest.load_config import ClusterConfig

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
RawHandler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Scripted:
    """A running server: its address and the requests it has seen."""

    url: str
    seen: list[web.Request] = field(default_factory=list)

    @property
    def config(self) -> ClusterConfig:
        return ClusterConfig(name="scripted", server=self.url)


@contextlib.asynccontextmanager
async def scripted(handler: Handler, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Scripted]:
    """Serve whatever `handler` answers on a free port of 127.0.0.1."""
    server = Scripted("")
    running: set[asyncio.Task[web.StreamResponse]] = set()

    async def remember(request: web.Request) -> web.StreamResponse:
        await request.read()
        server.seen.append(request)
        answering = asyncio.ensure_future(handler(request))
        running.add(answering)
        answering.add_done_callback(running.discard)
        return await answering

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", remember)
    runner = web.AppRunner(application, shutdown_timeout=0.05)  # 0 is for ever
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    server.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield server
    finally:
        for answering in tuple(running):  # aiohttp would wait for them
            answering.cancel()
        await runner.cleanup()


@contextlib.asynccontextmanager
async def raw_server(handler: RawHandler) -> AsyncIterator[str]:
    """Serve bytes: `handler` gets each connection. Gives host and port."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await handler(reader, writer)
        except (asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            tasks.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"{host}:{port}"
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def head(*lines: str, status: str = "200 OK") -> bytes:
    """An HTTP answer's head."""
    return "\r\n".join((f"HTTP/1.1 {status}", *lines, "", "")).encode()


def chunk(content: bytes) -> bytes:
    """One chunk of Transfer-Encoding: chunked."""
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


async def read_head(reader: asyncio.StreamReader) -> str:
    """A request's head."""
    return (await reader.readuntil(b"\r\n\r\n")).decode()
