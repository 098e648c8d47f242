"""Tests of which changes destroy."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.writes.destruction import destruction_text, patch_destroys, undo_destroys

Json = dict[str, Any]
JOB: Json = {"apiVersion": "batch/v1", "kind": "Job"}
CRON_JOB: Json = {"apiVersion": "batch/v1", "kind": "CronJob"}
NO_EXECUTE = {"key": "gone", "effect": "NoExecute"}


def scaled(replicas: object, **rest: Any) -> Json:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": replicas}, **rest}


def held(*finalizers: str) -> Json:
    return {"metadata": {"name": "x", "finalizers": list(finalizers)}}


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (scaled(3), scaled(0), "It stops all 3 replicas."),
        (scaled(1), scaled(0), "It stops its only replica."),
        ({**JOB, "spec": {}}, {**JOB, "spec": {"suspend": True}}, "It ends the Job's running pods."),
        (held("a", "b"), held("b"), "It removes a: the clean-up that this finalizer stands for does not happen."),
        (held("a"), {"metadata": {}}, "It removes a: the clean-up that this finalizer stands for does not happen."),
        (
            {"spec": {}},
            {"spec": {"taints": [NO_EXECUTE]}},
            "It evicts the node's pods that do not tolerate the new NoExecute taint.",
        ),
    ],
)
def test_what_is_destroyed_is_said(was: Json, now: Json, words: str) -> None:
    assert destruction_text(was, now) == words


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (scaled(3), scaled(1)),
        (scaled(0), scaled(0)),
        (scaled(0), scaled(3)),
        (scaled("3"), scaled("0")),
        (scaled(True), scaled(False)),
        ({**JOB, "spec": {"suspend": True}}, {**JOB, "spec": {"suspend": True}}),
        ({**JOB, "spec": {"suspend": True}}, {**JOB, "spec": {}}),
        (CRON_JOB, {**CRON_JOB, "spec": {"suspend": True}}),
        (held("a"), held("b", "a")),
        ({"spec": {"taints": [NO_EXECUTE]}}, {"spec": {"taints": [NO_EXECUTE]}}),
        ({}, {"spec": {"taints": [{"key": "x", "effect": "NoSchedule"}]}}),
        ({}, {}),
    ],
)  # fmt: skip
def test_other_changes_destroy_nothing(was: Json, now: Json) -> None:
    assert destruction_text(was, now) == ""


@pytest.mark.parametrize(
    ("key", "patch", "destroys"),
    [
        ("deployments.apps", {"spec": {"replicas": 0}}, True),
        ("deployments.apps", {"spec": {"replicas": 2}}, False),
        ("deployments.apps", {"spec": {"replicas": False}}, False),
        ("jobs.batch", {"spec": {"suspend": True}}, True),
        ("cronjobs.batch", {"spec": {"suspend": True}}, False),
        ("pods", {"metadata": {"finalizers": None}}, True),
        ("pods", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}, True),
        ("pods", {"metadata": {"$patch": "replace"}}, True),
        ("pods", {"metadata": {"labels": {"a": "b"}}}, False),
        ("nodes", {"spec": {"taints": []}}, True),
        ("nodes", {"spec": {"unschedulable": True}}, False),
        ("pods", {"spec": None, "metadata": "x"}, False),
    ],
)
def test_a_patch_destroys_where_it_can(key: str, patch: Json, destroys: bool) -> None:
    assert patch_destroys(key, patch) is destroys


@pytest.mark.parametrize(
    ("key", "patch", "destroys"),
    [
        ("deployments.apps", {"spec": {"replicas": 5}}, True),
        ("deployments.apps", {"spec": {"$patch": "replace"}}, True),
        ("deployments.apps", {"spec": {"paused": True}}, False),
        ("jobs.batch", {"spec": {"suspend": False}}, True),
        ("cronjobs.batch", {"spec": {"suspend": False}}, False),
        ("pods", {"metadata": {"finalizers": ["a"]}}, True),
        ("pods", {"metadata": {"labels": {"a": "b"}}}, False),
        ("nodes", {"spec": {"taints": None}}, True),
        ("pods", {"spec": None, "metadata": "x"}, False),
    ],
)
def test_the_undo_of_a_patch_destroys_where_it_can(key: str, patch: Json, destroys: bool) -> None:
    assert undo_destroys(key, patch) is destroys
