"""Tests of DaemonSets: their pods on the nodes, and updates with and without a surge."""

from __future__ import annotations

import pytest

from tests.support.devcluster.workload_cluster import DAEMONS, NODES, POD_SPEC, PODS, World, is_ready, pod_owner

pytestmark = pytest.mark.slow


async def test_a_daemon_set_has_a_pod_on_each_node_and_a_drain_leaves_it(calm: World) -> None:
    calm.create(DAEMONS, pod_owner())
    workers = {node["metadata"]["name"] for node in calm.all(NODES) if not node["spec"].get("taints")}
    assert await calm.live(60, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == len(workers))
    assert {pod["spec"]["nodeName"] for pod in calm.pods("own")} == workers
    calm.patch(NODES, "", "worker-1", {"spec": {"unschedulable": True}})
    there = next(pod for pod in calm.pods("own") if pod["spec"]["nodeName"] == "worker-1")["metadata"]["name"]
    calm.delete(PODS, "default", there)
    assert await calm.live(
        60, lambda: len([p for p in calm.pods("own") if is_ready(p) and p["metadata"]["name"] != there]) == len(workers)
    )
    assert {pod["spec"]["nodeName"] for pod in calm.pods("own")} == workers, "it comes back to the cordoned node"


async def test_a_daemon_set_replaces_one_pod_at_a_time(calm: World) -> None:
    calm.create(DAEMONS, pod_owner())
    assert await calm.live(60, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == 5)
    container = [{"name": "c", "image": "i:2"}]
    calm.patch(DAEMONS, "default", "own", {"spec": {"template": {"spec": {"containers": container}}}})

    def is_done() -> bool:
        status = calm.one(DAEMONS, "default", "own")["status"]
        is_seen = status["observedGeneration"] == 2
        return bool(is_seen and status.get("updatedNumberScheduled") == status.get("numberAvailable") == 5)

    assert await calm.live(300, is_done)
    rolling = [each["status"] for each in calm.states(DAEMONS, "own") if each["status"].get("observedGeneration") == 2]
    assert min(status["numberReady"] for status in rolling) == 4
    assert calm.one(DAEMONS, "default", "own")["metadata"]["annotations"] == {
        "deprecated.daemonset.template.generation": "2"
    }


async def test_a_daemon_set_with_a_surge_misses_no_pod_while_it_rolls(calm: World) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    calm.create(DAEMONS, pod_owner(updateStrategy=rolling))
    assert await calm.live(60, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == 5)
    container = [{"name": "c", "image": "i:2"}]
    calm.patch(DAEMONS, "default", "own", {"spec": {"template": {"spec": {"containers": container}}}})
    numbers = set[int]()

    def is_done() -> bool:
        there = [pod for pod in calm.pods("own") if not pod["metadata"].get("deletionTimestamp")]
        numbers.add(len(there))
        assert len({pod["spec"]["nodeName"] for pod in there if is_ready(pod)}) == 5
        status = calm.one(DAEMONS, "default", "own")["status"]
        return bool(status["observedGeneration"] == 2 and status.get("updatedNumberScheduled") == 5)

    assert await calm.live(300, is_done)
    assert numbers == {5, 6}, "one new pod beside an old one at a time"
    rolled = [each["status"] for each in calm.states(DAEMONS, "own") if each["status"].get("observedGeneration") == 2]
    assert {status["numberReady"] for status in rolled} == {status["numberAvailable"] for status in rolled} == {5}
    assert await calm.live(60, lambda: len(calm.pods("own")) == 5)
    assert {pod["spec"]["containers"][0]["image"] for pod in calm.pods("own")} == {"i:2"}


async def test_a_surge_takes_the_place_of_pods_that_are_not_ready_at_once(calm: World) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "20%", "maxUnavailable": 0}}
    body = pod_owner(updateStrategy=rolling)
    body["spec"]["template"]["spec"] = {"containers": [{"name": "c", "image": "i:does-not-exist"}]}
    calm.create(DAEMONS, body)
    assert await calm.live(20, lambda: len(calm.pods("own")) == 5)
    calm.patch(DAEMONS, "default", "own", {"spec": {"template": {"spec": POD_SPEC}}})
    assert await calm.live(90, lambda: calm.one(DAEMONS, "default", "own")["status"]["numberReady"] == 5)
    assert await calm.live(60, lambda: len(calm.pods("own")) == 5)
