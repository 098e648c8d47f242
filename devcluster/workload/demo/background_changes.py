"""Small random changes, made continuously at a given rate per second."""

from __future__ import annotations

import asyncio
import itertools
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Pod
from devcluster.workload.cluster_client import APP_INDEX
from devcluster.workload.demo.rate_correction import RateCorrection
from devcluster.workload.demo.scaled_inventory import Fleet
from devcluster.workload.demo.scenario_context import Components
from devcluster.workload.demo_inventory import App
from informerd.errors import AlreadyExists, InformerdError

_log = logging.getLogger(__name__)
FIRST_PAUSE = 1.0
MAX_CONCURRENT = 32
"""Maximum number of background changes under way; their consequences are not counted."""
MAX_LAG_SECONDS = 2.0
"""Seconds by which it may be late before it gives up catching up: the cluster has enough to do."""
CRASHES: tuple[tuple[int, str, str], ...] = (
    (1, "Error", ""), (2, "Error", ""), (137, "OOMKilled", ""),
    (137, "Error", "Liveness probe failed: HTTP probe failed with statuscode: 500"),
)  # fmt: skip
"""How containers end: exit code, reason, and what the kubelet says before."""


@dataclass(frozen=True)
class BackgroundChange:
    """One small change. `changes` is about how many writes it causes, with consequences and events."""

    weight: int
    changes: float
    apply: Callable[[random.Random, int], Awaitable[bool]]


class BackgroundChanges:
    """Makes small changes to free applications, `rate` changes a second in all, times the factor of
    `rate_correction`.
    """

    def __init__(
        self,
        components: Components,
        fleet: Fleet,
        rate: float,
        rate_correction: RateCorrection,
        *,
        is_free: Callable[[App], bool],
    ) -> None:
        self._components = components
        self._fleet = fleet
        self._rate = rate
        self._rate_correction = rate_correction
        self._is_free = is_free
        self._most_jobs = max(4, len(fleet.crons) * 3 // 4)
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self._happenings = (
            BackgroundChange(24, 2.0, lambda _, number: components.mydemos.change_one(number)),
            BackgroundChange(22, 21.0, self._replace),
            BackgroundChange(20, 12.0, self._restart),
            BackgroundChange(16, 7.0, self._flicker),
            BackgroundChange(12, 24.0, self._start_job),
        )

    async def run(self) -> None:
        """Go on until cancelled."""
        clock, dice = self._components.cluster.clock, self._components.cluster.random_source
        due = clock.now() + FIRST_PAUSE
        weights = [each.weight for each in self._happenings]
        async with asyncio.TaskGroup() as tasks:
            for number in itertools.count(1):
                await clock.sleep(max(0.0, due - clock.now()))
                chance = dice.rng_for("pulse", number)
                (chosen,) = chance.choices(self._happenings, weights)
                self._rate_correction.update(late=clock.now() - due > MAX_LAG_SECONDS / 2)
                pause = chosen.changes / (self._rate * self._rate_correction.factor) * chance.uniform(0.5, 1.5)
                due = max(due, clock.now() - MAX_LAG_SECONDS) + pause
                async with self._slots:
                    tasks.create_task(self._one(chosen, chance, number))

    async def _one(self, chosen: BackgroundChange, chance: random.Random, number: int) -> None:
        async with self._slots:
            try:
                await chosen.apply(chance, number)
            except InformerdError as error:
                _log.debug("a small thing did not happen: %s", error)

    async def _replace(self, chance: random.Random, _: int) -> bool:
        """Somebody deletes a pod; its ReplicaSet makes another."""
        pod = self._settled(chance)
        if pod is not None:
            await self._components.cluster.pods.delete(pod)
        return pod is not None

    async def _restart(self, chance: random.Random, _: int) -> bool:
        """A container ends and is started again."""
        pod = self._settled(chance)
        if pod is not None:
            code, reason, words = chance.choice(CRASHES)
            self._components.kubelet.crash(pod, code, reason, message=words)
        return pod is not None

    async def _flicker(self, chance: random.Random, _: int) -> bool:
        """A readiness probe fails for some seconds."""
        pod = self._settled(chance)
        if pod is not None:
            self._components.kubelet.flap_readiness(pod)
        return pod is not None

    async def _start_job(self, chance: random.Random, number: int) -> bool:
        """Somebody starts a cron job by hand: it belongs to its CronJob, where that is there."""
        jobs, cron_jobs = self._components.cluster.jobs, self._components.cluster.cron_jobs
        if sum(job.finish_condition is None for job in jobs.informer.store) >= self._most_jobs:
            return False
        cron = chance.choice(self._fleet.crons)
        try:
            body = objects.job(cron, f"{cron.name}-{29_000_000 + number}")
            if (owner := cron_jobs.get(cron.key)) is not None:
                body["metadata"]["ownerReferences"] = [objects.controller_reference(owner)]
                body["metadata"]["annotations"] = {"cronjob.kubernetes.io/instantiate": "manual"}
            await jobs.create(body)
        except AlreadyExists:
            return False
        return True

    def _settled(self, chance: random.Random) -> Pod | None:
        """A pod that runs well, of an application to which nothing else happens."""
        apps = [app for app in chance.sample(self._fleet.apps, min(4, len(self._fleet.apps))) if self._is_free(app)]
        for app in apps:
            pods = [
                pod
                for pod in self._components.cluster.pods.by_index(APP_INDEX, app.key)
                if self._components.kubelet.is_settled(pod)
            ]
            if len(pods) > 1:
                return chance.choice(pods)
        return None
