"""Tests of the Pod operator's reconciler, with a clock that the test controls."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from informerd.clients.resource_client import ResourceClient
from informerd.controllers import jinghzhu_reconciler
from informerd.controllers.jinghzhu_reconciler import JINGHZHUS, Removal
from informerd.controllers.pod_operator import Settings, add_pod_operator
from informerd.manager.manager import Manager
from informerd.testing import FakeClock, LiveCluster, eventually
from informerd.unstructured import Json
from tests.support import restartable_api_servers as clusters

SETTLE = 3.0


@pytest.fixture
async def cluster() -> AsyncIterator[LiveCluster]:
    """The demo cluster's server in this process."""
    server = clusters.DemoCluster()
    await server.start_again()
    async with LiveCluster(server.config) as cluster:
        yield cluster
    await server.kill()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@asynccontextmanager
async def operating(cluster: LiveCluster, clock: FakeClock) -> AsyncIterator[Manager]:
    manager = Manager(cluster.client, factory=cluster.factory, clock=clock)
    add_pod_operator(manager, Settings(namespace="default"), out=io.StringIO(), clock=clock)
    async with cluster.run_controllers(manager):
        await cluster.wait_until_settled()
        yield manager


def pod(name: str, owner: str = "demo") -> Json:
    meta: Json = {"name": name, "namespace": "default", "labels": {"crd": owner}}
    spec = {"containers": [{"name": "main", "image": "nginx:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def jinghzhu(*pods: str, name: str = "demo", namespace: str = "default") -> Json:
    spec = {"desired": len(pods), "current": len(pods), "podList": [*pods]}
    head = {"apiVersion": "jinghzhu.io/v1", "kind": "Jinghzhu", "metadata": {"name": name, "namespace": namespace}}
    return {**head, "spec": spec, "status": {"state": "Running", "message": "as wanted"}}


def jinghzhus(cluster: LiveCluster, namespace: str = "default") -> ResourceClient[Json]:
    return cluster.dynamic.resource(JINGHZHUS, namespace)


async def listed(cluster: LiveCluster, name: str = "demo", namespace: str = "default") -> tuple[list[str], int, str]:
    found = await jinghzhus(cluster, namespace).get(name)
    return found["spec"]["podList"], found["spec"]["current"], found["status"]["message"]


async def end(cluster: LiveCluster, *names: str) -> None:
    """Have pods go at once, and the operator know it."""
    for name in names:
        await cluster.dynamic.resource("pods", "default").delete(name, grace_period=0)
    await cluster.wait_until_settled()


async def pass_by(cluster: LiveCluster, clock: FakeClock, seconds: float) -> None:
    await clock.advance(seconds)
    await cluster.wait_until_settled()


async def test_a_pod_that_went_is_taken_off_after_three_seconds(cluster: LiveCluster, clock: FakeClock) -> None:
    await cluster.apply(pod("a"), pod("b"), jinghzhu("a", "b"))
    async with operating(cluster, clock):
        await end(cluster, "a")
        await pass_by(cluster, clock, SETTLE - 0.1)
        assert await listed(cluster) == (["a", "b"], 2, "as wanted")
        await pass_by(cluster, clock, 0.1)
        assert await listed(cluster) == (["b"], 1, "Need to do HA")


async def test_who_takes_a_pod_away_on_purpose_takes_it_off_the_list_and_nothing_more_is_done(
    cluster: LiveCluster, clock: FakeClock
) -> None:
    await cluster.apply(pod("a"), pod("b"), jinghzhu("a", "b"))
    async with operating(cluster, clock):
        await end(cluster, "a")
        await jinghzhus(cluster).patch("demo", {"spec": {"podList": ["b"], "current": 1, "desired": 1}})
        await cluster.wait_until_settled()
        await pass_by(cluster, clock, 10)
        assert await listed(cluster) == (["b"], 1, "as wanted")


@pytest.mark.slow
async def test_pods_that_go_one_after_the_other_are_each_counted_once(cluster: LiveCluster, clock: FakeClock) -> None:
    await cluster.apply(*(pod(name) for name in "abcd"), jinghzhu(*"abcd"))
    async with operating(cluster, clock):
        await end(cluster, "a", "b")
        await pass_by(cluster, clock, 2)
        await end(cluster, "c")
        await pass_by(cluster, clock, 1)
        assert await listed(cluster) == (["c", "d"], 2, "Need to do HA")
        await pass_by(cluster, clock, 2)
        assert await listed(cluster) == (["d"], 1, "Need to do HA")


@pytest.mark.slow
async def test_pods_that_went_while_nobody_watched_are_taken_off_at_the_start(
    cluster: LiveCluster, clock: FakeClock
) -> None:
    await cluster.apply(pod("b"), jinghzhu("a", "b", "c"))
    async with operating(cluster, clock):
        await pass_by(cluster, clock, SETTLE)
        assert await listed(cluster) == (["b"], 1, "Need to do HA")
    before = await jinghzhus(cluster).get("demo")
    async with operating(cluster, clock):
        await pass_by(cluster, clock, SETTLE)
    assert await jinghzhus(cluster).get("demo") == before  # a second start has nothing to do


async def test_pods_that_a_new_jinghzhu_names_before_they_are_there_are_left_on_its_list(
    cluster: LiveCluster, clock: FakeClock
) -> None:
    async with operating(cluster, clock):
        await cluster.apply(jinghzhu("a"))
        await cluster.wait_until_settled()
        await pass_by(cluster, clock, 60)
        assert await listed(cluster) == (["a"], 1, "as wanted")


@pytest.mark.slow
async def test_a_pod_that_went_before_its_name_was_listed_is_taken_off_then(
    cluster: LiveCluster, clock: FakeClock
) -> None:
    await cluster.apply(pod("a"), jinghzhu())
    async with operating(cluster, clock):
        await end(cluster, "a")
        await pass_by(cluster, clock, 10)
        await jinghzhus(cluster).patch("demo", {"spec": {"podList": ["a"], "current": 1}})
        await cluster.wait_until_settled()
        assert await listed(cluster) == ([], 0, "Need to do HA")


@pytest.mark.slow
async def test_however_many_go_none_that_is_listed_is_forgotten_and_of_the_others_only_the_new_are_known(
    cluster: LiveCluster, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jinghzhu_reconciler, "MAX_MISSING_PODS", 2)
    names = [f"p{number}" for number in range(8)]
    await cluster.apply(*(pod(name) for name in names), jinghzhu(*names[:6]))
    async with operating(cluster, clock):
        await end(cluster, "p6")
        await pass_by(cluster, clock, 601)
        await end(cluster, *names[:6], "p7")
        await pass_by(cluster, clock, SETTLE)
        assert await listed(cluster) == ([], 0, "Need to do HA")
        await jinghzhus(cluster).patch("demo", {"spec": {"podList": ["p6", "p7"], "current": 2}})
        await cluster.wait_until_settled()
        assert await listed(cluster) == (["p6"], 1, "Need to do HA")


@pytest.mark.slow
async def test_a_pod_that_is_there_again_under_its_name_stays_on_the_list(
    cluster: LiveCluster, clock: FakeClock
) -> None:
    await cluster.apply(pod("a"), jinghzhu("a"))
    async with operating(cluster, clock):
        await end(cluster, "a")
        await cluster.apply(pod("a"))
        await cluster.wait_until_settled()
        await pass_by(cluster, clock, 10)
        assert await listed(cluster) == (["a"], 1, "as wanted")


@pytest.mark.parametrize("owner", ["", "other"])
async def test_a_pod_whose_label_names_another_is_nobodys_business(
    cluster: LiveCluster, clock: FakeClock, owner: str
) -> None:
    await cluster.apply(pod("a", owner), jinghzhu("a"))
    async with operating(cluster, clock):
        await end(cluster, "a")
        await pass_by(cluster, clock, 10)
        assert await listed(cluster) == (["a"], 1, "as wanted")


async def test_jinghzhus_may_be_in_any_namespace(cluster: LiveCluster, clock: FakeClock) -> None:
    await cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "crd"}})
    await cluster.apply(pod("a"), jinghzhu("a", namespace="crd"))
    async with operating(cluster, clock):
        await end(cluster, "a")
        await pass_by(cluster, clock, SETTLE)
        assert await listed(cluster, namespace="crd") == ([], 0, "Need to do HA")


