"""Director that plays one scenario after another, with background changes in between."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from devcluster.workload.demo.background_changes import BackgroundChanges
from devcluster.workload.demo.rate_correction import RateCorrection
from devcluster.workload.demo.scaled_inventory import Fleet
from devcluster.workload.demo.scenario_context import Components, ScenarioContext
from devcluster.workload.demo.scenarios import incidents, releases, rush_hours_and_jobs
from devcluster.workload.demo.user_changed_apps import HandsOff
from devcluster.workload.demo_inventory import App
from devcluster.workload.kubelet.node_status_and_lease import LEASE_SECONDS
from informerd.errors import InformerdError

_log = logging.getLogger(__name__)
Scenario = Callable[[ScenarioContext], Coroutine[Any, Any, None]]

SCENARIOS: tuple[Scenario, ...] = (
    releases.release, releases.missing_image, rush_hours_and_jobs.rush_hour, incidents.memory_leak, releases.canary,
    incidents.lost_node, releases.crashing_release, rush_hours_and_jobs.failing_job, incidents.unschedulable_pods,
    releases.release, incidents.memory_pressure, releases.paused_release, incidents.oversized_request,
    rush_hours_and_jobs.late_job,
)  # fmt: skip
FIRST_PAUSE = 3.0
PAUSE = (8.0, 16.0)
"""Seconds between the end of a scenario and the beginning of the next, at the usual rate."""
SCENARIO_RATE = 2.0
"""Approximate changes a second of the scenarios with their pauses, if one is played at a time."""
MAX_PARALLEL_SCENARIOS = 6
RATE_PER_SCENARIO_RUNNER = 20.0
"""Changes a second for which one more scenario is played at a time."""


class Director:
    """Plays scenarios on applications of the demo's teams, never on what people deployed or have just changed.

    `rate` is above 0. Begins with a cluster whose informers have synced.
    """

    def __init__(self, components: Components, fleet: Fleet, rate: float) -> None:
        self._components = components
        self._fleet = fleet
        self._rate = rate
        self._busy: set[str] = set()
        """Applications that a scenario is using."""
        self._hands_off = HandsOff(components.cluster, fleet.apps)
        self._numbers = itertools.count(1)

    async def run(self) -> None:
        """Play scenarios until cancelled."""
        tellers = min(
            MAX_PARALLEL_SCENARIOS, 1 + int(self._rate / RATE_PER_SCENARIO_RUNNER), max(1, len(self._fleet.apps) // 8)
        )
        left = max(self._rate - SCENARIO_RATE * tellers, self._rate / 2)
        cluster = self._components.cluster
        pace = RateCorrection(cluster.clock, self._rate, lambda: cluster.revision, self._leases)
        pulse = BackgroundChanges(self._components, self._fleet, left, pace, is_free=self._is_free)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(pulse.run(), name="pulse")
            for teller in range(tellers):
                tasks.create_task(self._tell(teller), name=f"teller {teller}")

    async def _tell(self, teller: int) -> None:
        dice, clock = self._components.cluster.random_source.rng_for("teller", teller), self._components.cluster.clock
        stretch = max(1.0, 2 * SCENARIO_RATE / self._rate)
        await clock.sleep(FIRST_PAUSE * (1 + teller))
        while True:
            deck = list(SCENARIOS)
            dice.shuffle(deck)
            for story in deck:
                await self._one(story, teller)
                await clock.sleep(dice.uniform(*PAUSE) * stretch)

    async def _one(self, story: Scenario, teller: int) -> None:
        number = next(self._numbers)
        dice = self._components.cluster.random_source.rng_for("story", teller, number)
        apps = [app for app in self._fleet.apps if app.replicas >= 2 and self._is_free(app)]
        if not apps:
            return
        app = dice.choice(apps)
        self._busy.add(app.key)
        stage = ScenarioContext(self._components, self._fleet, dice, app, number)
        try:
            await story(stage)
        except InformerdError as error:
            _log.debug("%s: %s", story, error)
        finally:
            self._busy.discard(app.key)
            if stage.deployment is not None:
                self._hands_off.record_own_generation(app)

    def _leases(self) -> float:
        """The number of lease renewals a second, which are no visible changes."""
        return len(self._components.cluster.nodes.informer.store) / LEASE_SECONDS

    def _is_free(self, app: App) -> bool:
        """Whether no scenario uses it, and no person works on it."""
        return not app.flaw and app.key not in self._busy and self._hands_off.is_free(app)
