"""TCP proxy of web processes: new connections go to those that are ready, as with a Service of Kubernetes."""

from __future__ import annotations

import asyncio
import itertools
import threading
from contextlib import suppress

from tests.support.e2e.production_stack import is_ready
from tests.support.free_ports import free_ports

EVERY = 0.5
"""Seconds between two looks at whether a process is ready."""
CHUNK = 65_536


class ReadyProxy:
    """`start` before use and `stop` after it; `add` and `remove` name processes by their ports.

    A connection stays with its process until one of both ends it.
    """

    def __init__(self) -> None:
        (self.port,) = free_ports(1)
        self._ports: list[int] = []
        self.ready: list[int] = []
        """Ports of those that get connections."""
        self._turns = itertools.count()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), name="proxy")
        self._ending = asyncio.Event()
        self._began = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listen."""
        self._thread.start()
        self._began.wait()

    def stop(self) -> None:
        """End all connections."""
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()
        self._loop.close()

    def add(self, port: int) -> None:
        """Send connections there, too, once it is ready."""
        self._ports.append(port)

    def remove(self, port: int) -> None:
        """Send no more connections there."""
        self._ports.remove(port)
        self.ready = [each for each in self.ready if each != port]

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self._began.set()
        async with server:
            while not self._ending.is_set():
                ports = list(self._ports)
                answers = await asyncio.gather(
                    *(asyncio.to_thread(is_ready, f"http://127.0.0.1:{port}") for port in ports)
                )
                self.ready = [port for port, ready in zip(ports, answers, strict=True) if ready and port in self._ports]
                with suppress(TimeoutError):
                    async with asyncio.timeout(EVERY):
                        await self._ending.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if not (ready := self.ready):
                return
            port = ready[next(self._turns) % len(ready)]
            their_reader, their_writer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_copy(reader, their_writer), _copy(their_reader, writer))
        except OSError:
            pass
        finally:
            writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
