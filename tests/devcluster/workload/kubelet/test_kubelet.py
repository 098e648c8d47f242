"""Tests of the kubelet: crash loops, memory, images that do not exist, and pods that end."""

from __future__ import annotations

from typing import Any

import pytest

from devcluster.server.printers.pod import pod_status
from devcluster.server.storage import object_codec as objects
from tests.support.devcluster.workload_cluster import PODS, Json, World


def pod(name: str, image: str = "nginx:1.29.1", annotations: Json | None = None, **spec: Any) -> Json:
    meta = {"name": name, "annotations": annotations or {}}
    return {"metadata": meta, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def restarts(world: World, name: str) -> int:
    statuses = world.one(PODS, "default", name)["status"].get("containerStatuses") or [{}]
    return int(statuses[0].get("restartCount", 0))


@pytest.mark.slow
async def test_a_crash_loop_backs_off_longer_each_time(calm: World) -> None:
    calm.create(PODS, pod("loops", annotations={"demo.deltaboard/behaviour": "crash"}))
    assert await calm.live(160, lambda: restarts(calm, "loops") >= 4)
    counts = [
        (next(iter(each["state"])), each["restartCount"])
        for state in calm.states(PODS, "loops")
        for each in state["status"].get("containerStatuses", ())
    ]
    assert list(dict.fromkeys(counts))[1:6] == [
        ("running", 0), ("terminated", 0), ("running", 1), ("terminated", 1), ("waiting", 1),
    ], "a restart counts when the next run begins"  # fmt: skip
    words = [pod_status(objects.decode(c.record)) for c in calm.changes if c.record.key[1] == "loops"]
    assert {"CrashLoopBackOff", "Running", "Error"} <= set(words)
    uid = calm.one(PODS, "default", "loops")["metadata"]["uid"]
    waiting = [
        state["status"]["containerStatuses"][0]["state"]["waiting"]
        for state in calm.states(PODS, "loops")
        if "CrashLoopBackOff" in str(state["status"].get("containerStatuses"))
    ]
    place = f"restarting failed container=c pod=loops_default({uid})"
    said = list(dict.fromkeys(each["message"] for each in waiting))
    assert said[:3] == [f"back-off {pause} {place}" for pause in ("10s", "20s", "40s")]
    (back_off,) = [e for e in calm.events("loops") if e["reason"] == "BackOff"]
    assert back_off["message"] == f"Back-off restarting failed container c in pod loops_default({uid})"
    assert back_off["count"] >= 3, "a repeated event counts up"
    assert back_off["involvedObject"]["fieldPath"] == "spec.containers{c}"
    assert back_off["source"]["host"].startswith("worker-")


@pytest.mark.slow
async def test_a_leak_is_killed_for_its_memory(calm: World) -> None:
    annotations = {"demo.deltaboard/behaviour": "memory", "demo.deltaboard/seconds": "5-6"}
    calm.create(PODS, pod("leaks", annotations=annotations))
    assert await calm.live(40, lambda: restarts(calm, "leaks") >= 1)
    last = calm.one(PODS, "default", "leaks")["status"]["containerStatuses"][0]
    assert (last.get("lastState") or last["state"])["terminated"]["reason"] == "OOMKilled"


@pytest.mark.slow
async def test_an_image_that_does_not_exist_is_said_to_be_that(calm: World) -> None:
    image = "registry.example.com/shop/web:broken"
    calm.create(PODS, pod("nothing", image))
    words: set[str] = set()

    def seen() -> bool:
        words.update(pod_status(objects.decode(c.record)) for c in calm.changes if c.record.key[1] == "nothing")
        return {"ErrImagePull", "ImagePullBackOff"} <= words

    assert await calm.live(30, seen)
    await calm.live(0.5)
    said = [(reason, message) for _, reason, message in calm.said("nothing")]
    why = f'failed to resolve reference "{image}": {image}: not found'
    why = f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": {why}'
    for line in (
        ("Pulling", f'Pulling image "{image}"'), ("Failed", f'Failed to pull image "{image}": {why}'),
        ("Failed", "Error: ErrImagePull"), ("BackOff", f'Back-off pulling image "{image}"'),
        ("Failed", "Error: ImagePullBackOff"),
    ):  # fmt: skip
        assert line in said


@pytest.mark.slow
async def test_a_pod_that_is_not_to_be_restarted_ends(calm: World) -> None:
    calm.create(PODS, pod("once", restartPolicy="Never"))
    failing = {"demo.deltaboard/fails": "1", "demo.deltaboard/seconds": "2"}
    calm.create(PODS, pod("fails", restartPolicy="Never", annotations=failing))

    def ended() -> bool:
        phases = [calm.one(PODS, "default", name)["status"]["phase"] for name in ("once", "fails")]
        return phases == ["Succeeded", "Failed"]

    assert await calm.live(30, ended)
    assert calm.one(PODS, "default", "fails")["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 1


@pytest.mark.slow
async def test_a_pod_without_a_node_goes_at_once(calm: World) -> None:
    calm.create(PODS, pod("waits", nodeSelector={"disk": "none"}))
    await calm.live(2)
    calm.delete(PODS, "default", "waits")
    assert await calm.live(5, lambda: calm.get(PODS, "default", "waits") is None)
