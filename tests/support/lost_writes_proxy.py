"""Proxy between a client and a real API server that loses writes on their way there or back; all, once it is down."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Literal

import aiohttp
from aiohttp import web

from informerd.rest.cluster_config import ClusterConfig, UserConfig
from tests.support.controlplane import ControlPlane

Fault = Literal["", "before", "after", "busy", "failing"]
WAIT = 7
"""Retry-After, in seconds, of a fault "busy"."""


class LossyProxy:
    """What happens to a write that is no dry run: it is cut off before or after the API server did it, or refused."""

    def __init__(self, cluster: ControlPlane) -> None:
        self.fault: Fault = ""
        self.dry_runs_too = False
        self.down_after = False
        """Whether nothing is answered any more from the first lost write on."""
        self.down = False
        self.reads_after: int = 0
        """The status that refuses each read from the first lost write on; 0: they are answered."""
        self.after_write: Callable[[], None] = lambda: None
        """What happens once the API server has done a write whose answer is lost, before the client hears of that."""
        self.writes = 0
        """How many the API server took."""
        self._cluster = cluster
        self._session: aiohttp.ClientSession | None = None
        self._port = 0
        self._lost = False

    @property
    def config(self) -> ClusterConfig:
        user = UserConfig(token="admin-token")
        return ClusterConfig(name="lossy", server=f"http://127.0.0.1:{self._port}", credentials=user)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[LossyProxy]:
        tls = ssl.create_default_context(cafile=str(self._cluster.ca_file))
        async with aiohttp.ClientSession(auto_decompress=False) as self._session:
            self._tls = tls
            server = web.Server(self._passed_on, access_log=None)
            runner = web.ServerRunner(server)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self._port = runner.addresses[0][1]
            try:
                yield self
            finally:
                await runner.cleanup()

    async def _passed_on(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        asks = request.method == "GET" or request.path.startswith("/apis/authorization.k8s.io/")
        is_write = not asks and (self.dry_runs_too or not _is_dry_run(request, body))
        fault = self.fault if is_write else ""
        if request.method == "GET" and self._lost and self.reads_after:
            return _refused(self.reads_after)
        if self.down or fault == "before":
            return self._cut(request)
        if fault in ("busy", "failing"):
            return _refused(429 if fault == "busy" else 500)
        answer = await self._sent(request, body)
        if answer is None:
            return self._cut(request)
        self.writes += is_write and answer.status < 300
        if fault != "after":
            return answer
        self.after_write()
        return self._cut(request)

    async def _sent(self, request: web.BaseRequest, body: bytes) -> web.Response | None:
        """The API server's answer; None where it did not answer."""
        assert self._session is not None
        url = f"{self._cluster.server}{request.path_qs}"
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ("host", "connection")}
        try:
            async with self._session.request(request.method, url, data=body, headers=headers, ssl=self._tls) as found:
                kept = {name: found.headers[name] for name in ("Content-Type", "Warning") if name in found.headers}
                if encoding := found.headers.get("Content-Encoding"):
                    kept["Content-Encoding"] = encoding
                return web.Response(status=found.status, body=await found.read(), headers=kept)
        except aiohttp.ClientError:
            return None

    def _cut(self, request: web.BaseRequest) -> web.Response:
        self._lost = True
        self.down = self.down or self.down_after
        if request.transport is not None:
            request.transport.abort()
        return web.Response()


def _is_dry_run(request: web.BaseRequest, body: bytes) -> bool:
    return "dryRun" in request.query or b'"dryRun"' in body


def _refused(code: int) -> web.Response:
    reason = {"reason": "Forbidden"} if code == 403 else {}
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "not now", "code": code, **reason}
    return web.json_response(status, status=code, headers={"Retry-After": str(WAIT)} if code == 429 else {})
