"""Event loop with virtual time and network: nothing sleeps, nothing leaves the process, every run is the same.

When no task is ready, time jumps to the next timer. A connection to any address is made to `network`, in memory.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Protocol

START = 1000.0
"""Seconds on a new loop's clock."""


class Network(Protocol):
    """What connections lead to."""

    def connect(self, protocol: asyncio.Protocol) -> asyncio.Transport:
        """A connection for `protocol`. Raises OSError where it is refused."""
        ...


class _Selector:
    """Stands in for the one that waits for sockets: it waits for the time instead, which costs none."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[Any]:
        self._loop.idle(timeout)
        return []


class VirtualLoop(asyncio.BaseEventLoop):
    """Run it with `advance`. `faults` collects what nobody caught: a test is to look at it."""

    def __init__(self, network: Network, on_turn: Callable[[], None]) -> None:
        super().__init__()
        self.faults: list[str] = []
        self._now = self._until = START
        self._network = network
        self._on_turn = on_turn
        self._selector = _Selector(self)
        self.set_exception_handler(lambda _, context: self.faults.append(str(context)))

    def time(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Run everything that is due within `seconds`, and all that follows from it."""
        self._until = self._now + seconds
        self.run_forever()

    def idle(self, timeout: float | None) -> None:
        """No task is ready for `timeout` seconds, None for ever. For the selector."""
        self._on_turn()
        if timeout == 0:
            return
        if timeout is None or self._now + timeout > self._until:
            self._now = self._until
            self.stop()
        else:
            self._now += timeout

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        """Every address is the network's, which has its say in `create_connection`."""

    async def create_connection(self, protocol_factory: Any, *_: Any, **options: Any) -> Any:
        if (sock := options.get("sock")) is not None:
            sock.close()
        await asyncio.sleep(0)
        protocol = protocol_factory()
        return self._network.connect(protocol), protocol

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nobody waits who would have to be woken."""


class LoopClock:
    """informerd's clock by the running loop's time."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def time(self) -> float:
        return 1_799_999_000.0 + self.now()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
