"""Tests of the director: constant changes, no growth, no changes to people's objects, and repeatable runs by seed."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from devcluster.workload.controllers.mydemos import HANDS_OFF_SECONDS
from devcluster.workload.demo.director import Scenario
from devcluster.workload.demo.scaled_inventory import make_fleet
from devcluster.workload.demo.scenario_context import ScenarioContext, change_template, next_version
from devcluster.workload.demo.scenarios import incidents, releases, rush_hours_and_jobs
from devcluster.workload.demo.user_changed_apps import APP_HANDS_OFF_SECONDS
from devcluster.workload.demo_inventory import APPS, MYDEMOS
from informerd.errors import AlreadyExists
from tests.support.devcluster.workload_cluster import (  # fmt: skip
    DEMOS,
    DEPLOYMENTS,
    EVENTS,
    JOBS,
    PODS,
    SETS,
    Json,
    condition,
    deployment,
    running,
    told,
)
from tests.support.long_tests import long_but

pytestmark = pytest.mark.slow


async def test_something_moves_all_the_time_and_nothing_grows() -> None:
    async with running(rate=5.0) as world:
        await world.live(10)
        world.changes.clear()
        for _ in range(12):
            seen = len(world.changes)
            await world.live(10)
            assert len(world.changes) > seen + 3, "ten seconds in which hardly anything moved"
        kinds = Counter(change.bucket for change in world.changes)
        assert {PODS, EVENTS, SETS, DEPLOYMENTS, DEMOS} <= set(kinds)
        assert 95 <= len(world.all(PODS)) <= 145
        operations = {change.operation for change in world.changes if change.bucket == PODS}
        assert operations == {"ADDED", "MODIFIED", "DELETED"}
        assert 3 < sum(kinds.values()) / 120 < 8, "changes a second"
        started = [job for job in world.all(JOBS) if "-29000" in job["metadata"]["name"]]
        assert started
        assert all(job["metadata"]["ownerReferences"][0]["kind"] == "CronJob" for job in started)


async def test_at_rate_0_nothing_happens_to_what_is_well() -> None:
    async with running(rate=0.0, pods=60) as world:
        await world.live(2)
        world.changes.clear()
        await world.live(30)
        touched = {change.record.key[1].rsplit("-", 2)[0] for change in world.changes if change.bucket == PODS}
        assert touched <= {"api-preview", "embeddings", "synonyms", "reports"}


@pytest.mark.long
async def test_the_same_seed_tells_the_same_stories_about_the_same_objects() -> None:
    async def names(number: int) -> dict[str, set[tuple[str, str]]]:
        async with running(rate=5.0, pods=60, number=number) as world:
            await world.live(45)
            return {key: {c.record.key for c in world.changes if c.bucket == key} for key in (PODS, SETS, JOBS)}

    first, second, other = await names(1), await names(1), await names(2)
    assert first == second
    assert first[PODS] != other[PODS]


async def test_mydemos_are_given_their_status_and_people_s_changes_are_left_alone() -> None:
    async with running(rate=20.0, pods=40) as world:
        await world.live(1)
        before = [world.one(DEMOS, demo.namespace, demo.name)["status"]["conditions"] for demo in MYDEMOS[3:6]]
        for demo in MYDEMOS[3:6]:
            world.patch(DEMOS, demo.namespace, demo.name, {"spec": {"port": 4242}})
        await world.live(HANDS_OFF_SECONDS / 10)
        for demo, (ready,) in zip(MYDEMOS[3:6], before, strict=True):
            found = world.one(DEMOS, demo.namespace, demo.name)
            assert found["spec"]["port"] == 4242
            generation = found["metadata"]["generation"]
            assert found["status"]["observedGeneration"] == generation > 1
            assert found["status"]["conditions"] == [{**ready, "observedGeneration": generation}], "it was ready before"
        others = {change.record.key for change in world.changes if change.bucket == DEMOS}
        assert len(others) > 3, "the others go on changing"
        about = [event for event in world.all(EVENTS) if event["involvedObject"]["kind"] == "Mydemo"]
        assert not about, "that is crddemo's to say"


@pytest.mark.long
async def test_mydemos_that_belong_to_no_team_are_people_s() -> None:
    async with running(rate=20.0, pods=40) as world:
        await world.live(30)
        changed = {change.record.key[0] for change in world.changes if change.bucket == DEMOS}
        assert len(changed) > 2, "those of the teams change"
        assert "default" not in changed


async def test_a_deployment_that_a_person_changed_is_left_alone() -> None:
    async with running(rate=5.0) as world:
        await world.live(1)
        for app in APPS:
            world.patch(DEPLOYMENTS, app.namespace, app.name, {"spec": {"revisionHistoryLimit": 7}})
        await world.live(APP_HANDS_OFF_SECONDS / 8)
        changed = {
            app.key for app in APPS if world.one(DEPLOYMENTS, app.namespace, app.name)["metadata"]["generation"] > 2
        }
        assert not changed


USUAL = next(app.replicas for app in make_fleet(120).apps if app.key == "shop/web")
STORIES: dict[str, tuple[Scenario, list[str]]] = {
    "release": (releases.release, ["2.31.1"]),
    "canary": (releases.canary, ["2.31.1"]),
    "paused": (releases.paused_release, ["2.31.1"]),
    "missing image": (releases.missing_image, ["2.31.0"]),
    "crashing": (releases.crashing_release, ["2.31.0"]),
    "leak": (incidents.memory_leak, ["2.31.2"]),
    "fits nowhere": (incidents.unschedulable_pods, ["2.31.0"]),
    "too large": (incidents.oversized_request, ["2.31.0"]),
    "rush hour": (rush_hours_and_jobs.rush_hour, ["2.31.0"]),
}
REASONS = {
    "missing image": {"ErrImagePull", "ImagePullBackOff"}, "crashing": {"CrashLoopBackOff"}, "leak": {"OOMKilled"},
}  # fmt: skip


@pytest.mark.parametrize("name", long_but(STORIES, "missing image", "rush hour"))
async def test_a_story_ends_as_it_should(name: str) -> None:
    story, versions = STORIES[name]
    async with told(story) as (world, task):
        assert await world.live(400, task.done), "it comes to its end"
        assert task.exception() is None
        found = world.one(DEPLOYMENTS, "shop", "web")
        assert found["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[2] in versions
        assert await world.live(30, lambda: len(world.pods("web")) == found["spec"]["replicas"] == USUAL)
        assert await world.live(10, lambda: not world.pods("web-canary"))
        assert condition(world.one(DEPLOYMENTS, "shop", "web"), "Available")["status"] == "True"
        words = str([change.record.raw for change in world.changes if change.bucket == PODS])
        assert all(reason in words for reason in REASONS.get(name, ()))
        if versions == ["2.31.0"] and name != "rush hour":
            revisions = found["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
            assert revisions == "5", "one forward, one back"


async def test_a_story_ends_where_a_person_changes_its_application() -> None:
    async with told(rush_hours_and_jobs.rush_hour) as (world, task):
        assert await world.live(30, lambda: world.one(DEPLOYMENTS, "shop", "web")["spec"]["replicas"] > USUAL)
        world.patch(DEPLOYMENTS, "shop", "web", {"spec": {"replicas": 4}})
        assert await world.live(240, task.done)
        await world.live(1)
        assert world.one(DEPLOYMENTS, "shop", "web")["spec"]["replicas"] == 4, "not what was usual"


async def test_a_canary_does_not_touch_a_deployment_that_somebody_has_under_its_name() -> None:
    async with running(pods=60) as world:
        world.create(DEPLOYMENTS, deployment("web-canary"), "shop")
        await world.live(1)
        app = make_fleet(60).app("shop/web")
        assert app is not None
        stage = ScenarioContext(world.casts[0], make_fleet(60), random.Random(4), app, 1)
        task = asyncio.ensure_future(releases.canary(stage))
        assert await world.live(200, task.done)
        assert isinstance(task.exception(), AlreadyExists), "there is no story"
        assert world.one(DEPLOYMENTS, "shop", "web-canary")["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    ("story", "reason"),
    [(rush_hours_and_jobs.failing_job, "BackoffLimitExceeded"), (rush_hours_and_jobs.late_job, "DeadlineExceeded")],
)
async def test_a_job_story_ends_in_its_failure(story: Scenario, reason: str) -> None:
    async with told(story) as (world, task):
        assert await world.live(120, task.done)
        await world.live(1)
        assert reason in {event["reason"] for event in world.all(EVENTS)}


def test_versions_go_up() -> None:
    assert next_version("r/web:1.2.3") == "r/web:1.2.4"
    assert next_version("r/web:1.2.19") == "r/web:1.3.0"
    assert next_version("r/web:latest") == "r/web:1.0.0"


def test_a_changed_template_leaves_the_old_one_as_it_was() -> None:
    old: Json = {
        "metadata": {"labels": {"a": "b"}, "annotations": {"x": "y"}},
        "spec": {"containers": [{"image": "a:1.0.0"}]},
    }
    new = change_template(old, "a:1.0.1", {}, "1Gi")
    assert new["metadata"] == {"labels": {"a": "b"}}
    assert new["spec"]["containers"][0]["resources"]["limits"] == {"memory": "1Gi"}
    assert old["spec"]["containers"] == [{"image": "a:1.0.0"}]
