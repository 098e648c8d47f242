"""Tests of Jobs: progress and end, with the real reasons."""

from __future__ import annotations

from typing import Any

import pytest

from devcluster.server.printers.pod import pod_status
from tests.support.devcluster.workload_cluster import JOBS, PODS, Json, World

pytestmark = pytest.mark.slow


def job(annotations: Json | None = None, **spec: Any) -> Json:
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    template = {"metadata": {"labels": {"app": "run"}, "annotations": annotations or {}}, "spec": pod}
    return {"metadata": {"name": "run"}, "spec": {"template": template, **spec}}


def ended(world: World) -> bool:
    found = world.one(JOBS, "default", "run")
    return any(each["type"] in ("Complete", "Failed") for each in found["status"].get("conditions", ()))


async def test_completions_are_reached_with_so_many_at_a_time(calm: World) -> None:
    calm.create(JOBS, job(completions=5, parallelism=2, ttlSecondsAfterFinished=30))
    assert await calm.live(90, lambda: ended(calm))
    states = calm.states(JOBS, "run")
    assert max(state["status"].get("active", 0) for state in states) == 2
    status = calm.one(JOBS, "default", "run")["status"]
    assert status["succeeded"] == 5
    assert [c["type"] for c in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert status["conditions"][1]["reason"] == "CompletionsReached"
    assert [pod_status(pod) for pod in calm.pods("run")] == ["Completed"] * 5
    await calm.live(0.5)
    assert calm.reasons("run").count("SuccessfulCreate") == 5
    assert ("job-controller", "Completed", "Job completed") in calm.said("run")
    assert await calm.live(40, lambda: not [j for j in calm.all(JOBS) if j["metadata"]["name"] == "run"])
    assert await calm.live(10, lambda: not calm.pods("run"))


async def test_too_many_failures_are_its_end(calm: World) -> None:
    failing = {"demo.deltaboard/fails": "1", "demo.deltaboard/seconds": "2"}
    calm.create(JOBS, job(failing, backoffLimit=1))
    assert await calm.live(60, lambda: ended(calm))
    status = calm.one(JOBS, "default", "run")["status"]
    assert status["failed"] == 2
    assert [c["type"] for c in status["conditions"]] == ["FailureTarget", "Failed"]
    message = "Job has reached the specified backoff limit"
    assert (status["conditions"][1]["reason"], status["conditions"][1]["message"]) == ("BackoffLimitExceeded", message)
    await calm.live(0.5)
    assert ("job-controller", "BackoffLimitExceeded", message) in calm.said("run")


async def test_too_much_time_is_its_end(calm: World) -> None:
    calm.create(JOBS, job({"demo.deltaboard/seconds": "500"}, activeDeadlineSeconds=15))
    assert await calm.live(40, lambda: ended(calm))
    status = calm.one(JOBS, "default", "run")["status"]
    assert (status["conditions"][1]["reason"], status["failed"]) == ("DeadlineExceeded", 1)
    await calm.live(5)
    line = ("job-controller", "DeadlineExceeded", "Job was active longer than specified deadline")
    assert line in calm.said("run")
    assert not [pod for pod in calm.pods("run") if pod["status"]["phase"] == "Running"]


async def test_a_suspended_one_waits(calm: World) -> None:
    calm.create(JOBS, job(suspend=True))
    await calm.live(5)
    assert not calm.pods("run")
    calm.patch(JOBS, "default", "run", {"spec": {"suspend": False}})
    assert await calm.live(30, lambda: ended(calm))


async def test_an_indexed_one_does_each_index_once(calm: World) -> None:
    calm.create(JOBS, job(completions=3, parallelism=3, completionMode="Indexed"))
    assert await calm.live(60, lambda: ended(calm))
    key = "batch.kubernetes.io/job-completion-index"
    assert sorted(pod["metadata"]["annotations"][key] for pod in calm.pods("run")) == ["0", "1", "2"]
    assert {pod["metadata"]["name"][:5] for pod in calm.all(PODS) if pod in calm.pods("run")} == {
        "run-0",
        "run-1",
        "run-2",
    }


async def test_it_lets_go_of_a_pod_that_it_selects_no_longer_and_takes_it_back(calm: World) -> None:
    calm.create(JOBS, job({"demo.deltaboard/seconds": "500"}))
    assert await calm.live(20, lambda: calm.pods("run"))
    name = calm.pods("run")[0]["metadata"]["name"]
    label = "batch.kubernetes.io/controller-uid"
    uid = calm.pods("run")[0]["metadata"]["labels"][label]
    calm.patch(PODS, "default", name, {"metadata": {"labels": {label: None}}})
    assert await calm.live(20, lambda: len(calm.pods("run")) == 2)
    assert not calm.one(PODS, "default", name)["metadata"].get("ownerReferences")
    other = next(pod["metadata"]["name"] for pod in calm.pods("run") if pod["metadata"]["name"] != name)
    calm.delete(PODS, "default", other)
    calm.patch(PODS, "default", name, {"metadata": {"labels": {label: uid}}})
    assert await calm.live(20, lambda: calm.one(PODS, "default", name)["metadata"].get("ownerReferences"))
    owner = calm.one(PODS, "default", name)["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Job", "run", True)
