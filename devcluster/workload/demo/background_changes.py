"""The pulse: small things that happen all the time, so many changes a second."""

from __future__ import annotations

import asyncio
import itertools
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from devcluster.workload import building
from devcluster.workload.cluster import APP
from devcluster.workload.fleet import Fleet
from devcluster.workload.pace import Pace
from devcluster.workload.projections import Pod
from devcluster.workload.stage import Cast
from devcluster.workload.teams import App
from informerd.errors import AlreadyExists, InformerdError

_log = logging.getLogger(__name__)
FIRST_PAUSE = 1.0
AT_ONCE = 32
"""Small things under way; what follows from them is not counted."""
BEHIND = 2.0
"""Seconds by which it may be late before it gives up catching up: the cluster has enough to do."""
ENDS: tuple[tuple[int, str, str], ...] = (
    (1, "Error", ""), (2, "Error", ""), (137, "OOMKilled", ""),
    (137, "Error", "Liveness probe failed: HTTP probe failed with statuscode: 500"),
)  # fmt: skip
"""How containers end: exit code, reason, and what the kubelet says before."""


@dataclass(frozen=True)
class Happening:
    """Something small. `changes` is how many it comes to, about, all that follows and its events included."""

    weight: int
    changes: float
    happen: Callable[[random.Random, int], Awaitable[bool]]


class Pulse:
    """Has small things happen to applications that are free, `rate` changes a second in all, times the `pace`."""

    def __init__(self, cast: Cast, fleet: Fleet, rate: float, pace: Pace, *, is_free: Callable[[App], bool]) -> None:
        self._cast = cast
        self._fleet = fleet
        self._rate = rate
        self._pace = pace
        self._is_free = is_free
        self._most_jobs = max(4, len(fleet.crons) * 3 // 4)
        self._room = asyncio.Semaphore(AT_ONCE)
        self._happenings = (
            Happening(24, 2.0, lambda _, number: cast.mydemos.change_one(number)),
            Happening(22, 21.0, self._replace),
            Happening(20, 12.0, self._restart),
            Happening(16, 7.0, self._flicker),
            Happening(12, 24.0, self._start_job),
        )

    async def run(self) -> None:
        """Go on until cancelled."""
        clock, dice = self._cast.cluster.clock, self._cast.cluster.dice
        due = clock.now() + FIRST_PAUSE
        weights = [each.weight for each in self._happenings]
        async with asyncio.TaskGroup() as tasks:
            for number in itertools.count(1):
                await clock.sleep(max(0.0, due - clock.now()))
                chance = dice.of("pulse", number)
                (chosen,) = chance.choices(self._happenings, weights)
                self._pace.look(late=clock.now() - due > BEHIND / 2)
                pause = chosen.changes / (self._rate * self._pace.factor) * chance.uniform(0.5, 1.5)
                due = max(due, clock.now() - BEHIND) + pause
                async with self._room:
                    tasks.create_task(self._one(chosen, chance, number))

    async def _one(self, chosen: Happening, chance: random.Random, number: int) -> None:
        async with self._room:
            try:
                await chosen.happen(chance, number)
            except InformerdError as error:
                _log.debug("a small thing did not happen: %s", error)

    async def _replace(self, chance: random.Random, _: int) -> bool:
        """Somebody deletes a pod; its ReplicaSet makes another."""
        pod = self._settled(chance)
        if pod is not None:
            await self._cast.cluster.pods.delete(pod)
        return pod is not None

    async def _restart(self, chance: random.Random, _: int) -> bool:
        """A container ends and is started again."""
        pod = self._settled(chance)
        if pod is not None:
            code, reason, words = chance.choice(ENDS)
            self._cast.kubelet.crash(pod, code, reason, words=words)
        return pod is not None

    async def _flicker(self, chance: random.Random, _: int) -> bool:
        """A readiness probe fails for some seconds."""
        pod = self._settled(chance)
        if pod is not None:
            self._cast.kubelet.flicker(pod)
        return pod is not None

    async def _start_job(self, chance: random.Random, number: int) -> bool:
        """A cron job's time has come."""
        jobs = self._cast.cluster.jobs
        if sum(job.ending is None for job in jobs.informer.store) >= self._most_jobs:
            return False
        cron = chance.choice(self._fleet.crons)
        try:
            await jobs.create(building.job(cron, f"{cron.name}-{29_000_000 + number}"))
        except AlreadyExists:
            return False
        return True

    def _settled(self, chance: random.Random) -> Pod | None:
        """A pod that runs well, of an application to which nothing else happens."""
        apps = [app for app in chance.sample(self._fleet.apps, min(4, len(self._fleet.apps))) if self._is_free(app)]
        for app in apps:
            pods = [pod for pod in self._cast.cluster.pods.by(APP, app.key) if self._cast.kubelet.is_settled(pod)]
            if len(pods) > 1:
                return chance.choice(pods)
        return None
