"""Tests of the controllers in one manager: flooded by 10,000 names, with one that fails, and with a late cache."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Callable
from typing import Any, Self

import msgspec
import pytest

from examples.replica_set_controller import add_replica_sets
from informerd import CachedKind, Controller, Manager, Object, Request, SharedInformer, WorkQueue
from informerd.controllers import crddemo
from informerd.controllers.crddemo import add_crddemo
from informerd.controllers.pod_operator import Settings, add_pod_operator
from informerd.controllers.tutorial import MAX_RETRIES, Tutorial
from informerd.record import queue as outbox
from informerd.resource import MYDEMOS
from informerd.testing import LiveCluster
from tests.support.cluster_terminal import Terminal
from tests.support.informerd.sample_manifests import mydemo, replica_set
from tests.support.program import ROOT
from tests.support.wait import eventually

JINGHZHUS = ROOT / "deploy" / "crd" / "jinghzhus.yaml"
FLOOD = [Request("flood", f"demo-{number}") for number in range(10_000)]
"""Of a namespace that is not there."""
Get = Callable[[CachedKind[Object], Request], Object | None]


class Lines(logging.Handler):
    """What a logger says, and nobody else is told."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._logger = logging.getLogger(name)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())

    def __enter__(self) -> Self:
        self._logger.addHandler(self)
        self._logger.setLevel(logging.INFO)
        self._logger.propagate = False
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.propagate = True
        self._logger.setLevel(logging.NOTSET)
        self._logger.removeHandler(self)


async def test_a_flood_of_10_000_names_is_worked_off_once_each(terminal: Terminal) -> None:
    beside = Request(terminal.namespace("beside-a-flood"), "alpha")
    with Lines("mydemo-controller") as lines:
        async with LiveCluster(terminal.config) as cluster:
            controller = add_crddemo(manager := Manager(cluster.client))
            async with cluster.run_controllers(manager):
                await cluster.wait_until_settled()
                lines.said.clear()
                for request in FLOOD * 2:
                    controller.requeue(request)
                await cluster.apply(_in(beside.namespace, mydemo(beside.name)))
                await cluster.wait_until_settled(within=60)
    synced = [line for line in lines.said if line.startswith("Successfully")]
    assert sorted(synced) == sorted(f"Successfully synced '{each}'" for each in [*FLOOD, beside])
    assert len([line for line in lines.said if line.startswith("[DemoCRD] Deleting mydemo: flood/")]) == len(FLOOD)
    assert controller.state().failed == ()


def add_silent_pod_operator(manager: Manager) -> Controller:
    return add_pod_operator(manager, Settings(namespace="flooded"), out=io.StringIO())


@pytest.mark.parametrize("add", [add_replica_sets, add_silent_pod_operator])
async def test_a_flood_of_names_that_are_not_there_is_worked_off_once_each_and_harms_nobody(
    terminal: Terminal, add: Callable[[Manager], Controller]
) -> None:
    terminal.kubectl("apply", "--validate=false", "--server-side=false", f"--filename={JINGHZHUS}")
    terminal.kubectl("wait", "--for=condition=Established", "crd/jinghzhus.jinghzhu.io")
    with Lines("replicaset-controller"):
        async with LiveCluster(terminal.config) as cluster:
            controller = add(manager := Manager(cluster.client))
            async with cluster.run_controllers(manager):
                await cluster.wait_until_settled()
                before = controller.state().reconciles.get("success", 0)
                for request in FLOOD * 2:
                    controller.requeue(request)
                await cluster.wait_until_settled(within=60)
                after = controller.state()
    assert after.reconciles["success"] - before == len(FLOOD)
    assert (after.failed, after.queue.depth) == ((), 0)


async def test_in_a_flood_no_object_goes_without_its_event(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "QUEUE_SIZE", 20)
    monkeypatch.setattr(crddemo, "BACKLOG", 10)
    namespace = terminal.namespace("events")
    async with LiveCluster(terminal.config) as cluster:
        await cluster.apply(*(_in(namespace, mydemo(f"demo-{number}")) for number in range(60)))
        add_crddemo(manager := Manager(cluster.client))
        async with cluster.run_controllers(manager):
            await cluster.wait_until_settled()
        events = manager.state().events
        assert (events.dropped, events.refused) == (0, 0)
        assert len(await cluster.dynamic.resource("events", namespace).list()) == 60


