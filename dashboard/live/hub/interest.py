"""Which kinds beyond the settings' somebody looks at in this web process, and the saying of it to the workers."""

from __future__ import annotations

import asyncio
from typing import Protocol

from dashboard.live.hub import Hub
from dashboard.live.messages import Want
from dashboard.live.on_demand import KEPT, LATELY, MOST
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock, sleep_or

LOOK = 1.0
"""Seconds between two looks at what browsers have open."""
SAID = 3.0
"""Seconds between two words to the workers while there is something to say; a new kind is said at once."""


class Following(Protocol):
    """What is needed of dashboard.live.replicas.Replicas."""

    def follow(self, kind: KindInfo) -> None: ...

    def unfollow(self, key: str) -> None: ...

    async def want(self, want: Want) -> None: ...


class Interest:
    """Follows kinds while somebody looks at them, and for KEPT seconds after; MOST of them at once.

    Somebody looks who asks for a page of the kind or has one open. Lost words, a worker that is started again and other
    web processes need no more than that all is said again every SAID seconds.
    """

    def __init__(self, replicas: Following, hub: Hub, clock: Clock) -> None:
        self._replicas = replicas
        self._hub = hub
        self._clock = clock
        self._looked: dict[str, float] = {}
        """When each was last looked at, monotonic seconds."""
        self._since: dict[str, float] = {}
        self._begun = clock.now()
        self._said = float("-inf")
        self._wake = asyncio.Event()

    @property
    def keys(self) -> tuple[str, ...]:
        """What is followed because somebody looks or did of late."""
        return tuple(self._looked)

    def since(self, key: str) -> float:
        """Since when a kind is followed here, monotonic seconds."""
        return self._since.get(key, self._begun)

    def look(self, key: str) -> None:
        """Somebody looks at this kind, be it followed on demand or always."""
        if key in self._looked:
            self._looked[key] = self._clock.now()

    def follow(self, kind: KindInfo) -> bool:
        """Follow a kind that is not followed yet; False where MOST are, and each was looked at within LATELY seconds.

        At once there is a replica for it that says starting.
        """
        if kind.key not in self._looked and not self._has_room():
            return False
        self._replicas.follow(kind)
        self._hub.follow(kind)
        self._looked[kind.key] = self._clock.now()
        self._since.setdefault(kind.key, self._clock.now())
        self._said = float("-inf")
        self._wake.set()
        return True

    async def run(self) -> None:
        """Say what is open, and let go of what nobody looks at, until cancelled."""
        while True:
            self._wake.clear()
            self.sweep()
            await self._say()
            await sleep_or(self._wake, LOOK, self._clock)

    def sweep(self) -> None:
        """Let go of what nobody has looked at for KEPT seconds."""
        now = self._clock.now()
        for key, looked in list(self._looked.items()):
            if self._hub.looks_at(key):
                self._looked[key] = now
            elif now - looked >= KEPT:
                self._let_go(key)

    async def _say(self) -> None:
        now = self._clock.now()
        if self._looked and now - self._said >= SAID:
            self._said = now
            await self._replicas.want(Want(tuple((key, now - looked) for key, looked in self._looked.items())))

    def _has_room(self) -> bool:
        self.sweep()
        if len(self._looked) < MOST:
            return True
        idle = min(self._looked, key=self._looked.__getitem__)
        if self._clock.now() - self._looked[idle] <= LATELY:
            return False
        self._let_go(idle)
        return True

    def _let_go(self, key: str) -> None:
        del self._looked[key], self._since[key]
        self._hub.unfollow(key)
        self._replicas.unfollow(key)