async def test_what_somebody_else_writes_at_the_same_time_stays(
    cluster: LiveCluster, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cluster.apply(pod("a"), jinghzhu("a", "b"))
    patch = ResourceClient.patch
    rivals: list[Json] = [{"spec": {"desired": 7}}, {"status": {"state": "Failed"}}]

    async def late_patch(self: ResourceClient[Any], *arguments: Any, **options: Any) -> Any:
        if rivals:
            await patch(jinghzhus(cluster), "demo", rivals.pop(0))
        return await patch(self, *arguments, **options)

    monkeypatch.setattr(ResourceClient, "patch", late_patch)
    async with operating(cluster, clock):
        await clock.advance(SETTLE)

        async def written() -> bool:
            await clock.advance(0.1)  # between the tries that come too late
            return (await listed(cluster))[2] == "Need to do HA"

        await eventually(written)
    assert rivals == []
    found = await jinghzhus(cluster).get("demo")
    assert found["spec"] == {"desired": 7, "current": 1, "podList": ["a"]}
    assert found["status"] == {"state": "Failed", "message": "Need to do HA"}


@pytest.mark.slow
async def test_a_write_that_fails_is_tried_again_after_100_ms_and_then_later_and_later_up_to_5_s(
    cluster: LiveCluster, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cluster.apply(pod("a"), jinghzhu("a", "b"))

    async def refuse(self: ResourceClient[Any], *arguments: Any, **options: Any) -> Any:
        raise OSError("the disk is full")

    monkeypatch.setattr(ResourceClient, "patch", refuse)
    waits = []
    async with operating(cluster, clock) as manager:
        await pass_by(cluster, clock, SETTLE)
        queue = manager.controllers[0].queue
        for expected in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0):
            await eventually(lambda: queue.state().delayed == 1)
            waits.append(expected)
            before = manager.controllers[0].counters.outcomes.total()
            await clock.advance(expected - 0.01)
            assert manager.controllers[0].counters.outcomes.total() == before, waits
            await clock.advance(0.01)
            await eventually(lambda: manager.controllers[0].counters.outcomes.total() > before)  # noqa: B023
        monkeypatch.undo()
        await pass_by(cluster, clock, 5)
        assert await listed(cluster) == (["a"], 1, "Need to do HA")


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ({"podList": ["a", "b"], "current": 2}, {"podList": ["b"], "current": 1}),
        ({"podList": ["a", "b", "a"], "current": 3}, {"podList": ["b"], "current": 1}),
        ({"podList": ["a"], "current": 0}, {"podList": [], "current": 0}),
        ({"podList": ["a"]}, {"podList": [], "current": 0}),
        ({"podList": ["a"], "current": None}, {"podList": [], "current": 0}),
    ],
)
def test_the_count_goes_down_by_what_is_taken_off_and_never_below_zero(spec: Json, left: Json) -> None:
    manifest: Json = {"spec": spec}
    Removal({"a"})(manifest)
    assert manifest == {"spec": left, "status": {"message": "Need to do HA"}}


