"""The workload on a demo cluster in this process, its time turned by hand."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from devcluster.__main__ import workload_config
from devcluster.manifests import create_definitions
from devcluster.server import objects
from devcluster.server.core import Core
from devcluster.server.options import DeleteOptions, WriteOptions
from devcluster.server.patches import MERGE_PATCH
from devcluster.server.pod_words import pod_status
from devcluster.server.store import Change
from devcluster.serving import Serving
from devcluster.workload.mydemos import HANDS_OFF_SECONDS
from devcluster.workload.run import run_workload
from devcluster.workload.seed import seed
from devcluster.workload.teams import APPS, MYDEMOS, NODES
from tests.clock import FakeClock

Json = dict[str, Any]
PODS, EVENTS, DEPLOYMENTS, SETS = "pods", "events", "deployments.apps", "replicasets.apps"
JOBS, DEMOS = "jobs.batch", "mydemos.crddemo.k8s.io"


def seeded(clock: FakeClock, number: int = 3) -> Core:
    rng = random.Random(number)
    core = Core(now=clock.time, rng=rng)
    create_definitions(core)
    seed(core, rng)
    return core


class World:
    """A running demo cluster with its clock and everything that changed."""

    def __init__(self, core: Core, clock: FakeClock) -> None:
        self.core = core
        self.clock = clock
        self.changes: list[Change] = []
        for key in (PODS, EVENTS, DEPLOYMENTS, SETS, JOBS, DEMOS, "nodes"):
            core.store.listen(key, self.changes.append)

    def all(self, key: str) -> list[Json]:
        return [objects.decode(record) for record in self.core.store.records(key).values()]

    def get(self, key: str, namespace: str, name: str) -> Json | None:
        record = self.core.store.get(key, (namespace, name))
        return objects.decode(record) if record else None

    def pods(self, app: str) -> list[Json]:
        return [pod for pod in self.all(PODS) if pod["metadata"]["labels"].get("app") == app]

    def reasons(self, name: str) -> list[str]:
        """Reasons of the events about an object."""
        return [event["reason"] for event in self.all(EVENTS) if event["involvedObject"]["name"] == name]

    def patch(self, key: str, namespace: str, name: str, patch: Json) -> None:
        self.core.verbs.patch(self.core.kind(key), namespace, name, patch, MERGE_PATCH, WriteOptions())

    def delete(self, key: str, namespace: str, name: str) -> None:
        self.core.deletion.delete(self.core.kind(key), namespace, name, DeleteOptions())

    async def live(self, seconds: float, until: Callable[[], object] = lambda: False) -> bool:
        """Let so much time pass, or less where `until` holds before: whether it does.

        Requests take real time, so the clock is turned in small steps while the server works.
        """
        for _ in range(int(seconds * 4)):
            if until():
                return True
            await self.clock.advance(0.25)
            for _ in range(3):
                await asyncio.sleep(0.001)
        return bool(until())


@asynccontextmanager
async def running(*, directed: bool) -> AsyncIterator[World]:
    clock = FakeClock()
    core = seeded(clock)
    world = World(core, clock)
    async with Serving(core) as serving:
        workload = run_workload(workload_config(serving), rng=random.Random(5), clock=clock, directed=directed)
        tasks = [asyncio.create_task(workload), asyncio.create_task(core.garbage.run(interval=0.02))]
        try:
            yield world
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    assert not [task for task in tasks if not task.cancelled() and task.exception()]


@pytest.fixture
async def calm() -> AsyncIterator[World]:
    """Controllers without director: nothing happens by itself but crash loops."""
    async with running(directed=False) as world:
        await world.live(2)
        yield world


@pytest.fixture
async def lively() -> AsyncIterator[World]:
    async with running(directed=True) as world:
        yield world


def test_the_seed_is_a_believable_cluster() -> None:
    clock = FakeClock()
    world = World(seeded(clock), clock)
    pods = world.all(PODS)
    assert 60 <= len(pods) <= 90
    assert {pod["metadata"]["namespace"] for pod in pods} == {"shop", "payments", "search", "platform", "default"}
    assert 4 <= len(NODES) <= 6
    assert 6 <= len(MYDEMOS) <= 8
    words = Counter(pod_status(pod) for pod in pods)
    assert {"Running", "CrashLoopBackOff", "Pending", "ImagePullBackOff", "Completed"} <= set(words)
    assert words["Running"] > 0.8 * len(pods)
    ages = [pod["metadata"]["creationTimestamp"][:10] for pod in pods]
    assert len(set(ages)) > 8, "created on many days"
    assert any(status["restartCount"] for pod in pods for status in pod["status"].get("containerStatuses", ()))


def test_everything_seeded_has_its_owner() -> None:
    world = World(seeded(FakeClock()), FakeClock())
    before = world.core.store.revision
    world.core.garbage.collect()
    assert world.core.store.revision == before
    owners = {owner["kind"] for pod in world.all(PODS) for owner in pod["metadata"]["ownerReferences"]}
    assert owners == {"ReplicaSet", "Job"}


def test_the_same_seed_makes_the_same_cluster() -> None:
    def names(number: int) -> list[tuple[str, str]]:
        return sorted(record.key for record in seeded(FakeClock(), number).store.records(PODS).values())

    assert names(1) == names(1)
    assert names(1) != names(2)


async def test_it_is_calm_without_a_director(calm: World) -> None:
    calm.changes.clear()
    await calm.live(20)
    touched = {change.record.key[1].rsplit("-", 2)[0] for change in calm.changes if change.bucket == PODS}
    assert touched <= {"api", "checkout", "indexer", "synonyms"}, "only applications with a flaw"
    assert not [change for change in calm.changes if change.bucket == DEPLOYMENTS and change.operation != "MODIFIED"]


async def test_a_deleted_pod_is_replaced(calm: World) -> None:
    (victim, *_) = calm.pods("web")
    before = {pod["metadata"]["name"] for pod in calm.pods("web")}
    calm.delete(PODS, "shop", victim["metadata"]["name"])

    def replaced() -> bool:
        pods = calm.pods("web")
        return len(pods) == len(before) and all(pod_status(pod) == "Running" for pod in pods)

    assert await calm.live(40, replaced)
    (name,) = {pod["metadata"]["name"] for pod in calm.pods("web")} - before
    assert calm.reasons(name) == ["Scheduled", "Pulling", "Pulled", "Created", "Started"]
    assert "Killing" in calm.reasons(victim["metadata"]["name"])
    seen = [pod_status(objects.decode(change.record)) for change in calm.changes if change.record.key[1] == name]
    assert [word for i, word in enumerate(seen) if seen[i - 1 : i] != [word]] == [
        "Pending",
        "ContainerCreating",
        "Running",
    ]


async def test_a_rollout_replaces_every_pod_and_keeps_enough_ready(calm: World) -> None:
    container = calm.pods("cart")[0]["spec"]["containers"][0] | {"image": "registry.example.com/shop/cart:9.9.9"}
    calm.patch(DEPLOYMENTS, "shop", "cart", {"spec": {"template": {"spec": {"containers": [container]}}}})
    fewest = [4]

    def done() -> bool:
        deployment = calm.get(DEPLOYMENTS, "shop", "cart") or {}
        fewest.append(deployment["status"]["availableReplicas"])
        images = {pod["spec"]["containers"][0]["image"] for pod in calm.pods("cart")}
        return images == {container["image"]} and deployment["status"]["updatedReplicas"] == 4

    assert await calm.live(120, done)
    assert min(fewest) >= 3
    sets = [s for s in calm.all(SETS) if s["metadata"]["labels"]["app"] == "cart"]
    assert sorted(s["spec"]["replicas"] for s in sets) == [0, 4]
    assert calm.reasons("cart").count("ScalingReplicaSet") >= 8
    deployment = calm.get(DEPLOYMENTS, "shop", "cart") or {}
    assert {c["type"]: c["reason"] for c in deployment["status"]["conditions"]} == {
        "Available": "MinimumReplicasAvailable",
        "Progressing": "NewReplicaSetAvailable",
    }


async def test_scaling_down_deletes_pods(calm: World) -> None:
    calm.patch(DEPLOYMENTS, "shop", "web", {"spec": {"replicas": 2}})
    assert await calm.live(30, lambda: len(calm.pods("web")) == 2)


async def test_a_deployment_by_a_person_gets_pods(calm: World) -> None:
    labels = {"app": "mine"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    calm.core.create(calm.core.kind(DEPLOYMENTS), "default", {"metadata": {"name": "mine"}, "spec": spec})
    assert await calm.live(30, lambda: [pod_status(pod) for pod in calm.pods("mine")] == ["Running"] * 2)
    calm.delete(DEPLOYMENTS, "default", "mine")
    assert await calm.live(60, lambda: not calm.pods("mine"))
    assert not [s for s in calm.all(SETS) if s["metadata"]["labels"]["app"] == "mine"]


async def test_a_crash_loop_counts_its_restarts(calm: World) -> None:
    def looping() -> Json:
        return next(pod for pod in calm.pods("api") if pod["metadata"].get("annotations"))

    name = looping()["metadata"]["name"]
    first = looping()["status"]["containerStatuses"][0]["restartCount"]
    assert await calm.live(300, lambda: looping()["status"]["containerStatuses"][0]["restartCount"] >= first + 2)
    status = looping()["status"]["containerStatuses"][0]
    assert status["lastState"]["terminated"]["exitCode"] == 1
    assert "BackOff" in calm.reasons(name)
    words = {pod_status(objects.decode(c.record)) for c in calm.changes if c.record.key[1] == name}
    assert {"CrashLoopBackOff", "Running", "Error"} <= words


async def test_a_repeated_event_counts_up(calm: World) -> None:
    await calm.live(200)
    counts = [event["count"] for event in calm.all(EVENTS) if event["reason"] == "FailedScheduling"]
    assert max(counts) >= 2


async def test_jobs_end_and_go(calm: World) -> None:
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    spec = {"template": {"metadata": {"labels": {"app": "price-sync"}}, "spec": pod}}
    calm.core.create(calm.core.kind(JOBS), "shop", {"metadata": {"name": "run"}, "spec": spec})

    def complete() -> bool:
        job = calm.get(JOBS, "shop", "run")
        return job is not None and job["status"].get("succeeded") == 1

    assert await calm.live(60, complete)
    assert [pod_status(pod) for pod in calm.pods("price-sync") if "run" in pod["metadata"]["name"]] == ["Completed"]
    assert await calm.live(260, lambda: calm.get(JOBS, "shop", "run") is None)
    assert await calm.live(
        10, lambda: not [p for p in calm.pods("price-sync") if p["metadata"]["name"].startswith("run-")]
    )


async def test_a_mydemo_by_a_person_is_reconciled(calm: World) -> None:
    spec = {"ip": "10.1.1.1", "port": 1}
    body = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": "mine"}, "spec": spec}
    calm.core.create(calm.core.kind(DEMOS), "default", body)

    def ready() -> bool:
        found = calm.get(DEMOS, "default", "mine") or {}
        return (found.get("status") or {}).get("phase") == "Ready"

    assert await calm.live(10, ready)
    assert calm.reasons("mine") == ["Synced"]


async def test_leases_are_renewed(calm: World) -> None:
    key = "leases.coordination.k8s.io"
    assert await calm.live(15, lambda: len(calm.all(key)) == len(NODES))
    before = {lease["metadata"]["name"]: lease["spec"]["renewTime"] for lease in calm.all(key)}
    await calm.live(12)
    assert all(before[lease["metadata"]["name"]] < lease["spec"]["renewTime"] for lease in calm.all(key))


async def test_something_moves_all_the_time_and_nothing_grows(lively: World) -> None:
    await lively.live(10)
    lively.changes.clear()
    for _ in range(12):
        seen = len(lively.changes)
        await lively.live(10)
        assert len(lively.changes) > seen + 3, "ten seconds in which hardly anything moved"
    kinds = Counter(change.bucket for change in lively.changes)
    assert {PODS, EVENTS, SETS, DEPLOYMENTS, DEMOS} <= set(kinds)
    assert 55 <= len(lively.all(PODS)) <= 105
    operations = {change.operation for change in lively.changes if change.bucket == PODS}
    assert operations == {"ADDED", "MODIFIED", "DELETED"}
    assert sum(kinds.values()) / 120 < 12, "changes a second"


async def test_what_a_person_edited_is_left_alone(lively: World) -> None:
    await lively.live(3)
    for demo in MYDEMOS[:4]:
        lively.patch(DEMOS, demo.namespace, demo.name, {"spec": {"port": 4242}})
    await lively.live(HANDS_OFF_SECONDS - 30)
    for demo in MYDEMOS[:4]:
        found = lively.get(DEMOS, demo.namespace, demo.name)
        assert found is not None
        assert found["spec"]["port"] == 4242
    others = {change.record.key for change in lively.changes if change.bucket == DEMOS}
    assert len(others) > 4, "the others go on changing"


def test_applications_are_named_once() -> None:
    names = [(app.namespace, app.name) for app in APPS]
    assert len(names) == len(set(names))
