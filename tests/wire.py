"""A wire to a server that a test can cut, freeze and mend: TCP passed through unread."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self


class Wire:
    """Listens on a free port of 127.0.0.1 and passes everything on to `port`. An async context manager."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._target = port
        self._listener: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()

    async def __aenter__(self) -> Self:
        await self.mend()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.cut()

    async def cut(self) -> None:
        """Break all connections and refuse new ones."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.drop()
        self.thaw()
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def mend(self) -> None:
        """Take connections (again, on the same port)."""
        self._listener = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port, reuse_address=True)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def mend_if_cut(self) -> None:
        """Mend, unless it is whole."""
        if self._listener is None:
            await self.mend()

    def drop(self) -> None:
        """Break the connections there are."""
        for writer in [*self._writers]:
            writer.transport.abort()

    def freeze(self) -> None:
        """Pass nothing on while connections stay open, as when a machine is suspended."""
        self._flows.clear()

    def thaw(self) -> None:
        """Pass on what was held back, and what comes."""
        self._flows.set()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers |= {writer, back}
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(reader, back))
                tasks.create_task(self._pump(there, writer))
        except (OSError, ExceptionGroup, asyncio.CancelledError):
            pass  # one end broke, so the other does
        finally:
            self._tasks.discard(task)
            for each in {writer, *self._writers}:
                if each is writer or each.transport.is_closing():
                    each.transport.abort()
                    self._writers.discard(each)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**16):
            await self._flows.wait()
            writer.write(data)
            await writer.drain()
        with contextlib.suppress(OSError):
            writer.write_eof() if writer.can_write_eof() else writer.close()
