"""Tests of Deployments, people's and the demo's: rolled out, scaled, paused, recreated, stuck, and rolled back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from devcluster.kubeconfig import write_kubeconfig
from devcluster.server.printers.pod import pod_status
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage import object_codec as objects
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, SETS, Json, World, condition, deployment
from tests.support.kubectl import KubectlSide, kubectl_binary

pytestmark = pytest.mark.slow


def status(world: World, name: str) -> Json:
    found: Json = world.one(DEPLOYMENTS, "default", name)["status"]
    return found


def images(world: World) -> set[str]:
    return {pod["spec"]["containers"][0]["image"] for pod in world.pods("mine")}


def change_image(world: World, name: str, image: str) -> None:
    path = "/spec/template/spec/containers/0/image"
    world.put_at(DEPLOYMENTS, "default", name, path, image)


def is_done(world: World, name: str) -> bool:
    found = world.one(DEPLOYMENTS, "default", name)
    seen = found["status"].get("observedGeneration") == found["metadata"]["generation"]
    counts = {found["status"].get(key, 0) for key in ("replicas", "updatedReplicas", "availableReplicas")}
    return seen and counts == {found["spec"]["replicas"]}


async def deployed(world: World, replicas: int = 4, **spec: Any) -> None:
    world.create(DEPLOYMENTS, deployment("mine", replicas, **spec))
    assert await world.live(30, lambda: is_done(world, "mine"))
    world.changes.clear()


async def test_one_by_a_person_gets_pods_and_takes_them_along(calm: World) -> None:
    await deployed(calm, 2)
    assert [pod_status(pod) for pod in calm.pods("mine")] == ["Running"] * 2
    calm.delete(DEPLOYMENTS, "default", "mine")
    assert await calm.live(60, lambda: not calm.pods("mine"))
    assert not calm.sets("mine")


ROLLINGS = {
    "a quarter": ({}, 3, 5),
    "surge only": ({"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}, 4, 6),
    "no surge": ({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "50%"}}, 2, 4),
}


@pytest.mark.parametrize(("strategy", "fewest", "most"), ROLLINGS.values(), ids=ROLLINGS.keys())
async def test_a_rollout_keeps_to_its_bounds(calm: World, strategy: Json, fewest: int, most: int) -> None:
    await deployed(calm, 4, strategy={"type": "RollingUpdate", **strategy})
    before = calm.sets("mine")[0]["metadata"]["name"]
    change_image(calm, "mine", "nginx:1.29.2")
    assert await calm.live(90, lambda: is_done(calm, "mine"))
    states = calm.states(DEPLOYMENTS, "mine")
    assert min(state["status"].get("availableReplicas", 0) for state in states) >= fewest
    asked: dict[str, int] = {each["metadata"]["name"]: 0 for each in calm.sets("mine")} | {before: 4}
    totals = []
    for change in calm.changes:
        if change.bucket == SETS and change.record.key[1] in asked:
            asked[change.record.key[1]] = objects.decode(change.record)["spec"]["replicas"]
            totals.append(sum(asked.values()))
    assert max(totals) <= most
    assert await calm.live(10, lambda: images(calm) == {"nginx:1.29.2"})
    assert sorted(each["spec"]["replicas"] for each in calm.sets("mine")) == [0, 4]
    assert condition(calm.one(DEPLOYMENTS, "default", "mine"), "Progressing")["reason"] == "NewReplicaSetAvailable"


async def test_recreate_waits_until_no_old_pod_is_left(calm: World) -> None:
    await deployed(calm, 3, strategy={"type": "Recreate"})
    change_image(calm, "mine", "nginx:1.29.2")
    assert await calm.live(60, lambda: is_done(calm, "mine"))
    assert images(calm) == {"nginx:1.29.2"}
    events = [message for _, reason, message in calm.said("mine") if reason == "ScalingReplicaSet"]
    assert [message.split()[1] for message in events] == ["up", "down", "up"]
    assert 0 in {state["status"].get("replicas", 0) for state in calm.states(DEPLOYMENTS, "mine")}


async def test_a_stuck_rollout_times_out_and_is_rolled_back_to_the_revision_before(calm: World) -> None:
    await deployed(calm, 4, progressDeadlineSeconds=20)
    before = calm.one(DEPLOYMENTS, "default", "mine")
    change_image(calm, "mine", "registry.example.com/mine:broken")

    def stuck() -> bool:
        return condition(calm.one(DEPLOYMENTS, "default", "mine"), "Progressing").get("status") == "False"

    assert await calm.live(60, stuck)
    (fresh,) = [each for each in calm.sets("mine") if each["metadata"]["annotations"][REVISION] == "2"]
    found = condition(calm.one(DEPLOYMENTS, "default", "mine"), "Progressing")
    assert found["reason"] == "ProgressDeadlineExceeded"
    assert found["message"] == f'ReplicaSet "{fresh["metadata"]["name"]}" has timed out progressing.'
    assert status(calm, "mine")["availableReplicas"] >= 3
    assert "ImagePullBackOff" in {pod_status(pod) for pod in calm.pods("mine")}
    calm.put_at(DEPLOYMENTS, "default", "mine", "/spec/template", before["spec"]["template"])  # kubectl rollout undo
    assert await calm.live(40, lambda: is_done(calm, "mine"))
    revisions = {each["metadata"]["annotations"][REVISION]: each["spec"]["replicas"] for each in calm.sets("mine")}
    assert revisions == {"2": 0, "3": 4}, "the first revision has become the third"
    assert calm.one(DEPLOYMENTS, "default", "mine")["metadata"]["annotations"][REVISION] == "3"
    assert condition(calm.one(DEPLOYMENTS, "default", "mine"), "Progressing")["reason"] == "NewReplicaSetAvailable"


REVISION = "deployment.kubernetes.io/revision"


@pytest.mark.program
@pytest.mark.skipif(kubectl_binary() is None, reason="needs kubectl: name its folder in KUBEBUILDER_ASSETS")
async def test_kubectl_rolls_back_and_waits(calm: World, tmp_path: Path) -> None:
    await deployed(calm, 2)
    change_image(calm, "mine", "nginx:1.29.2")
    assert await calm.live(60, lambda: is_done(calm, "mine"))
    serving, kubeconfig = calm.serving, tmp_path / "kubeconfig"
    assert serving is not None
    write_kubeconfig(kubeconfig, server=serving.url, authority=serving.authority, token=serving.token)
    kubectl = KubectlSide(str(kubectl_binary()), kubeconfig, tmp_path / "cache", "default")
    said = await asyncio.to_thread(kubectl.run, "rollout undo deployment/mine")
    assert said == "deployment.apps/mine rolled back\n"
    assert await calm.live(60, lambda: is_done(calm, "mine"))
    assert await calm.live(10, lambda: images(calm) == {"nginx:1.29.1"})
    said = await asyncio.to_thread(kubectl.run, "rollout status deployment/mine")
    assert said == 'deployment "mine" successfully rolled out\n'
    said = await asyncio.to_thread(kubectl.run, "rollout history deployment/mine")
    assert [line.split()[0] for line in said.splitlines()[2:] if line] == ["2", "3"]


async def test_a_paused_one_is_scaled_but_not_rolled_out(calm: World) -> None:
    await deployed(calm, 2)
    calm.patch(DEPLOYMENTS, "default", "mine", {"spec": {"paused": True}})
    change_image(calm, "mine", "nginx:1.29.2")
    calm.patch(DEPLOYMENTS, "default", "mine", {"spec": {"replicas": 3}})
    assert await calm.live(20, lambda: len(calm.pods("mine")) == 3)
    await calm.live(3)
    assert images(calm) == {"nginx:1.29.1"}
    assert condition(calm.one(DEPLOYMENTS, "default", "mine"), "Progressing")["message"] == "Deployment is paused"
    calm.patch(DEPLOYMENTS, "default", "mine", {"spec": {"paused": None}})
    assert await calm.live(60, lambda: is_done(calm, "mine"))
    assert await calm.live(10, lambda: images(calm) == {"nginx:1.29.2"})


async def test_old_revisions_are_kept_as_many_as_asked_for(calm: World) -> None:
    await deployed(calm, 1, revisionHistoryLimit=1)
    for number in (2, 3, 4):
        change_image(calm, "mine", f"nginx:1.29.{number}")
        assert await calm.live(40, lambda: is_done(calm, "mine"))
    assert await calm.live(5, lambda: len(calm.sets("mine")) == 2)


async def test_one_made_again_takes_over_what_its_deletion_left_as_orphans(calm: World) -> None:
    await deployed(calm, 2)
    before = {pod["metadata"]["name"] for pod in calm.pods("mine")}
    kind = calm.core.kind(DEPLOYMENTS)
    calm.core.deletion.delete(kind, "default", "mine", DeleteOptions(propagation_policy="Orphan"))
    assert await calm.live(5, lambda: calm.get(DEPLOYMENTS, "default", "mine") is None)
    await deployed(calm, 2)
    assert {pod["metadata"]["name"] for pod in calm.pods("mine")} == before
