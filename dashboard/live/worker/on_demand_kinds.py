"""Kinds that a worker follows on demand, beside those of its settings.

Web processes announce again and again which kinds they have open and how long ago each was viewed (`InterestMessage`).
A kind is followed from its first announcement until ON_DEMAND_TTL seconds after the last announced view, so a lost
message, another worker or another web process has no effect for longer than one announcement interval.

Watches and memory are limited (`OnDemandLimits`). The kind that was viewed least recently gives way, and one that a
page shows only where nothing else frees enough memory. A kind that is not followed is reported with the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.live.replication.messages import (
    MAX_ANNOUNCED,
    NOT_FOLLOWED,
    ON_DEMAND_SHOWN,
    ON_DEMAND_TTL,
    InterestMessage,
)
from dashboard.live.replication.row_memory_estimate import RowMemory
from dashboard.live.worker.followed_kind import FollowedKind
from dashboard.objects.kinds.catalog import KindInfo, kind_of_key
from dashboard.runtime.on_demand_kind_limits import OnDemandLimits
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

REFUSAL_TTL = 10.0
"""Seconds that a refusal is repeated after the last request."""
SWEEP_INTERVAL = 1.0
"""Seconds between two checks for expired kinds and for memory."""
MAX_REFUSED = 500
"""Maximum number of refusals that are reported at a time."""

FollowedKindFactory = Callable[[KindInfo], FollowedKind]


@dataclass(slots=True)
class _Wanted:
    """A kind and the time of its last view, in monotonic seconds."""

    followed: FollowedKind
    last_viewed_at: float
    always_at: float = float("-inf")
    """When it was last announced as one that is followed always."""
    refused: bool = False
    needs: int = 0
    """Bytes that its objects took when it was given up for them; 0 where it was not."""
    memory: RowMemory = field(default_factory=RowMemory)


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
        limits: OnDemandLimits | None = None,
    ) -> None:
        self._make = make_followed_kind
        self._follows = is_followed
        self._start = start
        self._clock = clock
        self._limits = limits or OnDemandLimits()
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
        always = frozenset(want.always)
        for key, idle in want.kinds[:MAX_ANNOUNCED]:
            if not self._follows(key):
                await self._hear(key, self._clock.now() - min(max(idle, 0.0), ON_DEMAND_TTL), is_always=key in always)

    async def sweep(self) -> None:
        """Stop following what nobody has viewed for ON_DEMAND_TTL seconds, and what takes too much memory."""
        now = self._clock.now()
        for key, wanted in list(self._requested.items()):
            if now - wanted.last_viewed_at >= (REFUSAL_TTL if wanted.refused else ON_DEMAND_TTL):
                await self._unfollow(key)
        sizes = {key: self._memory(key) for key in self.keys}
        while sum(sizes.values()) > self._limits.bytes:
            victim = self._idle_kind() or max(sizes, key=lambda key: (not self._is_always(key), sizes[key]))
            wanted = self._requested[victim]
            await self._unfollow(victim)
            if now - wanted.last_viewed_at <= ON_DEMAND_SHOWN:
                self._refuse(wanted.followed.kind, wanted.last_viewed_at, self._limits.memory_reached, sizes[victim])
            del sizes[victim]

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await self._clock.sleep(SWEEP_INTERVAL)
            await self.sweep()

    async def stop(self) -> None:
        """Stop following all kinds."""
        for key in list(self._requested):
            await self._unfollow(key)

    async def _hear(self, key: str, looked: float, *, is_always: bool = False) -> None:
        now, wanted = self._clock.now(), self._requested.get(key)
        if wanted is not None:
            wanted.last_viewed_at = max(wanted.last_viewed_at, looked)
            wanted.always_at = now if is_always else wanted.always_at
            if not wanted.refused:
                return
        if now - looked >= ON_DEMAND_TTL or (kind := kind_of_key(key)) is None:
            return
        is_shown = now - looked <= ON_DEMAND_SHOWN
        reason = await self._make_room(wanted.needs if wanted is not None else 0, may_replace=is_shown)
        if not reason:
            if wanted is not None:
                await self._unfollow(key)
            self._follow(kind, looked, now if is_always else float("-inf"))
        elif wanted is None and is_shown:
            self._refuse(kind, looked, reason)

    def _follow(self, kind: KindInfo, looked: float, always_at: float) -> None:
        reason = "it is followed always" if always_at > float("-inf") else "a page shows it"
        logger.info("following %s because %s", kind.key, reason)
        followed = self._make(kind)
        self._requested[kind.key] = _Wanted(followed, looked, always_at)
        followed.start()
        self._start()

    def _refuse(self, kind: KindInfo, looked: float, reason: str, needs: int = 0) -> None:
        """Report why it is not followed, to web processes that view it right now."""
        if sum(wanted.refused for wanted in self._requested.values()) >= MAX_REFUSED:
            return
        logger.warning("not following %s: %s", kind.key, reason)
        followed = self._make(kind)
        health = Health(state="forbidden", since=self._clock.time(), problem=f"{NOT_FOLLOWED}: {reason}")
        followed.publisher.health = lambda: health
        self._requested[kind.key] = _Wanted(followed, looked, refused=True, needs=needs)
        followed.start_publishing()

    async def _make_room(self, needs: int, *, may_replace: bool) -> str:
        """Make room for one more kind, whose objects take `needs` bytes as far as that is known. Returns why there is
        none, as a clause; empty where there is.

        With `may_replace` the kinds that were viewed least recently are unfollowed for it, unless a page shows them.
        """
        if needs > self._limits.bytes:
            return self._limits.memory_reached
        while True:
            if len(self.keys) >= self._limits.kinds:
                reason = self._limits.kinds_reached
            elif sum(map(self._memory, self.keys)) + needs >= self._limits.bytes:
                reason = self._limits.memory_reached
            else:
                return ""
            idle = self._idle_kind() if may_replace else None
            if idle is None:
                return reason
            await self._unfollow(idle)

    def _idle_kind(self) -> str | None:
        """The followed kind that was viewed least recently; None where pages show all of them."""
        limit = self._clock.now() - ON_DEMAND_SHOWN
        viewed = {key: self._requested[key].last_viewed_at for key in self.keys if not self._is_always(key)}
        idle = min(viewed, key=viewed.__getitem__, default=None)
        return idle if idle is not None and viewed[idle] < limit else None

    def _is_always(self, key: str) -> bool:
        return self._clock.now() - self._requested[key].always_at <= REFUSAL_TTL

    def _memory(self, key: str) -> int:
        wanted = self._requested[key]
        return wanted.memory.estimate(wanted.followed.publisher.rows)

    async def _unfollow(self, key: str) -> None:
        wanted = self._requested.pop(key, None)
        if wanted is None:
            return
        if not wanted.refused:
            logger.info("no longer following %s", key)
        await wanted.followed.stop()
