"""Tests of the order of a drain's pods: those that need a look come first."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.pages.drains.plan import plan_drain
from dashboard.pages.drains.state import Drain, DrainedPod


def pod(name: str, **labels: str) -> dict[str, Any]:
    owner = {"kind": "ReplicaSet", "name": "web", "uid": "web", "controller": True}
    metadata = {"namespace": "shop", "name": name, "uid": name, "labels": labels, "ownerReferences": [owner]}
    return {
        "metadata": metadata,
        "spec": {"nodeName": "n1"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def budget(name: str, allowed: int) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "shop", "name": name},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": name}}},
        "status": {"disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1},
    }


def test_pods_that_need_a_look_come_first_and_those_that_stay_last() -> None:
    static, data, bare = pod("a-static"), pod("e-data"), pod("f-bare")
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    data["spec"]["volumes"] = [{"name": "cache", "emptyDir": {}}]
    bare["metadata"]["ownerReferences"] = []
    pods = [static, pod("b-free"), pod("c-allowed", app="open"), pod("d-held", app="closed"), data, bare]
    plan = plan_drain(pods, {"shop": [budget("open", 1), budget("closed", 0)]})
    assert [each.name for each in plan.pods] == ["d-held", "f-bare", "e-data", "b-free", "c-allowed", "a-static"]


def test_pods_that_could_not_be_evicted_come_first_then_held_ones() -> None:
    states: Any = ("gone", "held", "waiting", "failed", "leaving", "held")
    pods = tuple(DrainedPod("shop", f"p{place}", str(place), state) for place, state in enumerate(states))
    drain = msgspec.convert(
        dict.fromkeys(("key", "server", "node", "uid", "by", "wish", "wished_by", "words", "runner"), "")
        | {"acts_for": None, "grace": None, "pods": pods, "state": "running", "begun": 0.0, "beat": 0.0},
        Drain,
    )
    assert [pod.name for pod in drain.pods_by_trouble] == ["p3", "p1", "p5", "p0", "p2", "p4"]
