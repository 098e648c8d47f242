"""Tests of ReplicaSets: replacement, scaling down, and adoption and release by labels."""

from __future__ import annotations

import pytest

from devcluster.server.printers.pod import pod_status
from devcluster.server.storage import object_codec as objects
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, PODS, SETS, World

pytestmark = pytest.mark.slow


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


def merge_labels(world: World, namespace: str, name: str, **labels: str | None) -> None:
    world.patch(PODS, namespace, name, {"metadata": {"labels": labels}})


async def test_a_pod_whose_labels_changed_is_let_go_and_replaced(calm: World) -> None:
    (freed, *others) = calm.pods("query")
    name, number = freed["metadata"]["name"], len(others) + 1
    merge_labels(calm, "search", name, app="looked-at")

    def replaced() -> bool:
        return len(calm.pods("query")) == number and all(pod_status(pod) == "Running" for pod in calm.pods("query"))

    assert await calm.live(40, replaced)
    left = calm.one(PODS, "search", name)
    assert "ownerReferences" not in left["metadata"], "nobody controls it"
    assert "deletionTimestamp" not in left["metadata"]
    assert pod_status(left) == "Running"


async def test_a_pod_that_matches_again_is_taken_back_and_one_too_many_goes(calm: World) -> None:
    (freed, *others) = calm.pods("query")
    name, number = freed["metadata"]["name"], len(others) + 1
    merge_labels(calm, "search", name, app="looked-at")
    assert await calm.live(40, lambda: len(calm.pods("query")) == number)
    new = ({pod["metadata"]["name"] for pod in calm.pods("query")} - {pod["metadata"]["name"] for pod in others}).pop()
    merge_labels(calm, "search", name, app="query")
    assert await calm.live(40, lambda: len(calm.pods("query")) == number)
    there = {pod["metadata"]["name"]: pod["metadata"] for pod in calm.pods("query")}
    assert all(meta["ownerReferences"][0]["controller"] for meta in there.values())
    assert new not in there, "of those that are alike the youngest goes"


async def test_a_pod_that_matches_and_is_nobodys_is_taken_over(calm: World) -> None:
    labels = {"app": "taken"}
    spec = {"containers": [{"name": "c", "image": "nginx:1.29.1"}]}
    calm.create(PODS, {"metadata": {"name": "early", "labels": labels}, "spec": spec})
    meta = next(each["metadata"] for each in calm.all("configmaps") if each["metadata"]["namespace"] == "default")
    foreign = {"apiVersion": "v1", "kind": "ConfigMap", "name": meta["name"], "uid": meta["uid"], "controller": True}
    theirs = {"name": "theirs", "labels": labels, "ownerReferences": [foreign]}
    calm.create(PODS, {"metadata": theirs, "spec": spec})
    body = {
        "replicas": 2,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec},
    }
    calm.create(SETS, {"metadata": {"name": "taken"}, "spec": body})

    def owned() -> list[str]:
        owner = calm.one(SETS, "default", "taken")["metadata"]["uid"]
        return [p["metadata"]["name"] for p in calm.pods("taken") if owner in str(p["metadata"].get("ownerReferences"))]

    assert await calm.live(10, lambda: len(owned()) == 2)
    assert "early" in owned()
    assert "theirs" not in owned()
    assert len(calm.pods("taken")) == 3
