"""Tests of scenarios that play at the same time on several applications, and on one that somebody has deleted."""

from __future__ import annotations

import asyncio
import random

import pytest

from devcluster.workload.demo.director import Scenario
from devcluster.workload.demo.scaled_inventory import make_fleet
from devcluster.workload.demo.scenario_context import ScenarioContext, next_version, version_of
from devcluster.workload.demo.scenarios import incidents, releases
from devcluster.workload.demo_inventory import App
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, PODS, World, condition, running

pytestmark = pytest.mark.slow

PODS_OF_CLUSTER = 60


def stage(world: World, app: App, number: int = 1) -> ScenarioContext:
    return ScenarioContext(world.casts[0], make_fleet(PODS_OF_CLUSTER), random.Random(4), app, number)


def applications(count: int) -> list[App]:
    return [app for app in make_fleet(PODS_OF_CLUSTER).apps if app.replicas >= 2 and not app.flaw][:count]


async def test_stories_of_several_applications_end_as_they_should_and_the_bad_versions_have_gone() -> None:
    stories: dict[Scenario, int] = {
        releases.release: 1, releases.canary: 1, releases.crashing_release: 0, incidents.memory_leak: 2,
    }  # fmt: skip
    apps = dict(zip(stories, applications(len(stories)), strict=True))
    async with running(pods=PODS_OF_CLUSTER) as world:
        await world.live(1)
        tasks = [
            asyncio.ensure_future(story(stage(world, app, number))) for number, (story, app) in enumerate(apps.items())
        ]
        assert await world.live(400, lambda: all(task.done() for task in tasks)), "they come to their ends"
        assert [task.exception() for task in tasks] == [None] * len(tasks)
        for story, steps in stories.items():
            expected, app = apps[story].image, apps[story]
            for _ in range(steps):
                expected = next_version(expected)
            found = world.one(DEPLOYMENTS, app.namespace, app.name)
            assert found["spec"]["template"]["spec"]["containers"][0]["image"] == expected
            assert condition(found, "Available")["status"] == "True"
        canary = apps[releases.canary]
        told = world.states(DEPLOYMENTS, f"{canary.name}-canary")
        assert told[0]["spec"]["template"]["spec"]["containers"][0]["image"] == next_version(canary.image)
        assert await world.live(10, lambda: not world.pods(f"{canary.name}-canary")), (
            "it goes when all have its version"
        )
        for story, reason in ((releases.crashing_release, "CrashLoopBackOff"), (incidents.memory_leak, "OOMKilled")):
            name = apps[story].name
            assert reason in str([c.record.raw for c in world.changes if c.bucket == PODS and name in c.record.key[1]])
        leak = apps[incidents.memory_leak]
        causes = [each["metadata"]["annotations"] for each in world.states(DEPLOYMENTS, leak.name)]
        last = version_of(next_version(next_version(leak.image)))
        assert causes[-1]["kubernetes.io/change-cause"] == f"release {last}: mend the leak"


async def test_there_is_no_story_of_an_application_that_somebody_has_deleted() -> None:
    stories = (releases.release, releases.canary, releases.crashing_release, incidents.memory_leak)
    (app,) = applications(1)
    async with running(pods=PODS_OF_CLUSTER) as world:
        await world.live(1)
        world.delete(DEPLOYMENTS, app.namespace, app.name)
        assert await world.live(10, lambda: world.get(DEPLOYMENTS, app.namespace, app.name) is None)
        await world.live(1)
        world.changes.clear()
        for story in stories:
            await story(stage(world, app))
        assert [change.record.key for change in world.changes if change.bucket == DEPLOYMENTS] == []
