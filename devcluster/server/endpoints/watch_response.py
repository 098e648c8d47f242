"""HTTP responses of open watches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from aiohttp import web

from devcluster.server.kinds import Kind
from devcluster.server.storage.store import Store
from devcluster.server.storage.watch import Watcher, WatchQuery


class WatchResponses:
    """Sends watches and knows which are open.

    `bookmark_seconds` is the pause between bookmarks on quiet streams, `linger` that between two sends on busy ones.
    """

    def __init__(self, store: Store, *, bookmark_seconds: float, linger: float) -> None:
        self._store = store
        self._bookmark_seconds = bookmark_seconds
        self._linger = linger
        self._open: dict[Watcher, web.BaseRequest] = {}
        self._stalled = False

    async def send(self, request: web.BaseRequest, kind: Kind, query: WatchQuery, timeout: float) -> web.StreamResponse:
        """Answer with a watch until the time-out (seconds), a close, or the client's end."""
        response = web.StreamResponse(
            headers={"Content-Type": "application/json", "Cache-Control": "no-cache, private"}
        )
        response.enable_chunked_encoding()
        watcher = Watcher(self._store, kind, query, bookmark_seconds=self._bookmark_seconds, linger=self._linger)
        watcher.stall(self._stalled)
        self._open[watcher] = request
        timer = asyncio.get_running_loop().call_later(timeout, watcher.close)
        watcher.on_overflow = lambda: _reset(request)
        try:
            with contextlib.suppress(ConnectionResetError):
                await response.prepare(request)
                async for chunk in watcher.lines():
                    await response.write(chunk)
                await response.write_eof()
        finally:
            timer.cancel()
            watcher.close()
            del self._open[watcher]
        return response

    def stall(self, stalled: bool) -> None:
        """Hold back the events of open and later watches, or release them."""
        self._stalled = stalled
        for watcher in self._open:
            watcher.stall(stalled)

    def reset_all(self) -> None:
        """Reset every open watch's connection."""
        for request in list(self._open.values()):
            _reset(request)

    def end_not_served(self, served_kinds: Iterable[Kind]) -> None:
        """End the watches of all kinds but these, cleanly, as when a definition is deleted."""
        places = {(kind.group, kind.version, kind.plural) for kind in served_kinds}
        for watcher in list(self._open):
            kind = watcher.kind
            if (kind.group, kind.version, kind.plural) not in places:
                watcher.close()

    def close(self) -> None:
        """End every open watch cleanly."""
        for watcher in list(self._open):
            watcher.stall(False)
            watcher.close()


def _reset(request: web.BaseRequest) -> None:
    if request.transport is not None:
        request.transport.abort()
