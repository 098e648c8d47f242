"""The kinds that a worker follows because somebody looks at them, beside those of its settings.

Web processes say again and again which kinds they have open and how long ago somebody looked (`Want`). A kind is
followed from the first such word on and let go of KEPT seconds after the last look that was told, so a lost word,
another worker or another web process changes nothing for longer than it takes to say it again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from dashboard.live.followed_kind import NOT_FOLLOWED, FollowedKind
from dashboard.live.messages import Want
from dashboard.resources.kinds import KindInfo, kind_of_key
from informerd.cache.health import Health
from informerd.clock import Clock

logger = logging.getLogger(__name__)

KEPT = 600.0
"""Seconds that a kind is followed after the last look at it."""
MOST = 12
"""Kinds that are followed on demand at once, in a worker and in a web process each."""
LATELY = 60.0
"""Seconds after a look in which a kind does not give way to another one."""
REFUSED_FOR = 10.0
"""Seconds that a refusal is repeated after it was last asked for."""
LOOK = 1.0
"""Seconds between two looks at what is over."""

FULL = (
    f"{NOT_FOLLOWED}: {MOST} kinds beyond those of DELTABOARD_KINDS are being looked at already. "
    "It is followed as soon as one of them is left for a minute"
)

Make = Callable[[KindInfo], FollowedKind]


@dataclass(slots=True)
class _Wanted:
    """A kind and when somebody last looked at it, in monotonic seconds."""

    followed: FollowedKind
    looked: float
    refused: bool = False


class OnDemand:
    """What web processes want of one worker. `make` makes what is to be followed, `follows` says what already is."""

    def __init__(self, make: Make, follows: Callable[[str], bool], start: Callable[[], None], clock: Clock) -> None:
        self._make = make
        self._follows = follows
        self._start = start
        self._clock = clock
        self._wanted: dict[str, _Wanted] = {}

    def get(self, key: str) -> FollowedKind | None:
        """Who publishes this kind, refused ones included; None where nobody wants it."""
        wanted = self._wanted.get(key)
        return wanted.followed if wanted is not None else None

    @property
    def keys(self) -> tuple[str, ...]:
        """What is followed on demand, without what was refused."""
        return tuple(key for key, wanted in self._wanted.items() if not wanted.refused)

    async def hear(self, want: Want) -> None:
        """Take in what one web process has open."""
        for key, idle in want.kinds[: 2 * MOST]:
            if not self._follows(key):
                await self._hear(key, self._clock.now() - min(max(idle, 0.0), KEPT))

    async def sweep(self) -> None:
        """Let go of what nobody has looked at for KEPT seconds."""
        now = self._clock.now()
        for key, wanted in list(self._wanted.items()):
            if now - wanted.looked >= (REFUSED_FOR if wanted.refused else KEPT):
                await self._let_go(key)

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await self._clock.sleep(LOOK)
            await self.sweep()

    async def stop(self) -> None:
        """Let go of all."""
        for key in list(self._wanted):
            await self._let_go(key)

    async def _hear(self, key: str, looked: float) -> None:
        wanted = self._wanted.get(key)
        if wanted is not None:
            wanted.looked = max(wanted.looked, looked)
            if not wanted.refused:
                return
        now = self._clock.now()
        if now - looked >= KEPT or (kind := kind_of_key(key)) is None:
            return
        if not await self._has_room(now, looked):
            self._refuse(kind, now, looked)
            return
        if wanted is not None:
            await self._let_go(key)
        self._follow(kind, looked)

    def _follow(self, kind: KindInfo, looked: float) -> None:
        logger.info("following %s because somebody looks", kind.key)
        followed = self._make(kind)
        self._wanted[kind.key] = _Wanted(followed, looked)
        followed.start()
        self._start()

    def _refuse(self, kind: KindInfo, now: float, looked: float) -> None:
        """Say why it is not followed, to who looks right now; who has only kept it hears nothing."""
        refused = sum(wanted.refused for wanted in self._wanted.values())
        if kind.key in self._wanted or now - looked > LATELY or refused >= MOST:
            return
        logger.warning("not following %s: %d kinds are followed on demand already", kind.key, MOST)
        followed = self._make(kind)
        health = Health(state="forbidden", since=self._clock.time(), problem=FULL)
        followed.publisher.health = lambda: health
        self._wanted[kind.key] = _Wanted(followed, looked, refused=True)
        followed.publish()

    async def _has_room(self, now: float, looked: float) -> bool:
        """Whether one more may be followed. Of those that nobody looks at the one left longest gives way to a look."""
        if len(self.keys) < MOST:
            return True
        idle = min(self.keys, key=lambda key: self._wanted[key].looked)
        if now - looked > LATELY or now - self._wanted[idle].looked <= LATELY:
            return False
        await self._let_go(idle)
        return True

    async def _let_go(self, key: str) -> None:
        wanted = self._wanted.pop(key, None)
        if wanted is None:
            return
        if not wanted.refused:
            logger.info("no longer following %s, which nobody looks at", key)
        await wanted.followed.stop()
