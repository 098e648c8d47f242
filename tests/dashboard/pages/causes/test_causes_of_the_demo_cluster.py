"""Tests of causes on runs of the demo cluster: its own troubles, and what people and nodes do to it."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.causes.shown_causes import Cause, Causes
from tests.support.causes_of_objects import FOLLOWED, causes_of, changed, words_of
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, World, condition, deployment, running

pytestmark = [pytest.mark.slow, pytest.mark.long]


def causes_in(world: World, *changes: Any) -> Causes:
    return causes_of({key: world.all(key) for key in FOLLOWED}, world.clock, changes)


def cause_of(causes: Causes, name: str) -> Cause:
    (found,) = (each for each in causes.shown if each.subject is not None and each.subject.name == name)
    return found


async def test_a_dozen_cards_stand_where_every_problem_had_a_line() -> None:
    lines = 0
    async with running(rate=5.0) as world:
        for _ in range(6):
            await world.live(60)
            causes = causes_in(world)
            assert causes.cause_count <= 12, words_of(causes)
            assert sum(cause.count for cause in causes.shown) == causes.total
            assert causes.groups == ()
            lines = max(lines, causes.total)
    assert lines > 40, "there were problems"


async def test_an_image_that_cannot_be_pulled_is_one_card_with_what_somebody_changed() -> None:
    async with running() as world:
        world.create(DEPLOYMENTS, deployment("mine", 3, progressDeadlineSeconds=20))
        assert await world.live(60, lambda: condition(world.one(DEPLOYMENTS, "default", "mine"), "Available"))
        await world.live(30)
        image = {"name": "c", "image": "nginx:broken"}
        before = world.one(DEPLOYMENTS, "default", "mine")
        world.patch(DEPLOYMENTS, "default", "mine", {"spec": {"template": {"spec": {"containers": [image]}}}})
        change = changed([before, world.one(DEPLOYMENTS, "default", "mine")], DEPLOYMENTS, world.clock.time())
        await world.live(60)
        cause = cause_of(causes_in(world, *change), "mine")
    assert (cause.key.rule, cause.words) == ("owner", "1 pod cannot pull image nginx:broken")
    assert {line.kind.key for line in cause.lines} >= {"deployments.apps", "pods", "events"}
    assert cause.change is not None
    assert "nginx:1.29.1 → nginx:broken" in cause.change.words


async def test_a_program_that_crashes_is_one_card() -> None:
    async with running() as world:
        made = deployment("crashing", 2)
        made["spec"]["template"]["metadata"]["annotations"] = {"demo.deltaboard/behaviour": "crash"}
        world.create(DEPLOYMENTS, made)
        await world.live(120)
        cause = cause_of(causes_in(world), "crashing")
    assert cause.words.startswith("2 pods in a crash loop: c exited")
    assert {line.kind.key for line in cause.lines} >= {"pods", "events"}


async def test_a_node_that_falls_silent_has_its_pods_as_soon_as_it_has_a_card() -> None:
    async with running(rate=0.0) as world:
        await world.live(5)
        ready = [pod for pod in world.all("pods") if pod["spec"].get("nodeName") == "worker-2"
                 and condition(pod, "Ready").get("status") == "True"]  # fmt: skip
        world.casts[0].heartbeats.begin_silence("worker-2")
        found: list[Cause] = []

        def has_card() -> bool:
            found[:] = [cause for cause in causes_in(world).shown if cause.key.rule == "node"]
            return bool(found)

        assert await world.live(90, has_card)
    assert len(ready) > 10
    silent = "not ready: Kubelet stopped posting node status"
    assert found[0].words == f"{silent}; {len(ready)} pods of it unhealthy since"
