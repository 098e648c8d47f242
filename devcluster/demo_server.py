"""A demo API server that listens on 127.0.0.1, ready to use and to close."""

from __future__ import annotations

import asyncio
import secrets
import socket
from types import TracebackType

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from devcluster.certificates import Certificates, make_certificates
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints.app import ApiApp
from devcluster.server.endpoints.faults import Faults
from devcluster.server.endpoints.request_bodies import MAX_BODY_BYTES
from devcluster.server.storage.watch import LINGER_SECONDS

ADDRESS = "127.0.0.1"


class DemoServer:
    """An async context manager: inside, `url` answers. Port 0 means any free one. Raises OSError where it is in use."""

    def __init__(
        self,
        core: ApiServer,
        *,
        port: int = 0,
        token: str = "",
        faults: Faults | None = None,
        bookmark_seconds: float = 60.0,
        linger: float = LINGER_SECONDS,
        certificates: Certificates | None = None,
    ) -> None:
        self.core = core
        self.token = token or secrets.token_urlsafe(24)
        self._certificates = certificates or make_certificates()
        self._port = port
        self._app = ApiApp(core, token=self.token, faults=faults, bookmark_seconds=bookmark_seconds, linger=linger)
        self._runner: web.ServerRunner | None = None
        self._listener: socket.socket | None = None

    @property
    def url(self) -> str:
        """Its URL; the port is known once it listens."""
        return f"https://{ADDRESS}:{self._port}"

    @property
    def authority(self) -> bytes:
        """The certificate (PEM) that clients trust."""
        return self._certificates.authority

    async def __aenter__(self) -> DemoServer:
        # A client that goes away ends its request at once, or its watch would stay for up to an hour.
        server = _Server(self._app.handle, request_factory=_make_request, handler_cancellation=True, access_log=None)
        self._runner = runner = web.ServerRunner(server, shutdown_timeout=2.0)
        await runner.setup()
        try:
            self._listener = listener = socket.create_server((ADDRESS, self._port))
            await web.SockSite(runner, listener, ssl_context=self._certificates.context).start()
        except OSError:
            await runner.cleanup()
            raise
        self._port = runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._app.close()
        try:
            if self._listener is not None:
                # asyncio (before 3.12) never closes a connection that it has accepted before the end, but not looked at
                asyncio.get_running_loop().remove_reader(self._listener)
                await asyncio.sleep(0)
        finally:
            if self._runner is not None:
                await self._runner.cleanup()


class _Server(web.Server):
    """Closes a connection, too, whose TLS handshake ends only after `pre_shutdown`, which closes the others."""

    is_ending = False

    def pre_shutdown(self) -> None:
        self.is_ending = True
        super().pre_shutdown()

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if self.is_ending:
            transport.abort()


def _make_request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: web.RequestHandler,
    writer: AbstractStreamWriter,
    task: asyncio.Task[None],
) -> web.BaseRequest:
    """A request whose body limit is one byte above the real server's, so that the handler sees a longer body."""
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=MAX_BODY_BYTES + 1)
