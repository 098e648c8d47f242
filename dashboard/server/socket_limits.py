"""Limits of the open websockets of a process: in all, and for each user."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import Owners


class ReachedLimit(StrEnum):
    """The limit that keeps a socket out; the value is its label in /metrics."""

    PROCESS = "process"
    USER = "user"


class SocketLimits:
    """Counts open sockets. Each `enter` that returns None needs one `leave`."""

    def __init__(self, in_all: int, per_user: int) -> None:
        self._in_all = in_all
        self._per_user = per_user
        self._open_in_all = 0
        self._open: Counter[str] = Counter()

    def enter(self, owners: Owners) -> ReachedLimit | None:
        """Count one more socket of each of `owners`, unless a limit is reached."""
        if self._open_in_all >= self._in_all:
            return ReachedLimit.PROCESS
        if any(self._open[owner] >= self._per_user for owner in owners):
            return ReachedLimit.USER
        self._open_in_all += 1
        self._open.update(owners)
        return None

    def leave(self, owners: Owners) -> None:
        """A socket of these owners has ended."""
        self._open_in_all -= 1
        for owner in owners:
            self._open[owner] -= 1
            if not self._open[owner]:
                del self._open[owner]


SOCKET_LIMITS: Key[SocketLimits] = Key("limits of sockets")
