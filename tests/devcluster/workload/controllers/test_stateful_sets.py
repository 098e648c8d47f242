"""Tests of StatefulSets: their pods, the order, and the events."""

from __future__ import annotations

import pytest

from tests.support.devcluster.workload_cluster import PODS, STATEFUL, World, is_ready, pod_owner

pytestmark = pytest.mark.slow


def numbered(world: World) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in world.pods("own"))


async def test_pods_of_a_stateful_set_come_in_order_and_go_in_the_other(calm: World) -> None:
    calm.create(STATEFUL, pod_owner(replicas=3, serviceName="own"))
    assert await calm.live(90, lambda: calm.one(STATEFUL, "default", "own")["status"].get("readyReplicas") == 3)
    created = [message for _, reason, message in calm.said("own") if reason == "SuccessfulCreate"]
    assert created == [f"create Pod own-{number} in StatefulSet own successful" for number in range(3)]
    times = [calm.states(PODS, f"own-{number}")[0]["metadata"]["resourceVersion"] for number in range(3)]
    readied = [
        next(s for s in calm.states(PODS, f"own-{n}") if is_ready(s))["metadata"]["resourceVersion"] for n in (0, 1)
    ]
    assert int(times[1]) > int(readied[0])
    assert int(times[2]) > int(readied[1])
    assert calm.one(PODS, "default", "own-1")["spec"]["hostname"] == "own-1"
    calm.patch(STATEFUL, "default", "own", {"spec": {"replicas": 1}})
    assert await calm.live(90, lambda: numbered(calm) == ["own-0"])
    gone = [message for _, reason, message in calm.said("own") if reason == "SuccessfulDelete"]
    assert gone == [f"delete Pod own-{number} in StatefulSet own successful" for number in (2, 1)]


async def test_a_new_template_of_a_stateful_set_begins_with_the_last_pod_and_ends_at_the_partition(calm: World) -> None:
    calm.create(STATEFUL, pod_owner(replicas=2))
    assert await calm.live(60, lambda: calm.one(STATEFUL, "default", "own")["status"].get("readyReplicas") == 2)
    before = calm.one(STATEFUL, "default", "own")["status"]
    assert before["currentRevision"] == before["updateRevision"]
    container = [{"name": "c", "image": "i:2"}]
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    change = {"template": {"spec": {"containers": container}}, "updateStrategy": rolling}
    calm.patch(STATEFUL, "default", "own", {"spec": change})
    assert await calm.live(60, lambda: calm.one(STATEFUL, "default", "own")["status"].get("updatedReplicas") == 1)
    calm.delete(PODS, "default", "own-0")
    assert await calm.live(60, lambda: calm.one(STATEFUL, "default", "own")["status"].get("readyReplicas") == 2)
    images = [calm.one(PODS, "default", name)["spec"]["containers"][0]["image"] for name in ("own-0", "own-1")]
    assert images == ["i:1", "i:2"], "what is below the partition stays of the old one"
    calm.patch(STATEFUL, "default", "own", {"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})
    new = before["updateRevision"]

    def is_done() -> bool:
        status = calm.one(STATEFUL, "default", "own")["status"]
        return bool(status["currentRevision"] == status["updateRevision"] != new and status["readyReplicas"] == 2)

    assert await calm.live(60, is_done)
