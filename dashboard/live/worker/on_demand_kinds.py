"""Kinds that a worker follows on demand, beside those of its settings.

Web processes announce again and again which kinds they have open and how long ago each was viewed (`InterestMessage`).
A kind is followed from its first announcement until ON_DEMAND_TTL seconds after the last announced view, so a lost
message, another worker or another web process has no effect for longer than one announcement interval.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from dashboard.live.replication.messages import (
    MAX_ON_DEMAND,
    NOT_FOLLOWED,
    ON_DEMAND_RECENT,
    ON_DEMAND_TTL,
    InterestMessage,
)
from dashboard.live.worker.followed_kind import FollowedKind
from dashboard.objects.kinds.catalog import KindInfo, kind_of_key
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

REFUSAL_TTL = 10.0
"""Seconds that a refusal is repeated after the last request."""
SWEEP_INTERVAL = 1.0
"""Seconds between two checks for expired kinds."""

FULL_PROBLEM = (
    f"{NOT_FOLLOWED}: {MAX_ON_DEMAND} kinds beyond those of DELTABOARD_KINDS are open already. "
    "It is followed as soon as one of them has not been viewed for a minute"
)

FollowedKindFactory = Callable[[KindInfo], FollowedKind]


@dataclass(slots=True)
class _Wanted:
    """A kind and the time of its last view, in monotonic seconds."""

    followed: FollowedKind
    last_viewed_at: float
    refused: bool = False


class OnDemandKinds:
    """Kinds that web processes want from one worker. `make_followed_kind` follows one, `is_followed` tells
    whether one is.
    """

    def __init__(
        self,
        make_followed_kind: FollowedKindFactory,
        is_followed: Callable[[str], bool],
        start: Callable[[], None],
        clock: Clock,
    ) -> None:
        self._make = make_followed_kind
        self._follows = is_followed
        self._start = start
        self._clock = clock
        self._requested: dict[str, _Wanted] = {}

    def get(self, key: str) -> FollowedKind | None:
        """The kind with this key, also one that was refused; None where no web process wants it."""
        wanted = self._requested.get(key)
        return wanted.followed if wanted is not None else None

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the kinds that are followed on demand, without the refused ones."""
        return tuple(key for key, wanted in self._requested.items() if not wanted.refused)

    async def receive_interest(self, want: InterestMessage) -> None:
        """Take in the open kinds of one web process."""
        for key, idle in want.kinds[: 2 * MAX_ON_DEMAND]:
            if not self._follows(key):
                await self._hear(key, self._clock.now() - min(max(idle, 0.0), ON_DEMAND_TTL))

    async def sweep(self) -> None:
        """Stop following what nobody has viewed for ON_DEMAND_TTL seconds."""
        now = self._clock.now()
        for key, wanted in list(self._requested.items()):
            if now - wanted.last_viewed_at >= (REFUSAL_TTL if wanted.refused else ON_DEMAND_TTL):
                await self._unfollow(key)

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await self._clock.sleep(SWEEP_INTERVAL)
            await self.sweep()

    async def stop(self) -> None:
        """Stop following all kinds."""
        for key in list(self._requested):
            await self._unfollow(key)

    async def _hear(self, key: str, looked: float) -> None:
        wanted = self._requested.get(key)
        if wanted is not None:
            wanted.last_viewed_at = max(wanted.last_viewed_at, looked)
            if not wanted.refused:
                return
        now = self._clock.now()
        if now - looked >= ON_DEMAND_TTL or (kind := kind_of_key(key)) is None:
            return
        if not await self._has_room(now, looked):
            self._refuse(kind, now, looked)
            return
        if wanted is not None:
            await self._unfollow(key)
        self._follow(kind, looked)

    def _follow(self, kind: KindInfo, looked: float) -> None:
        logger.info("following %s because a browser shows it", kind.key)
        followed = self._make(kind)
        self._requested[kind.key] = _Wanted(followed, looked)
        followed.start()
        self._start()

    def _refuse(self, kind: KindInfo, now: float, looked: float) -> None:
        """Report why it is not followed, to web processes that view it right now."""
        refused = sum(wanted.refused for wanted in self._requested.values())
        if kind.key in self._requested or now - looked > ON_DEMAND_RECENT or refused >= MAX_ON_DEMAND:
            return
        logger.warning("not following %s: %d kinds are followed on demand already", kind.key, MAX_ON_DEMAND)
        followed = self._make(kind)
        health = Health(state="forbidden", since=self._clock.time(), problem=FULL_PROBLEM)
        followed.publisher.health = lambda: health
        self._requested[kind.key] = _Wanted(followed, looked, refused=True)
        followed.start_publishing()

    async def _has_room(self, now: float, looked: float) -> bool:
        """Whether one more kind may be followed. Where all places are taken, the kind that was viewed least recently is
        unfollowed, unless that was within ON_DEMAND_RECENT seconds.
        """
        if len(self.keys) < MAX_ON_DEMAND:
            return True
        idle = min(self.keys, key=lambda key: self._requested[key].last_viewed_at)
        if now - looked > ON_DEMAND_RECENT or now - self._requested[idle].last_viewed_at <= ON_DEMAND_RECENT:
            return False
        await self._unfollow(idle)
        return True

    async def _unfollow(self, key: str) -> None:
        wanted = self._requested.pop(key, None)
        if wanted is None:
            return
        if not wanted.refused:
            logger.info("no longer following %s, which no browser shows", key)
        await wanted.followed.stop()