async def test_the_tutorial_controller_gives_a_poison_name_up_until_it_changes_and_works_off_the_flood(
    terminal: Terminal,
) -> None:
    poison, synced, tries = FLOOD[7].key, [], 0

    async def sync(key: str) -> None:
        nonlocal tries
        if key == poison:
            tries += 1
            raise OSError("poison")
        synced.append(key)

    def given_up(after: int) -> bool:
        return tries == after and not queue.num_requeues(poison)

    async with LiveCluster(terminal.config) as cluster:
        informer: SharedInformer[Object] = cluster.factory.informer(MYDEMOS, namespace=terminal.namespace("drowned"))
        queue: WorkQueue[str] = WorkQueue("flood")
        controller = Tutorial(informer, sync, queue=queue)
        cluster.factory.start()
        working = asyncio.create_task(controller.run(4))
        for request in FLOOD:
            queue.add(request.key)
        await eventually(lambda: given_up(1 + MAX_RETRIES), within=60)
        queue.add(poison)  # it has changed
        await eventually(lambda: given_up(2 * (1 + MAX_RETRIES)), within=60)
        working.cancel()  # which still lets it work off what waits
        await asyncio.wait([working])
    assert sorted(synced) == sorted(each.key for each in FLOOD if each.key != poison)


@pytest.mark.parametrize("add", [add_crddemo, add_replica_sets])
async def test_a_name_that_fails_is_tried_again_while_the_others_go_on(
    terminal: Terminal, add: Callable[[Manager], Controller], monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace = terminal.namespace(f"poisoned-{add.__name__.replace('_', '-')}")
    is_well = False

    def get(kind: CachedKind[Any], request: Request) -> Object | None:
        if (request.namespace, request.name) == (namespace, "poison") and not is_well:
            raise ValueError("cannot be looked at")
        return real_get(kind, request)

    real_get: Get = CachedKind.get
    monkeypatch.setattr(CachedKind, "get", get)
    sample = mydemo if add is add_crddemo else replica_set
    async with LiveCluster(terminal.config) as cluster:
        controller = add(manager := Manager(cluster.client))
        async with cluster.run_controllers(manager):
            await cluster.apply(*(_in(namespace, sample(name)) for name in ("alpha", "poison", "omega")))
            await cluster.wait_until_settled()
            (failed,) = controller.state().failed
            assert (failed.key, failed.error) == (f"{namespace}/poison", "ValueError: cannot be looked at")
            assert failed.retry_at is not None
            is_well = True
            await eventually(lambda: not controller.state().failed)


async def test_a_conflict_is_a_reason_to_look_again(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    namespace = terminal.namespace("late")
    late = {f"{namespace}/web"}

    def get(kind: CachedKind[Any], request: Request) -> Object | None:
        found = real_get(kind, request)
        if found is None or request.key not in late:
            return found
        late.discard(request.key)
        metadata = msgspec.structs.replace(found.metadata, resource_version="1")
        return msgspec.structs.replace(found, metadata=metadata)

    real_get: Get = CachedKind.get
    monkeypatch.setattr(CachedKind, "get", get)
    async with LiveCluster(terminal.config) as cluster:
        controller = add_replica_sets(manager := Manager(cluster.client))
        async with cluster.run_controllers(manager):
            await cluster.apply(_in(namespace, replica_set("web")))
            sets = cluster.dynamic.resource("replicasets", namespace)

            async def labelled() -> bool:
                return "hello" in (await sets.get("web"))["metadata"].get("labels", {})

            await eventually(labelled)
            await cluster.wait_until_settled()
        assert controller.state().reconciles["error"] == 1
    assert f"failed on {namespace}/web: Conflict: " in caplog.text


def _in(namespace: str, manifest: str) -> Any:
    obj = msgspec.json.decode(manifest)
    obj["metadata"]["namespace"] = namespace
    return obj
