"""Tests of LiveCluster and DemoCluster, used as their users use them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from informerd import (
    MYDEMOS,
    PODS,
    Controller,
    InvalidCall,
    KindSource,
    NotFound,
    NotInTime,
    Object,
    Request,
    Result,
    load_kubeconfig,
)
from informerd.testing import DemoCluster, FakeClock, LiveCluster, run_ready_tasks
from tests.support import restartable_api_servers as clusters

MYDEMO = """
apiVersion: crddemo.k8s.io/v1
kind: Mydemo
metadata: {name: web}
spec: {ip: 10.0.0.1, port: 80}
"""


@asynccontextmanager
async def demo_cluster() -> AsyncIterator[LiveCluster]:
    """The demo cluster's server in this process, which starts sooner."""
    server = clusters.DemoCluster()
    await server.start_again()
    async with LiveCluster(server.config) as cluster:
        yield cluster
    await server.kill()


@pytest.fixture
async def cluster() -> AsyncIterator[LiveCluster]:
    async with demo_cluster() as cluster:
        yield cluster


@pytest.fixture(params=["demo", pytest.param("real", marks=pytest.mark.controlplane)])
async def any_cluster(request: pytest.FixtureRequest) -> AsyncIterator[LiveCluster]:
    if request.param == "demo":
        async with demo_cluster() as cluster:
            yield cluster
    else:
        controlplane = request.getfixturevalue("controlplane")
        async with LiveCluster(load_kubeconfig(controlplane.kubeconfig)) as cluster:
            yield cluster


@pytest.mark.program
async def test_a_controller_is_tested_in_ten_lines_with_an_hour_in_no_time() -> None:
    clock, seen = FakeClock(), []

    async def reconcile(request: Request) -> Result:
        seen.append(request.key)
        return Result(requeue_after=3600)

    async with DemoCluster() as cluster:
        mydemos = KindSource(cluster.factory.informer(MYDEMOS))
        async with cluster.run_controllers(Controller("hourly", reconcile, sources=[mydemos], clock=clock)):
            await cluster.apply(MYDEMO)
            await cluster.wait_until_settled()
            assert seen == ["default/web"]
            await clock.advance(3600)
            await cluster.wait_until_settled()
    assert seen == ["default/web", "default/web"]


async def test_settled_waits_for_what_a_controller_writes_and_does_about_that(any_cluster: LiveCluster) -> None:
    """Each map makes the next one, up to e."""
    cluster = any_cluster
    maps = cluster.dynamic.resource("configmaps", "chain")
    await cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "chain"}})

    async def reconcile(request: Request) -> None:
        following = chr(ord(request.name) + 1) if request.name in "abcd" else ""
        if following and informer.store.get(f"chain/{following}") is None:
            await maps.create({"metadata": {"name": following}})

    informer = await cluster.factory.informer_for("configmaps", Object, namespace="chain")
    async with cluster.run_controllers(Controller("chain", reconcile, sources=[KindSource(informer)])):
        await maps.create({"metadata": {"name": "a"}})
        await cluster.wait_until_settled()
        assert [*"abcde"] == sorted(each.metadata.name for each in informer.store if len(each.metadata.name) == 1)
        await maps.delete("e")
        await cluster.wait_until_settled()
        assert informer.store.get("chain/e") is None
        await maps.patch("d", {"data": {"x": "y"}})
        await cluster.wait_until_settled()
        assert informer.lister.get("d", "chain").full()["data"] == {"x": "y"}
        assert informer.store.get("chain/e")


async def test_settled_says_what_is_still_going_on(cluster: LiveCluster) -> None:
    going_on = asyncio.Event()

    async def reconcile(request: Request) -> None:
        await going_on.wait()

    async with cluster.run_controllers(stuck := Controller("stuck", reconcile)):
        stuck.requeue(Request("default", "web"))
        with pytest.raises(NotInTime, match=r"not settled within 0.1 s: the controller stuck has been at default/web"):
            await cluster.wait_until_settled(within=0.1)
        going_on.set()
        await cluster.wait_until_settled()


async def test_manifests_are_dicts_texts_and_files_and_bring_their_status(cluster: LiveCluster, tmp_path: Path) -> None:
    file = tmp_path / "pods.yaml"
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: [{name: main, image: nginx}]}}"
    file.write_text(f"{pod % 'a'}\n---\n{pod % 'b'}\n")
    written = await cluster.apply(file, MYDEMO, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}})
    assert [each["kind"] for each in written] == ["Pod", "Pod", "Mydemo", "Namespace"]
    (pod_a,) = await cluster.apply(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Running"}}
    )
    assert (pod_a["status"]["phase"], pod_a["spec"]["containers"][0]["name"]) == ("Running", "main")


async def test_a_definition_is_served_when_it_has_been_applied(cluster: LiveCluster) -> None:
    await cluster.apply(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.sea.io"},
            "spec": {
                "group": "sea.io",
                "names": {"plural": "ships", "kind": "Ship"},
                "scope": "Cluster",
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": {"type": "object"}},
                    }
                ],
            },
        },
        {"apiVersion": "sea.io/v1", "kind": "Ship", "metadata": {"name": "argo"}},
    )
    assert (await cluster.dynamic.resource("ships").get("argo"))["kind"] == "Ship"


async def test_what_is_no_manifest_is_refused_with_what_to_do(cluster: LiveCluster) -> None:
    with pytest.raises(InvalidCall, match=r"'web.yaml', which is not an object: give a Path for a file"):
        await cluster.apply("web.yaml")
    with pytest.raises(InvalidCall, match="is not YAML"):
        await cluster.apply("{a: [")
    with pytest.raises(InvalidCall, match="apiVersion and kind"):
        await cluster.apply({"metadata": {"name": "web"}})


@pytest.mark.program
async def test_the_demo_cluster_is_empty_and_gone_afterwards() -> None:
    async with DemoCluster() as cluster:
        process = cluster._process
        assert process.is_running
        assert (await cluster.dynamic.resource("pods").list()).items == []
        with pytest.raises(NotFound):
            await cluster.dynamic.resource("mydemos", "default").get("web")
    assert not process.is_running


async def test_what_a_controller_raises_is_raised_in_the_test(cluster: LiveCluster) -> None:
    async def reconcile(request: Request) -> None: ...

    stranger = cluster.factory.informer(PODS)
    await stranger.close()
    with pytest.raises(Exception, match="the informer of pods has stopped"):
        async with cluster.run_controllers(Controller("late", reconcile, sources=[KindSource(stranger)])):
            await run_ready_tasks()
