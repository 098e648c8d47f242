"""ReplicaSets: pods that go are replaced, and too many are taken away."""

from __future__ import annotations

from devcluster.server import objects
from devcluster.server.pod_words import pod_status
from tests.devcluster.workload.world import DEPLOYMENTS, PODS, World


async def test_it_is_calm_without_a_director(calm: World) -> None:
    calm.changes.clear()
    await calm.live(20)
    touched = {change.record.key[1].rsplit("-", 2)[0] for change in calm.changes if change.bucket == PODS}
    assert touched <= {"api-preview", "embeddings", "synonyms", "reports"}, "only applications with a flaw"


async def test_a_deleted_pod_is_replaced(calm: World) -> None:
    (victim, *_) = calm.pods("web")
    before = {pod["metadata"]["name"] for pod in calm.pods("web")}
    calm.delete(PODS, "shop", victim["metadata"]["name"])

    def replaced() -> bool:
        pods = calm.pods("web")
        return len(pods) == len(before) and all(pod_status(pod) == "Running" for pod in pods)

    assert await calm.live(40, replaced)
    (name,) = {pod["metadata"]["name"] for pod in calm.pods("web")} - before
    image = victim["spec"]["containers"][0]["image"]
    reasons = calm.reasons(name)
    assert reasons in (
        ["Scheduled", "Pulling", "Pulled", "Created", "Started"], ["Scheduled", "Pulled", "Created", "Started"],
    ), image  # fmt: skip
    assert ("kubelet", "Killing", "Stopping container web") in calm.said(victim["metadata"]["name"])
    owner = victim["metadata"]["ownerReferences"][0]["name"]
    assert ("replicaset-controller", "SuccessfulCreate", f"Created pod: {name}") in calm.said(owner)
    seen = [pod_status(objects.decode(change.record)) for change in calm.changes if change.record.key[1] == name]
    words = [word for i, word in enumerate(seen) if seen[i - 1 : i] != [word]]
    assert words == ["Pending", "ContainerCreating", "Running"]


async def test_scaling_down_takes_those_that_do_not_run_first(calm: World) -> None:
    broken = calm.pods("query")[0]
    ready = next(each for each in broken["status"]["conditions"] if each["type"] == "Ready")
    conditions = [each for each in broken["status"]["conditions"] if each is not ready] + [{**ready, "status": "False"}]
    status = {"status": {"conditions": conditions}}
    calm.patch(PODS, "search", broken["metadata"]["name"], status, subresource="status")
    before = len(calm.pods("query"))
    calm.patch(DEPLOYMENTS, "search", "query", {"spec": {"replicas": before - 1}})
    assert await calm.live(30, lambda: len(calm.pods("query")) == before - 1)
    assert broken["metadata"]["name"] not in {pod["metadata"]["name"] for pod in calm.pods("query")}
