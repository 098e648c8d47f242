"""Tests of the effects text of a review: the known effects of a change on what runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from dashboard.objects.fields.field_access import put
from dashboard.pages.writes.effects_text import effect_sentences
from dashboard.pages.writes.workload_effects import resolve_fenceposts

Json = dict[str, Any]

POD = {"spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}


def an_object(kind: str, version: str = "apps/v1", **fields: Any) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "one"}, **fields}


def deployment(replicas: int = 6, **spec: Any) -> Json:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return an_object("Deployment", spec={"replicas": replicas, "template": POD, "strategy": strategy, **spec})


def said(before: Json, path: str, value: Any) -> str:
    was = copy.deepcopy(before)
    return " ".join(effect_sentences(was, put(before, path.split("."), value)))


NEW = {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}


def test_a_new_template_of_a_deployment_is_rolled_out_as_its_strategy_says() -> None:
    words = "Rolls out 6 pods, 1 at a time, none is missing meanwhile (maxSurge 1, maxUnavailable 0)."
    assert said(deployment(), "spec.template", NEW) == words
    shares = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    words = "Rolls out 6 pods, up to 3 at a time (maxSurge 2, maxUnavailable 1)."
    assert said(deployment(strategy=shares), "spec.template", NEW) == words
    recreated = said(deployment(strategy={"type": "Recreate"}), "spec.template", NEW)
    assert "nothing runs in between" in recreated
    assert "once it is resumed" in said(deployment(paused=True), "spec.template", NEW)


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "more", "fewer"),
    [
        ("25%", "25%", 10, 3, 2),
        ("²%", "٣%", 3, 0, 1),
        ("0%", "10%", 5, 0, 1),
        (0, 0, 3, 0, 1),
        (2, "50%", 3, 2, 1),
        ("100%", 0, 4, 4, 0),
    ],
)
def test_shares_are_rounded_as_the_controller_rounds_them(
    surge: Any, unavailable: Any, replicas: int, more: int, fewer: int
) -> None:
    assert resolve_fenceposts(surge, unavailable, replicas) == (more, fewer)


def test_scaling_says_how_many_come_and_go() -> None:
    assert said(deployment(3), "spec.replicas", 6).startswith("Scales from 3 to 6 pods: 3 more.")
    assert said(deployment(3), "spec.replicas", 1).startswith("Scales from 3 to 1 pod: 2 end.")
    assert said(deployment(3), "spec.replicas", 0) == "Scales from 3 to 0: all its pods end."


@pytest.mark.parametrize(
    ("before", "path", "value", "words"),
    [
        (an_object("StatefulSet", spec={"replicas": 3, "template": POD}), "spec.template", NEW, "Replaces 3 pods"),
        (
            an_object("StatefulSet", spec={"replicas": 3, "updateStrategy": {"type": "OnDelete"}, "template": POD}),
            "spec.template", NEW, "deleted by hand",
        ),
        (an_object("StatefulSet", spec={"replicas": 0, "template": POD}), "spec.template", NEW, "nothing rolls out"),
        (an_object("Deployment", spec={"replicas": 0, "template": POD}), "spec.template", NEW, "nothing rolls out"),
        (an_object("DaemonSet", spec={"template": POD}), "spec.template", NEW, "node by node (maxUnavailable 1)"),
        (an_object("DaemonSet", spec={"template": POD}), "spec.template.spec.tolerations", [{}], "Pods start on nodes"),
        (an_object("ReplicaSet", spec={"replicas": 1, "template": POD}), "spec.template", NEW, "stay as they are"),
        (an_object("ConfigMap", "v1", data={"a": "1"}), "data.a", "2", "No pod restarts by itself"),
        (an_object("Secret", "v1", data={"a": "MQ=="}), "data.a", "Mg==", "No pod restarts by itself"),
        (an_object("Service", "v1", spec={"selector": {"app": "a"}}), "spec.selector.app", "b", "pods with app=b"),
        (an_object("Service", "v1", spec={"type": "LoadBalancer"}), "spec.type", "ClusterIP", "balancer is removed"),
        (an_object("Service", "v1", spec={"type": "NodePort"}), "spec.type", "ClusterIP", "inside the cluster only"),
        (an_object("Service", "v1", spec={"type": "ClusterIP"}), "spec.type", "NodePort", "opens a port for it"),
        (an_object("Service", "v1", spec={"type": "ClusterIP"}), "spec.type", "LoadBalancer", "asked for a load"),
        (an_object("Service", "v1", spec={"type": "ClusterIP"}), "spec.type", "ExternalName", "the other name"),
        (an_object("ConfigMap", "v1", data={}), "immutable", True, "can never be changed again"),
        (an_object("Ingress", "networking.k8s.io/v1", spec={}), "spec.rules", [{}], "controller of its class"),
        (an_object("PodDisruptionBudget", "policy/v1", spec={}), "spec.minAvailable", 1, "It applies to evictions"),
        (an_object("CronJob", "batch/v1", spec={"suspend": False}), "spec.suspend", True, "No more jobs are started"),
        (an_object("Job", "batch/v1", spec={"suspend": False}), "spec.suspend", True, "Its pods end now"),
        (an_object("Node", "v1", spec={}), "spec.unschedulable", True, "No new pods are scheduled on it"),
        (an_object("Node", "v1", spec={}), "spec.taints", [{"key": "x", "effect": "NoExecute"}], "evicted at once"),
        (
            an_object("HorizontalPodAutoscaler", "autoscaling/v2", spec={"maxReplicas": 3}),
            "spec.maxReplicas", 5, "between 1 and 5 pods",
        ),
        (
            an_object("PersistentVolumeClaim", "v1", spec={"resources": {"requests": {"storage": "1Gi"}}}),
            "spec.resources.requests.storage", "2Gi", "grown to 2Gi",
        ),
        (
            an_object("Role", "rbac.authorization.k8s.io/v1", rules=[]),
            "rules", [{"verbs": ["get"]}], "Permissions change",
        ),
        (an_object("Pod", "v1", **POD), "spec", NEW["spec"], "restarted in place"),
        (an_object("Mydemo", "crddemo.k8s.io/v1", spec={"port": 1}), "spec.port", 2, ""),
    ],
)  # fmt: skip
def test_each_kind_says_what_its_controllers_will_do(before: Json, path: str, value: Any, words: str) -> None:
    assert words in said(before, path, value)
    assert bool(words) == bool(said(before, path, value))
    assert said(before, "metadata.annotations", {"note": "x"}) == ""


OPENED = "Pods that are not of the newest revision are replaced"


def stateful_set(replicas: int = 5, partition: int = 0, start: int = 0, how: str = "RollingUpdate") -> Json:
    update = {"type": how, "rollingUpdate": {"partition": partition}}
    spec = {"replicas": replicas, "ordinals": {"start": start}, "updateStrategy": update, "template": POD}
    return an_object("StatefulSet", spec=spec)


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (stateful_set(partition=5), stateful_set(), f"{OPENED}."),
        (stateful_set(partition=5), stateful_set(partition=3), f"{OPENED}, from number 3 on."),
        (stateful_set(partition=9), stateful_set(partition=5), ""),
        (stateful_set(), stateful_set(partition=3), ""),
        (stateful_set(how="OnDelete"), stateful_set(), f"{OPENED}."),
        (stateful_set(how="OnDelete"), stateful_set(partition=5), ""),
        (stateful_set(0, how="OnDelete"), stateful_set(0), ""),
        (stateful_set(), stateful_set(how="OnDelete"), ""),
        (stateful_set(5), stateful_set(5, start=2), "2 pods end, and others are made: their numbers begin at 2."),
        (stateful_set(1, start=7), stateful_set(1), "1 pod ends, and another one is made: their numbers begin at 0."),
        (stateful_set(0), stateful_set(0, start=2), ""),
        (stateful_set(5), stateful_set(3, start=2), "Scales from 5 to 3 pods: 2 end."),
    ],
)
def test_a_stateful_set_says_what_its_strategy_and_numbers_do_to_its_pods(was: Json, now: Json, words: str) -> None:
    assert " ".join(effect_sentences(was, now)) == words


def test_a_daemon_set_that_waits_for_nobody_any_more_replaces_what_is_not_of_the_newest_revision() -> None:
    before = an_object("DaemonSet", spec={"template": POD, "updateStrategy": {"type": "OnDelete"}})
    assert said(before, "spec.updateStrategy.type", "RollingUpdate") == f"{OPENED}."
    assert said(before, "spec.updateStrategy.rollingUpdate", {"maxSurge": 1}) == ""


def renewed(before: Json, replicas: int) -> str:
    return " ".join(
        effect_sentences(before, put(put(before, ("spec", "replicas"), replicas), ("spec", "template"), NEW))
    )


@pytest.mark.parametrize(("made", "words"), [(deployment, "Rolls out 3 pods"), (stateful_set, "Replaces 3 pods")])
def test_pods_that_only_come_or_only_go_are_not_replaced(made: Callable[[int], Json], words: str) -> None:
    assert renewed(made(0), 5) == "Scales from 0 to 5 pods: 5 more."
    assert words in renewed(made(3), 5)
    assert words in renewed(made(5), 3)
    assert "nothing rolls out" in renewed(made(5), 0)


def test_recreate_ends_those_that_there_were() -> None:
    recreate = {"strategy": {"type": "Recreate"}}
    assert renewed(deployment(0, **recreate), 5) == "Scales from 0 to 5 pods: 5 more."
    assert "Ends all 3 pods first" in renewed(deployment(3, **recreate), 5)


@pytest.mark.parametrize(
    ("start", "partition", "words"),
    [(10, 0, "Replaces 5 pods"), (10, 12, "Replaces 3 pods"), (10, 7, "Replaces 5 pods"), (10, 15, "Replaces no pod")],
)
def test_a_partition_counts_from_the_first_number(start: int, partition: int, words: str) -> None:
    assert words in said(stateful_set(5, partition, start), "spec.template", NEW)


def test_a_finalizer_that_goes_is_said_of_every_kind() -> None:
    before = an_object("Mydemo", "crddemo.k8s.io/v1")
    before["metadata"]["finalizers"] = ["a/b", "c/d"]
    assert "no longer waits for a/b" in said(before, "metadata.finalizers", ["c/d"])


def test_nothing_is_said_of_an_object_that_is_made() -> None:
    assert effect_sentences({}, deployment()) == ()
