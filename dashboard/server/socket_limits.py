"""Limits of the open websockets of a process, in all and for each user, and of how often a user opens one."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import Owners
from dashboard.server.token_bucket import TokenBucket
from informerd.clock import Clock
from informerd.lru_cache import LruCache

FEWEST_AT_ONCE = 60
"""Sockets that an owner may open at once, however few they may have open."""
RENEWAL_SECONDS = 30.0
MAX_OWNERS = 10_000
"""Owners who are remembered; each has opened a socket."""


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


class SocketRates:
    """Limits how often an owner opens a websocket, for a handshake costs more than a small page.

    At once they may open twice as many as they may have open, at least FEWEST_AT_ONCE, so that all their pages can come
    back after a restart; and as many again in each RENEWAL_SECONDS.
    """

    def __init__(self, per_user: int, clock: Clock) -> None:
        self._at_once = max(FEWEST_AT_ONCE, 2 * per_user)
        self._clock = clock
        self._buckets: LruCache[str, TokenBucket] = LruCache(MAX_OWNERS)

    def allow(self, owners: Owners) -> bool:
        """Count one more socket of each of `owners`; False where one of them opens too many."""
        allowed = [self._bucket(owner).try_take() for owner in owners]  # each of them counts it
        return all(allowed)

    def _bucket(self, owner: str) -> TokenBucket:
        bucket = self._buckets.get(owner)
        if bucket is None:
            bucket = TokenBucket(self._at_once, self._at_once / RENEWAL_SECONDS, self._clock)
            self._buckets.put(owner, bucket)
        return bucket


SOCKET_LIMITS: Key[SocketLimits] = Key("limits of sockets")
