"""Limits of the open websockets of a process: in all, and for each user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from dashboard.access.identity import browser_of, user_of
from dashboard.runtime.app_state import Key


class ReachedLimit(StrEnum):
    """The limit that keeps a socket out; the value is its label in /metrics."""

    PROCESS = "process"
    USER = "user"


class SocketLimits:
    """Counts open sockets. Each `enter` that returns None needs one `leave`."""

    def __init__(self, in_all: int, per_user: int) -> None:
        self._in_all = in_all
        self._per_user = per_user
        self._open: Counter[str] = Counter()

    def enter(self, user: str) -> ReachedLimit | None:
        """Count one more socket of `user`, unless a limit is reached."""
        if self._open.total() >= self._in_all:
            return ReachedLimit.PROCESS
        if self._open[user] >= self._per_user:
            return ReachedLimit.USER
        self._open[user] += 1
        return None

    def leave(self, user: str) -> None:
        """A socket of `user` has ended."""
        self._open[user] -= 1
        if not self._open[user]:
            del self._open[user]


def socket_user(scope: Mapping[str, Any]) -> str:
    """Whose socket it is: the signed-in user's, without sign-in the browser's; empty for all browsers without an id,
    which are on this machine.
    """
    return user_of(scope) or browser_of(scope)


SOCKET_LIMITS: Key[SocketLimits] = Key("limits of sockets")
