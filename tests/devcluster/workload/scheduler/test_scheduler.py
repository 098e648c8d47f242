"""Tests of the scheduler: the placement of pods, and kube-scheduler's messages (recorded from 1.37.1) for the rest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.devcluster.workload_cluster import NODES, PODS, Json, World


def pod(requests: Json | None = None, **spec: Any) -> Json:
    container = {"name": "c", "image": "nginx:1.29.1", "resources": {"requests": requests or {}}}
    return {"metadata": {"name": "stray"}, "spec": {"containers": [container], **spec}}


HELP = "preemption: 0/6 nodes are available:"
REFUSED = {
    "cpu": (pod({"cpu": "1k"}), f"5 Insufficient cpu. {HELP} 6 Preemption is not helpful for scheduling."),
    "both": (
        pod({"cpu": "1k", "memory": "900Gi"}),
        f"5 Insufficient cpu, 5 Insufficient memory. {HELP} 6 Preemption is not helpful for scheduling.",
    ),
    "selector": (
        pod(nodeSelector={"disk": "ssd"}),
        f"5 node(s) didn't match Pod's node affinity/selector. {HELP} 6 Preemption is not helpful for scheduling.",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("body", "why"), REFUSED.values(), ids=REFUSED.keys())
async def test_a_pod_that_fits_nowhere_is_told_why(calm: World, body: Json, why: str) -> None:
    calm.create(PODS, body)
    assert await calm.live(5, lambda: calm.said("stray"))
    said = f"0/6 nodes are available: 1 node(s) had untolerated taint(s), {why}"
    assert calm.said("stray") == [("default-scheduler", "FailedScheduling", said)]
    (condition,) = calm.one(PODS, "default", "stray")["status"]["conditions"]
    assert (condition["reason"], condition["message"]) == ("Unschedulable", said)


async def test_another_reason_to_wait_is_no_transition(calm: World) -> None:
    calm.create(PODS, pod(nodeSelector={"disk": "ssd"}))
    assert await calm.live(5, lambda: calm.said("stray"))
    (before,) = calm.one(PODS, "default", "stray")["status"]["conditions"]
    calm.clock.skip(60)
    calm.patch(NODES, "", "worker-2", {"metadata": {"labels": {"disk": "ssd"}}, "spec": {"unschedulable": True}})
    assert await calm.live(5, lambda: len(calm.said("stray")) > 1)
    (after,) = calm.one(PODS, "default", "stray")["status"]["conditions"]
    assert after["message"] != before["message"]
    assert after["lastTransitionTime"] == before["lastTransitionTime"]


@pytest.mark.slow
async def test_it_goes_to_a_node_as_soon_as_one_fits(calm: World) -> None:
    calm.create(PODS, pod(nodeSelector={"disk": "ssd"}))
    await calm.live(2)
    calm.patch(NODES, "", "worker-2", {"metadata": {"labels": {"disk": "ssd"}}})

    def placed() -> bool:
        return bool(calm.one(PODS, "default", "stray")["spec"].get("nodeName") == "worker-2")

    assert await calm.live(5, placed)
    await calm.live(0.5)
    line = ("default-scheduler", "Scheduled", "Successfully assigned default/stray to worker-2")
    assert line in calm.said("stray")


@pytest.mark.slow
async def test_a_cordoned_node_gets_none(calm: World) -> None:
    for number in range(1, 6):
        calm.patch(NODES, "", f"worker-{number}", {"spec": {"unschedulable": True}})
    await calm.live(1)
    calm.create(PODS, pod())
    assert await calm.live(5, lambda: calm.said("stray"))
    (_, _, message) = calm.said("stray")[0]
    assert message.startswith(
        "0/6 nodes are available: 1 node(s) had untolerated taint(s), 5 node(s) were unschedulable."
    )
    calm.patch(NODES, "", "worker-1", {"spec": {"unschedulable": None}})
    assert await calm.live(5, lambda: calm.one(PODS, "default", "stray")["spec"].get("nodeName") == "worker-1")
