"""The director: has stories told, one after another, and small things happen in between, so that something moves."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from devcluster.workload.fleet import Fleet
from devcluster.workload.hands_off import HandsOff
from devcluster.workload.nodes import LEASE_SECONDS
from devcluster.workload.pace import Pace
from devcluster.workload.pulse import Pulse
from devcluster.workload.stage import Cast, Stage
from devcluster.workload.stories import load, releases, trouble
from devcluster.workload.teams import App
from informerd.errors import InformerdError

_log = logging.getLogger(__name__)
Story = Callable[[Stage], Coroutine[Any, Any, None]]

STORIES: tuple[Story, ...] = (
    releases.release, releases.missing_image, load.rush_hour, trouble.memory_leak, releases.canary,
    trouble.lost_node, releases.crashing_release, load.failing_job, trouble.fits_nowhere, releases.release,
    trouble.memory_pressure, releases.paused_release, trouble.too_large, load.late_job,
)  # fmt: skip
FIRST_PAUSE = 3.0
PAUSE = (8.0, 16.0)
"""Seconds between the end of a story and the beginning of the next, at the usual rate."""
STORY_RATE = 2.0
"""Changes a second that stories make, about, with their pauses, if one is told at a time."""
MOST_TELLERS = 6
TOLD_MEANWHILE = 20.0
"""Changes a second for which one more story is told at a time."""


class Director:
    """Only applications of the demo's teams are touched, never what people deployed or have just changed.

    `rate` is above 0. Begins with a cluster whose informers have synced.
    """

    def __init__(self, cast: Cast, fleet: Fleet, rate: float) -> None:
        self._cast = cast
        self._fleet = fleet
        self._rate = rate
        self._busy: set[str] = set()
        """Applications to which a story happens."""
        self._hands_off = HandsOff(cast.cluster, fleet.apps)
        self._numbers = itertools.count(1)

    async def run(self) -> None:
        """Tell stories until cancelled."""
        tellers = min(MOST_TELLERS, 1 + int(self._rate / TOLD_MEANWHILE), max(1, len(self._fleet.apps) // 8))
        left = max(self._rate - STORY_RATE * tellers, self._rate / 2)
        cluster = self._cast.cluster
        pace = Pace(cluster.clock, self._rate, lambda: cluster.revision, self._leases)
        pulse = Pulse(self._cast, self._fleet, left, pace, is_free=self._is_free)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(pulse.run(), name="pulse")
            for teller in range(tellers):
                tasks.create_task(self._tell(teller), name=f"teller {teller}")

    async def _tell(self, teller: int) -> None:
        dice, clock = self._cast.cluster.dice.of("teller", teller), self._cast.cluster.clock
        stretch = max(1.0, 2 * STORY_RATE / self._rate)
        await clock.sleep(FIRST_PAUSE * (1 + teller))
        while True:
            deck = list(STORIES)
            dice.shuffle(deck)
            for story in deck:
                await self._one(story, teller)
                await clock.sleep(dice.uniform(*PAUSE) * stretch)

    async def _one(self, story: Story, teller: int) -> None:
        number = next(self._numbers)
        dice = self._cast.cluster.dice.of("story", teller, number)
        apps = [app for app in self._fleet.apps if app.replicas >= 2 and self._is_free(app)]
        if not apps:
            return
        app = dice.choice(apps)
        self._busy.add(app.key)
        stage = Stage(self._cast, self._fleet, dice, app, number)
        try:
            await story(stage)
        except InformerdError as error:
            _log.debug("%s: %s", story, error)
        finally:
            self._busy.discard(app.key)
            if stage.deployment is not None:
                self._hands_off.ours(app)

    def _leases(self) -> float:
        """How many are renewed a second, which are no changes that anybody looks at."""
        return len(self._cast.cluster.nodes.informer.store) / LEASE_SECONDS

    def _is_free(self, app: App) -> bool:
        """Whether nothing happens to it already, and nobody works on it."""
        return not app.flaw and app.key not in self._busy and self._hands_off.is_free(app)
