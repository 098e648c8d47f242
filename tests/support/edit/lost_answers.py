"""Connection to the API server that loses the answer to a write."""

from __future__ import annotations

from typing import Any

from informerd.errors import Unreachable
from informerd.rest.client import Client
from informerd.rest.response import Response


class LostAnswers:
    """Loses the answer to the next write by `method`, dry runs apart, whether the write `arrives` or not.

    With `stays_down` every answer after it, too.
    """

    def __init__(self, client: Client, *, arrives: bool, method: str = "PATCH", stays_down: bool = True) -> None:
        self._request = client.request
        self._arrives = arrives
        self._method = method
        self._stays_down = stays_down
        self._lost = False

    async def request(self, method: str, path: str, **options: Any) -> Response:
        if self._lost and self._stays_down:
            raise Unreachable("connection refused")
        if self._lost or method != self._method or (options.get("params") or {}).get("dryRun"):
            return await self._request(method, path, **options)
        self._lost = True
        if self._arrives:
            await self._request(method, path, **options)
        raise Unreachable("connection reset")
