"""Workload on a demo cluster in this process, with a clock that the test controls."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from devcluster.__main__ import workload_config
from devcluster.crds import create_crds
from devcluster.demo_server import DemoServer
from devcluster.server.api_server_core import ApiServer
from devcluster.server.patch.patch_types import JSON_PATCH, MERGE_PATCH
from devcluster.server.request_options import DeleteOptions, WriteOptions
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.store import Change
from devcluster.workload.demo.director import Scenario
from devcluster.workload.demo.scaled_inventory import make_fleet
from devcluster.workload.demo.scenario_context import Components, ScenarioContext
from devcluster.workload.random_source import RandomSource
from devcluster.workload.run import run_workload
from devcluster.workload.seed.seed import fill_cluster
from tests.support.clock import FakeClock

Json = dict[str, Any]
PODS, EVENTS, DEPLOYMENTS, SETS = "pods", "events", "deployments.apps", "replicasets.apps"
JOBS, DEMOS, NODES, LEASES = "jobs.batch", "mydemos.crddemo.k8s.io", "nodes", "leases.coordination.k8s.io"
STATEFUL, DAEMONS, CRONS = "statefulsets.apps", "daemonsets.apps", "cronjobs.batch"
KINDS = (PODS, EVENTS, DEPLOYMENTS, SETS, JOBS, DEMOS, NODES, STATEFUL, DAEMONS, CRONS)
POD_SPEC: Json = {"containers": [{"name": "c", "image": "i:1"}]}
STEP = 0.5
QUIET = 4
"""Number of looks in a row without a change after which the cluster counts as at rest."""


def seeded(clock: FakeClock, number: int = 3, pods: int = 120) -> ApiServer:
    core = ApiServer(now=clock.time, rng=random.Random(number))
    create_crds(core)
    fill_cluster(core, make_fleet(pods), RandomSource(number))
    return core


class World:
    """A running demo cluster with its clock and everything that changed."""

    def __init__(self, core: ApiServer, clock: FakeClock) -> None:
        self.core = core
        self.clock = clock
        self.changes: list[Change] = []
        self.casts: list[Components] = []
        self.serving: DemoServer | None = None
        for key in KINDS:
            core.store.listen(key, self.changes.append)

    def all(self, key: str) -> list[Json]:
        return [objects.decode(record) for record in self.core.store.records(key).values()]

    def get(self, key: str, namespace: str, name: str) -> Json | None:
        record = self.core.store.get(key, (namespace, name))
        return objects.decode(record) if record else None

    def one(self, key: str, namespace: str, name: str) -> Json:
        found = self.get(key, namespace, name)
        assert found is not None
        return found

    def pods(self, app: str) -> list[Json]:
        return [pod for pod in self.all(PODS) if (pod["metadata"].get("labels") or {}).get("app") == app]

    def sets(self, app: str) -> list[Json]:
        return [each for each in self.all(SETS) if (each["metadata"].get("labels") or {}).get("app") == app]

    def said(self, name: str) -> list[tuple[str, str, str]]:
        """Source, reason and message of the events about an object, in the order in which they came."""
        return [(e["source"]["component"], e["reason"], e["message"]) for e in self.events(name)]

    def reasons(self, name: str) -> list[str]:
        return [event["reason"] for event in self.events(name)]

    def events(self, name: str) -> list[Json]:
        return [event for event in self.all(EVENTS) if event["involvedObject"]["name"] == name]

    def states(self, key: str, name: str) -> list[Json]:
        """What an object was like after each of its changes."""
        mine = [c for c in self.changes if c.bucket == key and c.record.key[1] == name]
        return [objects.decode(change.record) for change in mine]

    def create(self, key: str, obj: Json, namespace: str = "default") -> None:
        self.core.create(self.core.kind(key), namespace, obj)

    def patch(self, key: str, namespace: str, name: str, patch: Json, *, subresource: str = "") -> None:
        kind = self.core.kind(key)
        self.core.verbs.patch(kind, namespace, name, patch, MERGE_PATCH, WriteOptions(), subresource)

    def put_at(self, key: str, namespace: str, name: str, path: str, value: object) -> None:
        """Replace a part of an object, named by its JSON pointer."""
        steps = [{"op": "add", "path": path, "value": value}]
        self.core.verbs.patch(self.core.kind(key), namespace, name, steps, JSON_PATCH, WriteOptions())

    def delete(self, key: str, namespace: str, name: str) -> None:
        self.core.deletion.delete(self.core.kind(key), namespace, name, DeleteOptions())

    async def live(self, seconds: float, until: Callable[[], object] = lambda: False) -> bool:
        """Let `seconds` pass, or less where `until` holds before. Returns whether it holds.

        Requests take real time, so the clock is turned in small steps, and after each the server works until it rests.
        """
        for _ in range(int(seconds / STEP)):
            if until():
                return True
            await self.clock.advance(STEP)
            await self._rest()
        return bool(until())

    async def _rest(self) -> None:
        quiet = 0
        while quiet < QUIET:
            before = self.core.store.revision
            await asyncio.sleep(0.0005)
            quiet = quiet + 1 if self.core.store.revision == before else 0


@asynccontextmanager
async def running(*, rate: float = 0.0, pods: int = 120, number: int = 3) -> AsyncIterator[World]:
    clock = FakeClock()
    core = seeded(clock, number, pods)
    world = World(core, clock)
    async with DemoServer(core, linger=0.0) as serving:  # it counts in real time
        world.serving = serving
        workload = run_workload(
            workload_config(serving),
            make_fleet(pods),
            RandomSource(number),
            rate=rate,
            clock=clock,
            on_start=world.casts.append,
        )
        tasks = [asyncio.create_task(workload), asyncio.create_task(core.garbage_collector.run(interval=0.02))]
        try:
            yield world
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    assert not [task for task in tasks if not task.cancelled() and task.exception()]


@asynccontextmanager
async def told(story: Scenario) -> AsyncIterator[tuple[World, asyncio.Task[None]]]:
    """A cluster without background changes in which one scenario plays on the application shop/web."""
    async with running() as world:
        await world.live(1)
        ships = make_fleet(120)
        app = ships.app("shop/web")
        assert app is not None
        task = asyncio.ensure_future(story(ScenarioContext(world.casts[0], ships, random.Random(4), app, 1)))
        yield world, task
        task.cancel()


def deployment(name: str, replicas: int = 2, image: str = "nginx:1.29.1", **spec: Any) -> Json:
    """A Deployment as a person would apply it."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": image}]}}
    body = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template, **spec}
    return {"metadata": {"name": name}, "spec": body}


def condition(obj: Json, kind: str) -> Json:
    return next((each for each in obj.get("status", {}).get("conditions", ()) if each["type"] == kind), {})


def pod_owner(**spec: object) -> Json:
    """A StatefulSet or DaemonSet named own."""
    labels = {"app": "own"}
    template = {"metadata": {"labels": labels}, "spec": POD_SPEC}
    return {"metadata": {"name": "own"}, "spec": {"selector": {"matchLabels": labels}, "template": template, **spec}}


def is_ready(pod: Json) -> bool:
    return condition(pod, "Ready").get("status") == "True"
