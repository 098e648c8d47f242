"""HTTP server of the probes /healthz, /readyz and /metrics, for kubelet and Prometheus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

from informerd.errors import ConfigError, InvalidCall
from informerd.manager.healthz import HealthChecks

Metrics = Callable[[], tuple[bytes, str]]
"""The exposition and its content type."""


class ProbeServer:
    """Serves at `address` (``host:port``; ``:port`` is on all interfaces, port 0 any that is free).

    Everybody who can reach it may read it: it shows names of kinds and problems, no objects. Raises InvalidCall for a
    malformed address.
    """

    def __init__(self, address: str, checks: tuple[HealthChecks, ...], metrics: Metrics) -> None:
        self._host, self._port = _parse(address)
        self._given = address
        self._metrics = metrics
        app = web.Application()
        for each in checks:
            handler = _handler(each)
            app.router.add_get(f"/{each.name}", handler)
            app.router.add_get(f"/{each.name}/{{check}}", handler)
        app.router.add_get("/metrics", self._show_metrics)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)

    @property
    def address(self) -> str:
        """``host:port`` where it listens (``[::]:port`` of IPv6); "" where it does not."""
        if not self._runner.addresses:
            return ""
        host, port = self._runner.addresses[0][:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    async def start(self) -> None:
        """Listen. Raises ConfigError where that cannot be."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host or None, self._port).start()
        except OSError as error:
            await self._runner.cleanup()
            reason = error.strerror or str(error)
            raise ConfigError(
                f"cannot serve probes at {self._given}: {reason}; give another address, or None for none"
            ) from error

    async def stop(self) -> None:
        """Stop listening."""
        await self._runner.cleanup()

    async def _show_metrics(self, _: web.Request) -> web.Response:
        body, content_type = self._metrics()
        return web.Response(body=body, headers={"Content-Type": content_type})


def _handler(checks: HealthChecks) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        verdict = await checks.run(
            only=request.match_info.get("check", ""),
            exclude=request.query.getall("exclude", []),
            verbose="verbose" in request.query,
        )
        return web.Response(status=verdict.status, text=verdict.text, headers={"X-Content-Type-Options": "nosniff"})

    return handle


def _parse(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise InvalidCall(f"{address!r} is not an address for probes: {error}; give host:port") from error
    if port is None or parts.path or "@" in address:
        raise InvalidCall(f"{address!r} is not an address for probes: give host:port, such as 127.0.0.1:8081")
    return host, port
