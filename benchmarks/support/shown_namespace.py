"""Websocket client of one person's list that notes whether the page has rows of a namespace."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from benchmarks.support.people import Someone

WINDOW = 'hx-swap=\\"window\\"'
"""Of a frame with all rows of the page."""
WAIT = 30.0
"""Seconds after which a page counts as wrong for good."""


class ShownNamespace:
    """Rows of a namespace in a list of this namespace: `is_shown`, and since when (Unix seconds) it is so."""

    def __init__(self, namespace: str) -> None:
        self.is_shown = False
        self.since = time.time()
        self._row = f'data-namespace=\\"{namespace}\\"'
        self._changed = asyncio.Event()

    def take(self, text: str) -> None:
        """Take a message of the page."""
        if not text.startswith('{"content"'):
            return
        has_rows = self._row in text
        if has_rows != self.is_shown and (has_rows or WINDOW in text):
            self.is_shown, self.since = has_rows, time.time()
            self._changed.set()

    async def wait_until(self, *, is_shown: bool) -> float:
        """Wait for that. Returns since when it is so, Unix seconds. Raises TimeoutError after WAIT seconds."""
        async with asyncio.timeout(WAIT):
            while self.is_shown != is_shown:
                self._changed.clear()
                await self._changed.wait()
        return self.since

    async def read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Take what comes until the socket ends, and acknowledge it."""
        units = 0
        async for message in socket:
            text = message.data if isinstance(message.data, str) else gzip.decompress(message.data).decode()
            units += len(message.data)
            self.take(text)
            if text.startswith('{"content"'):
                await socket.send_json({"ack": units})


@asynccontextmanager
async def shown_namespace(url: str, somebody: Someone, namespace: str) -> AsyncIterator[ShownNamespace]:
    """Somebody's list of a namespace, open while the block runs."""
    path = {"path": f"/resources/pods/?namespace={namespace}"}
    headers = {"Origin": url, **somebody.headers}
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/live/", params=path, headers=headers, max_msg_size=0) as socket,
    ):
        shown = ShownNamespace(namespace)
        reading = asyncio.create_task(shown.read(socket), name="somebody's page")
        try:
            yield shown
        finally:
            reading.cancel()
            await asyncio.wait([reading])