@pytest.mark.parametrize("manifest", [{}, {"spec": None}, {"spec": {"podList": None}}, {"spec": {"podList": ["b"]}}])
def test_where_nothing_is_listed_nothing_is_changed(manifest: Json) -> None:
    before = repr(manifest)
    Removal({"a"})(manifest)
    assert repr(manifest) == before


async def test_whom_somebody_else_takes_off_on_purpose_at_the_last_moment_is_no_reason_for_the_message(
    cluster: LiveCluster, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cluster.apply(pod("a"), jinghzhu("a", "b"))
    patch = ResourceClient.patch
    rivals: list[Json] = [{"spec": {"podList": ["a"], "current": 1, "desired": 1}}]

    async def late_patch(self: ResourceClient[Any], *arguments: Any, **options: Any) -> Any:
        if rivals:
            await patch(jinghzhus(cluster), "demo", rivals.pop(0))
        return await patch(self, *arguments, **options)

    monkeypatch.setattr(ResourceClient, "patch", late_patch)
    async with operating(cluster, clock):
        await pass_by(cluster, clock, 0)
        await clock.advance(SETTLE)
        await eventually(lambda: not rivals)
        await clock.wait_for_sleeper(below=0.1)
        await pass_by(cluster, clock, 1)
        assert await listed(cluster) == (["a"], 1, "as wanted")
