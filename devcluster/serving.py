"""Serving: one demo API server listening on 127.0.0.1, ready to be used and closed."""

from __future__ import annotations

import secrets
from types import TracebackType

from aiohttp import web

from devcluster.certificates import Certificates, make_certificates
from devcluster.server.app import ApiApp
from devcluster.server.core import Core
from devcluster.server.faults import Faults

ADDRESS = "127.0.0.1"


class Serving:
    """An async context manager: inside, `url` answers. Port 0 takes any free one. Raises OSError where it is taken."""

    def __init__(
        self,
        core: Core,
        *,
        port: int = 0,
        token: str = "",
        faults: Faults | None = None,
        bookmark_seconds: float = 60.0,
        certificates: Certificates | None = None,
    ) -> None:
        self.core = core
        self.token = token or secrets.token_urlsafe(24)
        self._certificates = certificates or make_certificates()
        self._port = port
        app = ApiApp(core, token=self.token, faults=faults, bookmark_seconds=bookmark_seconds)
        # A client that goes away ends its request at once, or its watch would stay for up to an hour.
        self._runner = web.AppRunner(
            app.build(), access_log=None, handle_signals=False, shutdown_timeout=2.0, handler_cancellation=True
        )

    @property
    def url(self) -> str:
        """Where it answers; the port is known once it listens."""
        return f"https://{ADDRESS}:{self._port}"

    @property
    def authority(self) -> bytes:
        """The certificate (PEM) that clients trust."""
        return self._certificates.authority

    async def __aenter__(self) -> Serving:
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, ADDRESS, self._port, ssl_context=self._certificates.context).start()
        except OSError:
            await self._runner.cleanup()
            raise
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()
