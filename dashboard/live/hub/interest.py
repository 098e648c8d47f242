"""Kinds outside the settings that browsers have open in this web process, announced to the workers."""

from __future__ import annotations

import asyncio
from typing import Protocol

from dashboard.live.hub.hub import Hub
from dashboard.live.replication.messages import MAX_ON_DEMAND, ON_DEMAND_RECENT, ON_DEMAND_TTL, InterestMessage
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.runtime.app_state import Key
from informerd.clock import Clock, sleep_or

SWEEP_INTERVAL = 1.0
"""Seconds between two looks at what browsers have open."""
ANNOUNCE_INTERVAL = 3.0
"""Seconds between two announcements to the workers while any such kind is open; a new kind is announced at once."""


class KindFollower(Protocol):
    """Follows and unfollows kinds, as dashboard.live.replication.replicas.Replicas does."""

    def follow(self, kind: KindInfo) -> None: ...

    def unfollow(self, key: str) -> None: ...

    async def send_interest(self, want: InterestMessage) -> None: ...


class Interest:
    """Follows kinds while a browser shows them and for ON_DEMAND_TTL seconds after; at most MAX_ON_DEMAND at a time.

    A kind counts as shown when its page is requested or open. Everything is announced again every ANNOUNCE_INTERVAL
    seconds, so lost messages, restarted workers and other web processes need no handling of their own.
    """

    def __init__(self, replicas: KindFollower, hub: Hub, clock: Clock) -> None:
        self._replicas = replicas
        self._hub = hub
        self._clock = clock
        self._viewed_at: dict[str, float] = {}
        """Time of each kind's last view, monotonic seconds."""
        self._since: dict[str, float] = {}
        self._started_at = clock.now()
        self._announced_at = float("-inf")
        self._wake = asyncio.Event()

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the kinds that are followed because a browser shows or recently showed them."""
        return tuple(self._viewed_at)

    def followed_since(self, key: str) -> float:
        """Since when a kind has been followed here, monotonic seconds."""
        return self._since.get(key, self._started_at)

    def note_view(self, key: str) -> None:
        """Note that a page of this kind was viewed, whether it is followed on demand or always."""
        if key in self._viewed_at:
            self._viewed_at[key] = self._clock.now()

    def follow(self, kind: KindInfo) -> bool:
        """Follow a kind that is not followed yet; a replica in the state starting exists from then on.

        Returns False where MAX_ON_DEMAND kinds are followed and each was viewed within ON_DEMAND_RECENT seconds.
        """
        if kind.key not in self._viewed_at and not self._has_room():
            return False
        self._replicas.follow(kind)
        self._hub.follow(kind)
        self._viewed_at[kind.key] = self._clock.now()
        self._since.setdefault(kind.key, self._clock.now())
        self._announced_at = float("-inf")
        self._wake.set()
        return True

    async def run(self) -> None:
        """Announce the open kinds and unfollow those that nobody views, until cancelled."""
        while True:
            self._wake.clear()
            self.sweep()
            await self._announce()
            await sleep_or(self._wake, SWEEP_INTERVAL, self._clock)

    def sweep(self) -> None:
        """Unfollow the kinds that nobody has viewed for ON_DEMAND_TTL seconds."""
        now = self._clock.now()
        for key, looked in list(self._viewed_at.items()):
            if self._hub.is_viewed(key):
                self._viewed_at[key] = now
            elif now - looked >= ON_DEMAND_TTL:
                self._unfollow(key)

    async def _announce(self) -> None:
        now = self._clock.now()
        if self._viewed_at and now - self._announced_at >= ANNOUNCE_INTERVAL:
            self._announced_at = now
            await self._replicas.send_interest(
                InterestMessage(tuple((key, now - looked) for key, looked in self._viewed_at.items()))
            )

    def _has_room(self) -> bool:
        self.sweep()
        if len(self._viewed_at) < MAX_ON_DEMAND:
            return True
        idle = min(self._viewed_at, key=self._viewed_at.__getitem__)
        if self._clock.now() - self._viewed_at[idle] <= ON_DEMAND_RECENT:
            return False
        self._unfollow(idle)
        return True

    def _unfollow(self, key: str) -> None:
        del self._viewed_at[key], self._since[key]
        self._hub.unfollow(key)
        self._replicas.unfollow(key)


INTEREST: Key[Interest] = Key("interest")
