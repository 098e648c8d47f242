"""Limits of the connections that are open at the same time, whether a request comes over them or not."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

logger = logging.getLogger(__name__)

RESERVED_FILES = 256
"""Files that are left to the API server, Redis, the database, static files and Python."""
FEWEST = 64
STRANGERS = 32
"""Connections of all addresses together that are neither this machine's nor the proxy's. They get probes answered, and
else a refusal.
"""

Client = Sequence[object] | None
"""The other end of a connection: host and port, None for a Unix socket."""


class Idle(Protocol):
    """A connection over which no complete request has come since the last response."""

    def abort(self) -> None:
        """Close it at once."""


class OpenConnections:
    """Counts open connections. `open_files` is the limit of the process; `is_expected` knows the addresses from which
    people and their proxy connect.

    Where a limit is reached, the connection that has been idle for the longest time makes room for a new one, as in
    nginx; where none is idle, the new one is refused.
    """

    def __init__(self, open_files: int, is_expected: Callable[[Client], bool], refused: Counter[str]) -> None:
        self._in_all = max(FEWEST, open_files - RESERVED_FILES)
        self._is_expected = is_expected
        self._refused = refused
        self._open = self._strangers = 0
        self._idle: dict[Idle, bool] = {}
        """The longest idle first; whether it is a stranger's."""

    def enter(self, client: Client) -> bool:
        """Count a new connection. False, and nothing is counted, where there is no room for it."""
        is_stranger = self._is_stranger(client)
        too_many_strangers = is_stranger and self._strangers >= STRANGERS
        if (too_many_strangers or self._open >= self._in_all) and not self._make_room(too_many_strangers):
            if not self._refused["connections"]:
                whose = "addresses that are not the proxy's" if too_many_strangers else "clients"
                logger.warning("too many connections of %s are open: new ones are closed at once", whose)
            self._refused["connections"] += 1
            return False
        self._open += 1
        self._strangers += is_stranger
        return True

    def leave(self, client: Client) -> None:
        """A connection that was counted has ended."""
        self._open -= 1
        self._strangers -= self._is_stranger(client)

    def idle(self, connection: Idle, client: Client) -> None:
        """The connection waits for a request from now on."""
        self._idle[connection] = self._is_stranger(client)

    def busy(self, connection: Idle) -> None:
        """The connection has a request, or has ended."""
        self._idle.pop(connection, None)

    def _make_room(self, of_strangers: bool) -> bool:
        """Close the connection that has been idle the longest; False where none is idle."""
        longest = next((each for each, is_stranger in self._idle.items() if is_stranger or not of_strangers), None)
        if longest is None:
            return False
        del self._idle[longest]
        longest.abort()
        return True

    def _is_stranger(self, client: Client) -> bool:
        return client is not None and not self._is_expected(client)
