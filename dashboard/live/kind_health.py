"""How fresh a kind's published rows are: the informer's health, as far as its handler has kept up with it."""

from __future__ import annotations

from typing import Protocol

import msgspec

from informerd.cache.health import Health
from informerd.clock import Clock

BEHIND = 500
"""Changes that may wait for the handler while the rows count as up to date; it works off as many in about 50 ms."""
PATIENCE = 1.0
"""Seconds for which a storm may keep more of them waiting."""


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
    """Call it for the health to publish.

    The informer is live when its store is, and the store changes before the handler has made rows of it. So until the
    first list has been handled this says syncing, and until a later list has been, or where changes have been piling
    up for PATIENCE, stale.
    """

    def __init__(self, informer: Informing, handled: Handled, clock: Clock) -> None:
        self._informer = informer
        self._handled = handled
        self._clock = clock
        self._live_since: float | None = None
        """Since when the informer is live, as far as its handler has caught up with that."""
        self._behind_since: float | None = None

    def __call__(self) -> Health:
        health = self._informer.health()
        if health.state != "live":
            return health
        waiting = self._handled.depth
        if not self._handled.has_synced:
            listed = max(0, health.listed - waiting)
            return msgspec.structs.replace(health, state="syncing", listed=listed, remaining=waiting)
        if waiting <= BEHIND:
            self._live_since, self._behind_since = health.since, None
            return health
        return self._lagging(health, waiting)

    def _lagging(self, health: Health, waiting: int) -> Health:
        now = self._clock.time()
        if self._behind_since is None:
            self._behind_since = now
        if self._live_since == health.since and now - self._behind_since < PATIENCE:
            return health
        problem = f"{waiting:,} changes have been heard of and are not shown yet"
        return msgspec.structs.replace(health, state="stale", since=self._behind_since, problem=problem, answered=True)
