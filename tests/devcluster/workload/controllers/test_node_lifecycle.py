"""Tests of nodes that stop reporting and return, or run short of memory, and of their pods."""

from __future__ import annotations

import pytest

from devcluster.server.request_options import DeleteOptions
from devcluster.workload.demo.scenarios import incidents
from tests.support.devcluster.workload_cluster import LEASES, NODES, PODS, SETS, Json, World, condition, told

pytestmark = pytest.mark.slow


def silent_node(world: World) -> Json | None:
    return next((n for n in world.all(NODES) if condition(n, "Ready")["status"] == "Unknown"), None)


def pods_on(world: World, node: str) -> list[Json]:
    """Those of the teams' applications, whose patience ends after half a minute."""
    there = [pod for pod in world.all(PODS) if pod["spec"].get("nodeName") == node]
    theirs = [pod for pod in there if pod["metadata"]["labels"].get("tier") != "job"]
    return [pod for pod in theirs if pod["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"]


async def test_leases_are_renewed(calm: World) -> None:
    assert await calm.live(15, lambda: len(calm.all(LEASES)) == len(calm.all(NODES)))
    before = {lease["metadata"]["name"]: lease["spec"]["renewTime"] for lease in calm.all(LEASES)}
    await calm.live(12)
    assert all(before[lease["metadata"]["name"]] < lease["spec"]["renewTime"] for lease in calm.all(LEASES))


async def test_a_node_goes_away_loses_its_pods_and_comes_back() -> None:
    async with told(incidents.lost_node) as (world, task):
        assert await world.live(90, lambda: silent_node(world))
        node = silent_node(world)
        assert node is not None
        name = node["metadata"]["name"]
        assert {each["status"] for each in node["status"]["conditions"]} == {"Unknown"}
        ready = condition(node, "Ready")
        assert (ready["reason"], ready["message"]) == ("NodeStatusUnknown", "Kubelet stopped posting node status.")
        stayed = [pod["metadata"]["name"] for pod in pods_on(world, name)]
        await world.live(3)
        taints = {(t["key"], t["effect"]) for t in world.one(NODES, "", name)["spec"]["taints"]}
        assert taints == {("node.kubernetes.io/unreachable", each) for each in ("NoSchedule", "NoExecute")}
        assert ("node-controller", "NodeNotReady", f"Node {name} status is now: NodeNotReady") in world.said(name)
        lease = world.one(LEASES, "kube-node-lease", name)["spec"]["renewTime"]
        assert all(condition(pod, "Ready")["status"] == "False" for pod in pods_on(world, name))
        assert ("node-controller", "NodeNotReady", "Node is not ready") in world.said(stayed[0])
        assert await world.live(45, lambda: all("deletionTimestamp" in p["metadata"] for p in pods_on(world, name)))
        evicted = pods_on(world, name)
        assert evicted, "nobody there could end them"
        about = f"{evicted[0]['metadata']['namespace']}/{evicted[0]['metadata']['name']}"
        line = ("taint-eviction-controller", "TaintManagerEviction", f"Marking for deletion Pod {about}")
        assert line in world.said(evicted[0]["metadata"]["name"])
        assert world.one(LEASES, "kube-node-lease", name)["spec"]["renewTime"] == lease
        assert await world.live(120, task.done)
        back = world.one(NODES, "", name)
        assert condition(back, "Ready")["status"] == "True"
        assert await world.live(10, lambda: not world.one(NODES, "", name)["spec"].get("taints"))
        assert ("kubelet", "NodeReady", f"Node {name} status is now: NodeReady") in world.said(name)
        assert await world.live(20, lambda: not set(stayed) & {p["metadata"]["name"] for p in world.all(PODS)})
        sets = [each for each in world.all(SETS) if each["spec"]["replicas"]]
        short = [each["metadata"]["name"] for each in sets if each["status"]["replicas"] != each["spec"]["replicas"]]
        assert not short, "all that was evicted has been replaced"


async def test_pods_of_a_node_that_comes_back_in_time_are_ready_again(calm: World) -> None:
    agents, name = calm.casts[0].heartbeats, "worker-3"
    before = {pod["metadata"]["name"] for pod in pods_on(calm, name) if condition(pod, "Ready")["status"] == "True"}
    assert before

    def ready() -> set[str]:
        return {pod["metadata"]["name"] for pod in pods_on(calm, name) if condition(pod, "Ready")["status"] == "True"}

    agents.begin_silence(name)
    assert await calm.live(60, lambda: silent_node(calm) and not ready())
    agents.end_silence(name)
    assert await calm.live(20, lambda: before <= ready())


async def test_nothing_is_cancelled_for_pods_that_went_while_their_node_was_silent(calm: World) -> None:
    agents, name = calm.casts[0].heartbeats, "worker-3"
    agents.begin_silence(name)
    assert await calm.live(60, lambda: silent_node(calm))
    await calm.live(3)
    gone, *others = (pod["metadata"] for pod in pods_on(calm, name))
    kind = calm.core.kind(PODS)
    calm.core.deletion.delete(kind, gone["namespace"], gone["name"], DeleteOptions(grace_seconds=0))
    await calm.live(1)
    agents.end_silence(name)

    def cancelled(pod: Json) -> bool:
        return any("Cancelling deletion" in message for _, _, message in calm.said(pod["name"]))

    assert await calm.live(20, lambda: all(map(cancelled, others)))
    assert not cancelled(gone)


async def test_a_node_that_is_short_of_memory_evicts_pods_which_are_replaced() -> None:
    async with told(incidents.memory_pressure) as (world, task):
        assert await world.live(30, lambda: [p for p in world.all(PODS) if p["status"].get("reason") == "Evicted"])
        (pod, *_) = [p for p in world.all(PODS) if p["status"].get("reason") == "Evicted"]
        assert pod["status"]["phase"] == "Failed"
        assert pod["status"]["message"].startswith(
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: "
        )
        assert condition(pod, "DisruptionTarget")["reason"] == "TerminationByKubelet"
        name = pod["spec"]["nodeName"]
        await world.live(1)
        assert ("kubelet", "Evicted", pod["status"]["message"]) in world.said(pod["metadata"]["name"])
        assert ("kubelet", "EvictionThresholdMet", "Attempting to reclaim memory") in world.said(name)
        assert condition(world.one(NODES, "", name), "MemoryPressure")["status"] == "True"
        taints = {taint["key"] for taint in world.one(NODES, "", name)["spec"]["taints"]}
        assert taints == {"node.kubernetes.io/memory-pressure"}
        assert await world.live(120, task.done)
        assert condition(world.one(NODES, "", name), "MemoryPressure")["status"] == "False"
        assert "NodeHasSufficientMemory" in world.reasons(name)
        left = [p for p in world.all(PODS) if p["status"].get("reason") == "Evicted"]
        assert not left, "somebody has cleared them away"
        app = pod["metadata"]["labels"]["app"]
        (owner,) = [each for each in world.sets(app) if each["spec"]["replicas"]]
        assert await world.live(20, lambda: world.one(SETS, owner["metadata"]["namespace"], owner["metadata"]["name"])
                                ["status"].get("readyReplicas") == owner["spec"]["replicas"])  # fmt: skip


async def test_pods_of_a_node_that_was_deleted_go_elsewhere_after_a_while(calm: World) -> None:
    lost = {pod["metadata"]["name"] for pod in pods_on(calm, "worker-2")}
    assert lost
    calm.delete(NODES, "", "worker-2")
    await calm.live(30)
    assert lost <= {pod["metadata"]["name"] for pod in calm.all(PODS)}, "the node might come back"
    assert await calm.live(20, lambda: not lost & {pod["metadata"]["name"] for pod in calm.all(PODS)})
    assert await calm.live(
        20, lambda: not [s for s in calm.all(SETS) if s["status"]["replicas"] < s["spec"]["replicas"]]
    )


def on_node(name: str, node: str) -> Json:
    return {"metadata": {"name": name}, "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]}}


async def test_a_pod_on_a_node_that_does_not_exist_waits_and_is_taken_away(calm: World) -> None:
    calm.create(PODS, on_node("nowhere", "no-such-node"))
    await calm.live(30)
    there = calm.one(PODS, "default", "nowhere")
    assert there["status"]["phase"] == "Pending"
    assert "containerStatuses" not in there["status"]
    assert await calm.live(20, lambda: calm.get(PODS, "default", "nowhere") is None)
    last = next(state for state in reversed(calm.states(PODS, "nowhere")) if "status" in state)
    assert last["status"]["phase"] == "Failed"
    why = condition(last, "DisruptionTarget")
    assert (why["reason"], why["message"]) == ("DeletionByPodGC", "PodGC: node no longer exists")


@pytest.mark.long
async def test_a_pod_whose_node_comes_in_time_runs(calm: World) -> None:
    calm.create(PODS, on_node("early", "late-node"))
    await calm.live(20)
    calm.create(NODES, {"metadata": {"name": "late-node"}, "spec": {"podCIDR": "10.77.3.0/24"}}, "")
    assert await calm.live(10, lambda: calm.one(PODS, "default", "early")["status"]["phase"] == "Running")
    assert calm.one(PODS, "default", "early")["status"]["podIP"].startswith("10.77.3.")
    await calm.live(40)
    assert calm.one(PODS, "default", "early")["status"]["phase"] == "Running"
