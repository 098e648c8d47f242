"""Proxy in front of a real API server that refuses, cuts and counts as a test instructs it."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
from aiohttp import web
from yarl import URL

from informerd.rest.cluster_config import ClusterConfig, TlsConfig
from tests.support.controlplane import ControlPlane
from tests.support.informerd.stub_servers import scripted

Rule = Callable[[web.Request], Awaitable[web.Response | None]]
_HEADERS = ("Authorization", "Accept", "Content-Type")


class Seen:
    """One request that went through and its answer."""

    def __init__(self, request: web.Request, status: int) -> None:
        self.path = request.path
        self.query = dict(request.query)
        self.status = status

    @property
    def is_watch(self) -> bool:
        return self.query.get("watch") == "true"

    @property
    def page(self) -> str:
        """Which kind of list it was: ``first``, ``next`` or, without a limit, ``whole``."""
        if "continue" in self.query:
            return "next"
        return "first" if "limit" in self.query else "whole"


class Proxy:
    """What `rule` answers goes back instead of the API server's word; an answer breaks after `cut` bytes.

    (That is in the middle of a line mostly, by an abort after odd numbers and a clean end after even ones.)
    """

    def __init__(self, controlplane: ControlPlane) -> None:
        self.seen: list[Seen] = []
        self.rule: Rule | None = None
        self.cut: Callable[[web.Request], int | None] = lambda _request: None
        self.config = ClusterConfig(name="proxy", server="")
        self._server = controlplane.server
        self._tls = ssl.create_default_context(cafile=str(controlplane.ca_file))
        self._tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
        self._session: aiohttp.ClientSession | None = None

    def lists(self, plural: str) -> list[Seen]:
        """Lists of that resource, not watches."""
        return [each for each in self.seen if each.path.endswith(f"/{plural}") and not each.is_watch]

    def watches(self, plural: str) -> list[Seen]:
        return [each for each in self.seen if each.path.endswith(f"/{plural}") and each.is_watch]

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        refusal = await self.rule(request) if self.rule is not None else None
        if refusal is not None:
            self.seen.append(Seen(request, refusal.status))
            return refusal
        headers = {name: request.headers[name] for name in _HEADERS if name in request.headers}
        assert self._session is not None
        async with self._session.request(
            request.method,
            URL(self._server + request.raw_path, encoded=True),
            headers=headers,
            data=await request.read(),
            ssl=self._tls,
        ) as answer:
            self.seen.append(Seen(request, answer.status))
            return await self._give_back(request, answer)

    async def _give_back(self, request: web.Request, answer: aiohttp.ClientResponse) -> web.StreamResponse:
        names = ("Content-Type", "Date", "Retry-After", "Warning")
        headers = {name: answer.headers[name] for name in names if name in answer.headers}
        stream = web.StreamResponse(status=answer.status, headers=headers)
        await stream.prepare(request)
        left = self.cut(request)
        async for chunk in answer.content.iter_any():
            if left is not None and len(chunk) >= left:
                await stream.write(chunk[:left])
                if left % 2 and request.transport is not None:
                    request.transport.abort()
                break
            left = None if left is None else left - len(chunk)
            await stream.write(chunk)
        with contextlib.suppress(ConnectionError):
            await stream.write_eof()
        return stream


@asynccontextmanager
async def proxied(controlplane: ControlPlane, config: ClusterConfig) -> AsyncIterator[Proxy]:
    """A proxy on a free port; its `config` is the given one by way of it, without TLS."""
    proxy = Proxy(controlplane)
    connector = aiohttp.TCPConnector(limit=0)
    async with scripted(proxy.pass_on) as front, aiohttp.ClientSession(connector=connector) as session:
        proxy._session = session
        proxy.config = replace(config, server=front.url, tls=TlsConfig())
        yield proxy


def too_many(seconds: int | None = 1) -> web.Response:
    """429 as the API server says it."""
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "TooManyRequests", "code": 429}
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return web.json_response({**status, "message": "too many requests"}, status=429, headers=headers)
