"""Health of a kind's published rows: the informer's health, as far as its handler has caught up."""

from __future__ import annotations

from collections.abc import Sized
from typing import Protocol

import msgspec

from informerd.cache.health import Health
from informerd.clock import Clock

MAX_BACKLOG = 500
"""Maximum number of changes that wait for the handler while the rows count as up to date; it handles as many in
50 ms.
"""
BACKLOG_GRACE = 1.0
"""Seconds for which more changes may wait."""
RESUME_GRACE = 0.5
"""Seconds in which a resumed watch delivers missed changes. It starts with them; nothing marks the end."""
STALL_THRESHOLD = 2.0
"""Seconds between two calls from which on this process counts as suspended meanwhile: it is called each second."""
CATCHING_UP_TEXT = "the changes missed meanwhile are being read"

NOT_SERVED_TEXT = "no longer followed, so the state of its objects is unknown"
"""Beginning of the problem of a kind that is no longer served, whose rows are those of before."""


class HandlerRegistration(Protocol):
    """Registration of the handler at the informer."""

    @property
    def has_synced(self) -> bool: ...

    @property
    def depth(self) -> int: ...

    @property
    def oldest_age(self) -> float: ...


class HealthSource(Protocol):
    """A SharedInformer."""

    def health(self) -> Health: ...


class PublishedHealth:
    """Call it for the health to publish, at least each second.

    The informer is live when its store is, and the store changes before the handler has built rows from it. So until
    the first list has been handled this is syncing; until a later list has been, or where more changes have been
    waiting for BACKLOG_GRACE, it is stale.

    The API server does not mark the end of the missed changes when a watch is resumed after an outage, or when this
    process continues after it was suspended. So the health is stale for RESUME_GRACE longer,
    and until the handler has seen what came until then.
    """

    def __init__(self, informer: HealthSource, registration: HandlerRegistration, clock: Clock) -> None:
        self._informer = informer
        self._handled = registration
        self._clock = clock
        self._live_since: float | None = None
        """Since when the informer is live and its handler has caught up."""
        self._behind_since: float | None = None
        self._stale_since: float | None = None
        """Since when it has been stale, until it has recovered."""
        self._resumed = clock.time()
        """When this process continued after it was suspended, Unix seconds."""
        self._last_asked = clock.now()

    def __call__(self) -> Health:
        health = self._informer.health()
        self._notice(health)
        if health.state != "live":
            return health
        waiting = self._handled.depth
        if not self._handled.has_synced:
            listed = max(0, health.listed - waiting)
            return msgspec.structs.replace(health, state="syncing", listed=listed, remaining=waiting)
        if waiting > MAX_BACKLOG:
            return self._lagging(health, waiting)
        if self._stale_since is not None and self._is_catching_up(max(health.since, self._resumed) + RESUME_GRACE):
            return _stale(health, self._stale_since, CATCHING_UP_TEXT)
        self._live_since, self._behind_since, self._stale_since = health.since, None, None
        return health

    def _is_catching_up(self, until: float) -> bool:
        """Whether changes that came before `until` (Unix seconds) may be to come, or wait for the handler."""
        now = self._clock.time()
        return now < until or (self._handled.depth > 0 and now - self._handled.oldest_age < until)

    def _notice(self, health: Health) -> None:
        """Note whether it is stale, or was suspended."""
        idle, self._last_asked = self._clock.now() - self._last_asked, self._clock.now()
        if idle > STALL_THRESHOLD and self._live_since is not None:
            self._resumed = self._clock.time()
            self._stale_since = self._stale_since or self._resumed - idle
        elif health.state == "stale":
            self._stale_since = self._stale_since or health.since

    def _lagging(self, health: Health, waiting: int) -> Health:
        now = self._clock.time()
        if self._behind_since is None:
            self._behind_since = now
        if self._live_since == health.since and now - self._behind_since < BACKLOG_GRACE:
            return health
        since = self._stale_since or self._behind_since
        return _stale(health, since, f"{waiting:,} changes have arrived and are not shown yet")


def stale_if_not_served(health: Health, rows: Sized) -> Health:
    """Stale where the kind is no longer served: that does not mean that objects were deleted, so rows stay."""
    if health.state != "absent" or not rows:
        return health
    return _stale(health, health.since, f"{NOT_SERVED_TEXT}: {health.problem}")


def _stale(health: Health, since: float, problem: str) -> Health:
    return msgspec.structs.replace(health, state="stale", since=since, problem=problem, has_answer=True)
