"""TCP proxy that a test can cut, freeze, slow down and repair; it passes the bytes through unread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Self

HELD_UP = 1.0
"""Seconds for which a line of a limited rate makes up afterwards."""
ACCEPTING = 5
"""Turns of the event loop from a connection's arrival until asyncio has told of it, and one more."""


class Wire:
    """Listens on a free port of 127.0.0.1 and passes everything on to `port`. An async context manager."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._target = port
        self._listener: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._stranded: set[asyncio.StreamWriter] = set()
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self.rate: float | None = None
        """Bytes a second of each connection, towards whoever connected; None: as fast as it goes."""
        self.delay = 0.0
        """Seconds by which each piece is held up, either way."""
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
        listener, self._listener = self._listener, None
        if listener is not None:
            asyncio.get_running_loop().remove_reader(listener.sockets[0].fileno())
        for _ in range(ACCEPTING):  # before the listener's end: asyncio leaves those open that it meets later
            await asyncio.sleep(0)
        if listener is not None:
            listener.close()
        self.drop()
        self.thaw()
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def mend(self) -> None:
        """Take connections (again, on the same port)."""
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", self.port, reuse_address=True)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def mend_if_cut(self) -> None:
        """Mend, unless it is whole."""
        if self._listener is None:
            await self.mend()

    def drop(self) -> None:
        """Break the connections there are."""
        for writer in [*self._writers]:
            writer.transport.abort()

    def strand(self) -> None:
        """Break the connections at the server's end only: who connected hears nothing of it, and nothing ever again."""
        for writer, back in self._pairs:
            self._stranded.add(writer)
            back.transport.abort()

    def freeze(self) -> None:
        """Pass nothing on while connections stay open, as when a machine is suspended."""
        self._flows.clear()

    def thaw(self) -> None:
        """Pass on what was held back, and what comes."""
        self._flows.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Remember the connection at once: `cut` may come before the task has had its first turn."""
        self._writers.add(writer)
        task = asyncio.create_task(self._pass_on(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers |= {writer, back}
            self._pairs.add((writer, back))
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._pump(reader, back, limited=False))
                    tasks.create_task(self._pump(there, writer, limited=True))
            finally:
                self._pairs.discard((writer, back))
        except (OSError, ExceptionGroup):
            if writer in self._stranded:
                await self._swallow(reader)
        except asyncio.CancelledError:
            pass  # one end broke, so the other does
        finally:
            self._stranded.discard(writer)
            for each in {writer, *self._writers}:
                if each is writer or each.transport.is_closing():
                    each.transport.abort()
                    self._writers.discard(each)

    async def _swallow(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while await reader.read(2**16):
                pass

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, limited: bool) -> None:
        """Where it was held up by the machine it makes up for it: a rate is no less on one that is busy."""
        clock = asyncio.get_running_loop().time
        due = clock()
        while data := await reader.read(2**16 if self.rate is None else max(1, int(self.rate / 20))):
            await asyncio.sleep(self.delay)
            await self._flows.wait()
            writer.write(data)
            await writer.drain()
            if limited and self.rate is not None:
                due = max(due, clock() - HELD_UP) + len(data) / self.rate
                await asyncio.sleep(max(0.0, due - clock()))
        if writer in self._stranded:
            raise ConnectionAbortedError
        with contextlib.suppress(OSError):
            writer.write_eof() if writer.can_write_eof() else writer.close()


class Line:
    """A Wire for tests that are not asynchronous, in a thread of its own: `with Line(port) as line`."""

    def __init__(self, port: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="line", daemon=True)
        self._wire = Wire(port)

    @property
    def port(self) -> int:
        return self._wire.port

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self._wire.mend())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._wire.cut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> None:
        """Break all connections and refuse new ones."""
        self._do(self._wire.cut())

    def mend(self) -> None:
        """Let everything through as if nothing had been."""
        self._wire.rate, self._wire.delay = None, 0.0
        self._do(self._wire.mend_if_cut())
        self._call(self._wire.thaw)

    def drop(self) -> None:
        """Break the connections there are."""
        self._call(self._wire.drop)

    def strand(self) -> None:
        """Break them at the server's end only."""
        self._call(self._wire.strand)

    def freeze(self) -> None:
        """Pass nothing on while connections stay open."""
        self._call(self._wire.freeze)

    def slow(self, rate: float | None = None, delay: float = 0.0) -> None:
        """Let so many bytes a second through, each piece so many seconds late."""
        self._wire.rate, self._wire.delay = rate, delay

    def _call(self, function: Any) -> None:
        async def called() -> None:
            function()

        self._do(called())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        done: Future[None] = asyncio.run_coroutine_threadsafe(work, self._loop)
        done.result(20)
