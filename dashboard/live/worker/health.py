"""How fresh a kind's published rows are: the informer's health, as far as its handler has kept up with it."""

from __future__ import annotations

from collections.abc import Sized
from typing import Protocol

import msgspec

from informerd.cache.health import Health
from informerd.clock import Clock

BEHIND = 500
"""Changes that may wait for the handler while the rows count as up to date; it works off as many in about 50 ms."""
PATIENCE = 1.0
"""Seconds for which a storm may keep more of them waiting."""
SETTLE = 0.5
"""Seconds in which a watch that was taken up again brings what was missed. It begins with that; no mark ends it."""
HELD_UP = 2.0
"""Seconds between two questions after which this process was held up: it is asked each second."""
CATCHING_UP = "what was missed meanwhile is being read"

NO_LONGER = "no longer followed, so nobody can tell what has become of its objects"
"""How the problem of a kind begins whose rows are those that there were when it was served."""


class Handled(Protocol):
    """What the informer gave back for the handler: a Registration."""

    @property
    def has_synced(self) -> bool: ...

    @property
    def depth(self) -> int: ...


class Informing(Protocol):
    """A SharedInformer."""

    def health(self) -> Health: ...


class KindHealth:
    """Call it for the health to publish, each second at least.

    The informer is live when its store is, and the store changes before the handler has made rows of it. So until the
    first list has been handled this says syncing, and until a later list has been, or where changes have been piling
    up for PATIENCE, stale.

    Nor is there a word from the API server that all that was missed has come, when a watch is taken up again after an
    outage, or when this very process goes on after it was stopped. So this is stale for SETTLE longer.
    """

    def __init__(self, informer: Informing, handled: Handled, clock: Clock) -> None:
        self._informer = informer
        self._handled = handled
        self._clock = clock
        self._live_since: float | None = None
        """Since when the informer is live, as far as its handler has caught up with that."""
        self._behind_since: float | None = None
        self._stale_since: float | None = None
        """Since when it has been stale, until it has settled."""
        self._resumed = clock.time()
        """When this process went on after it had been held up, Unix seconds."""
        self._asked = clock.now()

    def __call__(self) -> Health:
        health = self._informer.health()
        self._notice(health)
        if health.state != "live":
            return health
        waiting = self._handled.depth
        if not self._handled.has_synced:
            listed = max(0, health.listed - waiting)
            return msgspec.structs.replace(health, state="syncing", listed=listed, remaining=waiting)
        if waiting > BEHIND:
            return self._lagging(health, waiting)
        if self._stale_since is not None and self._clock.time() < max(health.since, self._resumed) + SETTLE:
            return _stale(health, self._stale_since, CATCHING_UP)
        self._live_since, self._behind_since, self._stale_since = health.since, None, None
        return health

    def _notice(self, health: Health) -> None:
        """Whether it is stale, or nobody could ask."""
        idle, self._asked = self._clock.now() - self._asked, self._clock.now()
        if idle > HELD_UP and self._live_since is not None:
            self._resumed = self._clock.time()
            self._stale_since = self._stale_since or self._resumed - idle
        elif health.state == "stale":
            self._stale_since = self._stale_since or health.since

    def _lagging(self, health: Health, waiting: int) -> Health:
        now = self._clock.time()
        if self._behind_since is None:
            self._behind_since = now
        if self._live_since == health.since and now - self._behind_since < PATIENCE:
            return health
        since = self._stale_since or self._behind_since
        return _stale(health, since, f"{waiting:,} changes have been heard of and are not shown yet")


def no_longer_served(health: Health, rows: Sized) -> Health:
    """That the API server has nothing there does not say that objects were deleted: rows stay, and are stale."""
    if health.state != "absent" or not rows:
        return health
    return _stale(health, health.since, f"{NO_LONGER}: {health.problem}")


def _stale(health: Health, since: float, problem: str) -> Health:
    return msgspec.structs.replace(health, state="stale", since=since, problem=problem, answered=True)
