"""Tests of details: the first sentence, conditions, containers, owner."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from dashboard.objects.describers.containers import containers_of
from dashboard.objects.describers.deletion import MAX_FINALIZERS
from dashboard.objects.describers.describe import MAX_OWNERS, OwnerLink, describe, describe_large
from dashboard.objects.kinds.catalog import KINDS
from dashboard.runtime.counts_and_times import format_duration
from dashboard.runtime.text_with_links import plain_text
from tests.dashboard.objects.printers.test_printers import mydemo, random_json
from tests.support.objects.pod_states import STATES, pod_of
from tests.support.objects.rows import Json, made, row_of

NOW = 1_800_000_000.0


def told(key: str, obj: Json) -> str:
    return plain_text(describe(key, row_of(key, obj), obj, NOW).summary)


def pod(name: str) -> Json:
    state = next(state for state in STATES if state.name == name)
    found = pod_of(state, "shop")
    found["metadata"] |= {"creationTimestamp": "2026-11-01T08:00:00Z"}
    return {**found, "status": {**state.status, "startTime": "2026-11-01T08:00:00Z"}}


THREE, ROOM, START = {"replicas": 3}, {"pods": "110", "cpu": "4"}, "2026-11-01T08:00:00Z"
CREATED = "created 2026-11-01 08:00:00 UTC ago."


@pytest.mark.parametrize(
    ("key", "obj", "expected"),
    [
        ("pods", pod("running"), "Running on node-1 for 2026-11-01 08:00:00 UTC."),
        ("pods", pod("unscheduled"), "Pending, on no node yet for 2026-11-01 08:00:00 UTC."),
        ("mydemos.crddemo.k8s.io", mydemo({"ip": "10.0.0.1", "port": 80}), f"Points to 10.0.0.1, port 80, {CREATED}"),
        (
            "mydemos.crddemo.k8s.io",
            mydemo("x", {"phase": "Ready"}),
            f"Points to no address, port not set, Ready, {CREATED}",
        ),
        ("configmaps", made("ConfigMap", "c"), "Created 2026-11-01 08:00:00 UTC ago."),
        (
            "deployments.apps",
            made("Deployment", "d", spec={"strategy": {"type": "Recreate"}, **THREE}, status={"availableReplicas": 2}),
            f"2 of 3 pods available, 0 up to date, strategy Recreate, {CREATED}",
        ),
        ("deployments.apps", made("Deployment", "d", spec={"replicas": 0}), f"Scaled down to no pods, {CREATED}"),
        ("replicasets.apps", made("ReplicaSet", "r", spec={"replicas": 1}), f"0 of 1 pod ready, {CREATED}"),
        (
            "jobs.batch",
            made(
                "Job",
                "j",
                spec={"completions": 1},
                status={"succeeded": 1, "failed": 2, "startTime": START, "completionTime": "2026-11-01T08:02:05Z"},
            ),
            "Running, 1/1 completions, 2 pods failed, took 2 min 5 s, done 2026-11-01 08:02:05 UTC ago.",
        ),
        ("jobs.batch", made("Job", "j"), "Running, 0/1 completions, not started yet."),
        (
            "jobs.batch",
            made("Job", "j", spec={"suspend": True, "completions": 3}),
            "Running, 0/3 completions, suspended: it starts no pods.",
        ),
        (
            "jobs.batch",
            made(
                "Job",
                "j",
                status={
                    "failed": 4,
                    "startTime": START,
                    "conditions": [{"type": "Failed", "status": "True", "lastTransitionTime": "2026-11-01T08:05:00Z"}],
                },
            ),
            "Failed, 0/1 completions, 4 pods failed, gave up after 5 min, 2026-11-01 08:05:00 UTC ago.",
        ),
        (
            "jobs.batch",
            made(
                "Job",
                "j",
                spec={"suspend": True},
                status={"succeeded": 1, "startTime": START, "completionTime": "2026-11-01T08:02:05Z"},
            ),
            "Running, 1/1 completions, took 2 min 5 s, done 2026-11-01 08:02:05 UTC ago.",
        ),
        (
            "jobs.batch",
            made(
                "Job",
                "j",
                spec={"suspend": True},
                status={
                    "startTime": START,
                    "conditions": [{"type": "Failed", "status": "True", "lastTransitionTime": "2026-11-01T08:05:00Z"}],
                },
            ),
            "Failed, 0/1 completions, gave up after 5 min, 2026-11-01 08:05:00 UTC ago.",
        ),
        ("pods", made("Pod", "p"), "Without a status, on no node yet for 2026-11-01 08:00:00 UTC."),
        (
            "deployments.apps",
            made("Deployment", "d", spec={"paused": True, **THREE}),
            f"0 of 3 pods available, 0 up to date, its rollout is paused, {CREATED}",
        ),
        (
            "nodes",
            made("Node", "n", namespace="", spec={"unschedulable": True}, status={"allocatable": ROOM}),
            "Unknown,SchedulingDisabled, room for 110 pods, 4 CPU, ? memory, takes no new pods.",
        ),
        (
            "nodes",
            made(
                "Node",
                "n",
                namespace="",
                status={
                    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": START}],
                    "nodeInfo": {"kubeletVersion": "v1.37.0"},
                },
            ),
            "Ready for 2026-11-01 08:00:00 UTC, kubelet v1.37.0.",
        ),
    ],
)
def test_the_first_sentence_says_how_the_object_is(key: str, obj: Json, expected: str) -> None:
    assert told(key, obj) == expected


def test_a_pod_that_restarted_says_how_it_ended_last() -> None:
    summary = describe("pods", row_of("pods", pod("crash")), pod("crash"), NOW).summary
    text = plain_text(summary)
    assert text.startswith(
        "CrashLoopBackOff on node-1, restarted 14 times since the pod started 2026-11-01 08:00:00 UTC"
    )
    assert " ago, last exit 137 OOMKilled, " in text
    ages = [piece for piece in summary if piece.datetime]
    assert [piece.datetime[-1] for piece in ages] == ["Z", "Z"]


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("crash loop: main exited 1, restarted 14 times", "crash loop: main exited 1"),
        ("crash loop: main exited 1, restarted 4 times", "crash loop: main exited 1, restarted 4 times"),
        ("not ready", "not ready"),
    ],
)
def test_the_number_of_restarts_is_said_once(reason: str, shown: str) -> None:
    obj = pod("init-crash")
    row = msgspec.structs.replace(row_of("pods", obj), reason=reason)
    details = describe("pods", row, obj, NOW)
    assert ", restarted 14 times" in plain_text(details.summary)
    assert details.reason == shown


def test_an_object_that_is_asked_to_go_says_so_first() -> None:
    obj = mydemo({"port": 1}, deletionTimestamp="2026-11-01T08:00:00Z", finalizers=["a/b"])
    assert told("mydemos.crddemo.k8s.io", obj) == "Being deleted for 2026-11-01 08:00:00 UTC, waits for finalizer a/b."


def test_a_grace_period_is_named_and_is_not_counted_as_waiting() -> None:
    obj = pod("running")
    obj["metadata"] |= {"deletionTimestamp": "2026-11-01T08:00:40Z", "deletionGracePeriodSeconds": 40}
    assert told("pods", obj) == "Being deleted for 2026-11-01 08:00:00 UTC, grace period 40 s."
    obj["metadata"] |= {"deletionGracePeriodSeconds": None, "finalizers": ["a/b", "c/d"]}
    assert told("pods", obj) == "Being deleted for 2026-11-01 08:00:40 UTC, waits for finalizers a/b, c/d."


def test_containers_say_their_state_restarts_and_resources() -> None:
    obj = pod("init-crash")
    obj["spec"]["containers"][0]["resources"] = {
        "requests": {"cpu": "500m", "memory": "1Gi"},
        "limits": {"memory": "2Gi"},
    }
    init, second, api, log = containers_of(obj)
    assert (init.kind, init.state, init.tone, init.restarts) == ("init", "Waiting: CrashLoopBackOff", "bad", 14)
    assert (second.state, second.tone) == ("Waiting: PodInitializing", "busy")
    assert (api.kind, api.state, api.resources) == (
        "container",
        "Not started",
        "cpu 500m, memory 1Gi · limit memory 2Gi",
    )
    assert log.resources == ""
    ended = containers_of(pod("half-failed"))
    assert [(line.state, line.tone) for line in ended] == [("Exited 0", "idle"), ("Exited 2: Error", "bad")]
    assert containers_of(pod("sidecar"))[0].kind == "sidecar"


def test_containers_say_their_ports_why_they_wait_and_how_they_ended_before() -> None:
    ports = [{"containerPort": 80, "name": "http"}, {"containerPort": 53, "protocol": "UDP"}]
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": START, "message": "no memory left"}
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}
    status = {"name": "a", "state": {"waiting": waiting}, "lastState": {"terminated": ended}}
    of_pod = {"containers": [{"name": "a", "ports": ports}], "ephemeralContainers": [{"name": "debug"}]}
    debug = {"name": "debug", "ready": False, "state": {"running": {"startedAt": START}}}
    statuses = {"containerStatuses": [status], "ephemeralContainerStatuses": [debug]}
    line, second = containers_of(made("Pod", "p", spec=of_pod, status=statuses))
    assert [plain_text(fact) for fact in line.facts] == [
        "ports 80/TCP http, 53/UDP",
        "back-off 5m0s restarting failed container",
        "before that exited 137: OOMKilled, 2026-11-01 08:00:00 UTC ago: no memory left",
    ]
    assert [piece.datetime for fact in line.facts for piece in fact if piece.datetime] == [START]
    assert (second.kind, second.state, second.tone, second.facts) == ("ephemeral", "Running", "ok", ())


def test_a_running_container_that_is_not_ready_says_so() -> None:
    running = {"ready": False, "state": {"running": {"startedAt": START}}}
    statuses = [{"name": "app", **running}, {"name": "slow", "started": False, **running}]
    spec = {
        "initContainers": [{"name": "init"}, {"name": "proxy", "restartPolicy": "Always"}],
        "containers": [{"name": "app"}, {"name": "slow", "startupProbe": {"tcpSocket": {"port": 1}}}],
    }
    inits = [{"name": "init", **running}, {"name": "proxy", **running}]
    obj = made("Pod", "p", spec=spec, status={"initContainerStatuses": inits, "containerStatuses": statuses})
    assert {line.name: (line.state, line.tone) for line in containers_of(obj)} == {
        "init": ("Running", "busy"),
        "proxy": ("Running, not ready", "warn"),
        "app": ("Running, not ready", "warn"),
        "slow": ("Running, its startup probe has not succeeded yet", "warn"),
    }


def test_a_cron_job_shows_the_containers_of_its_jobs() -> None:
    jobs = {"spec": {"template": {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 1}]}]}}}}
    (line,) = containers_of(made("CronJob", "c", spec={"schedule": "* * * * *", "jobTemplate": jobs}))
    assert (line.name, [plain_text(fact) for fact in line.facts]) == ("a", ["port 1/TCP"])


def test_a_workload_shows_the_containers_of_its_template() -> None:
    template = {"spec": {"containers": [{"name": "a", "image": "i:1"}]}}
    (line,) = containers_of(made("Deployment", "d", spec={"template": template}))
    assert (line.name, line.image, line.state, line.ready, line.restarts) == ("a", "i:1", "", None, None)


def test_conditions_tell_good_news_from_bad() -> None:
    names = [
        ("Ready", "True"),
        ("Ready", "False"),
        ("DiskPressure", "True"),
        ("DiskPressure", "False"),
        ("Ready", "Unknown"),
    ]
    obj = made(
        "Node", "n", namespace="", status={"conditions": [{"type": name, "status": status} for name, status in names]}
    )
    found = describe("nodes", row_of("nodes", obj), obj, NOW).conditions
    assert [condition.tone for condition in found] == ["ok", "warn", "bad", "ok", "warn"]


def test_conditions_that_a_custom_resource_has_as_a_map_or_of_odd_types_are_told_all_the_same() -> None:
    key = "rollouts.argoproj.io"
    obj = made("Rollout", "r", status={"conditions": {"Ready": {"status": "False", "reason": "Odd"}, "Flag": True}})
    ready, flag = describe(key, row_of(key, obj), obj, NOW).conditions
    assert (ready.type, ready.status, ready.reason, ready.tone) == ("Ready", "False", "Odd", "warn")
    assert (flag.type, flag.status) == ("Flag", "")
    obj["status"]["conditions"] = [7, {"type": 1, "status": True, "lastTransitionTime": 5, "message": {"a": 1}}]
    (odd,) = describe(key, row_of(key, obj), obj, NOW).conditions
    assert (odd.type, odd.status, odd.since, odd.message) == ("1", "True", "", "{'a': 1}")


def test_conditions_of_parts_are_told_after_its_own_with_what_they_are_of() -> None:
    accepted = {"type": "Accepted", "status": "False", "reason": "NotAllowed", "message": "<b>no</b>"}
    parents = [
        {"parentRef": {"name": "gw", "sectionName": "https"}, "conditions": [accepted, {"type": "Odd"}]},
        {"parentRef": 7, "conditions": [accepted]},
        {"conditions": "none"},
    ]
    listeners = [{"name": "http", "conditions": [accepted]}]
    ancestors = [{"ancestorRef": {"kind": "Gateway", "namespace": "infra", "name": "gw"}, "conditions": [accepted]}]
    status = {"parents": parents, "listeners": listeners, "ancestors": ancestors, "conditions": [{"type": "Ready"}]}
    obj = made("HTTPRoute", "r", status=status)
    key = "httproutes.gateway.networking.k8s.io"
    found = describe(key, row_of(key, obj), obj, NOW).conditions
    assert [(each.subject, each.type) for each in found] == [
        ("", "Ready"),
        ("gw https", "Accepted"),
        ("gw https", "Odd"),
        ("2", "Accepted"),
        ("http", "Accepted"),
        ("Gateway infra gw", "Accepted"),
    ]
    assert (found[1].tone, found[1].reason, found[1].message) == ("warn", "NotAllowed", "<b>no</b>")


def test_all_owners_are_told_the_controller_first_and_their_kinds_are_found() -> None:
    owners: list[Json] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "1"},
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "2", "controller": True},
    ]
    obj = made("Pod", "p", metadata={"ownerReferences": owners})
    assert describe("pods", row_of("pods", obj), obj, NOW).owners == (
        OwnerLink("ReplicaSet", "web", "2", "replicasets.apps"),
        OwnerLink("ConfigMap", "c", "1", "configmaps"),
    )
    owners[1] |= {"apiVersion": "argoproj.io/v1", "kind": "Rollout"}
    assert describe("pods", row_of("pods", obj), obj, NOW).owners[0] == OwnerLink("Rollout", "web", "2", "")


def test_of_very_many_finalizers_and_owners_the_first_are_named_and_the_others_are_counted() -> None:
    owners: list[Json] = [{"kind": "Thing", "name": f"owner-{number}"} for number in range(MAX_OWNERS + 5)]
    owners[-1]["controller"] = True
    names = [f"example.com/{number}" for number in range(MAX_FINALIZERS + 7)]
    obj = made("Pod", "p", metadata={"ownerReferences": owners, "finalizers": names})
    details = describe("pods", row_of("pods", obj), obj, NOW)
    assert (details.finalizers, details.more_finalizers) == (tuple(names[:MAX_FINALIZERS]), 7)
    assert [owner.name for owner in details.owners[:2]] == [f"owner-{MAX_OWNERS + 4}", "owner-0"]
    assert (len(details.owners), details.more_owners) == (MAX_OWNERS, 5)


READY: Json = {"type": "Ready", "status": "False", "reason": "NotYet"}
PART: Json = {"name": "a", "conditions": [READY]}
NUMBERS = [{"name": str(number)} for number in range(6_000)]
TARGET: Json = {"kind": "Pod", "name": "p"}
LARGE: dict[str, tuple[str, Json]] = {
    "policy": (
        "networkpolicies.networking.k8s.io",
        {"spec": {"policyTypes": ["Ingress"], "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}] * 1_200}},
    ),
    "endpoints": (
        "endpointslices.discovery.k8s.io",
        {"endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": False}, "targetRef": TARGET}] * 1_000},
    ),
    "binding": ("rolebindings.rbac.authorization.k8s.io", {"subjects": [{"kind": "User", "name": "a"}] * 2_000}),
    "deployment": ("deployments.apps", {"spec": {"template": {"x": NUMBERS}, "replicas": 0}}),
    "pod": ("pods", {"spec": {"containers": [{"name": "a", "env": NUMBERS}]}, "status": {"conditions": [READY]}}),
    "custom": ("things.example.com", {"spec": NUMBERS, "status": {"conditions": [READY], "parts": [PART] * 2_000}}),
}


@pytest.mark.parametrize("name", LARGE)
def test_of_a_large_object_nothing_is_told_that_takes_all_of_it(name: str) -> None:
    key, parts = LARGE[name]
    labels = {"app": "web"}
    obj = made("X", "x", metadata={"labels": labels}, **parts)
    details = describe_large(key, row_of(key, obj), obj, NOW)
    assert details.lacks_facts
    assert (details.facts, details.containers, details.pods) == ((), (), ())
    assert plain_text(details.summary).lower().endswith(CREATED.lower())
    assert details.labels == (("app", "web"),)
    assert len(details.conditions) == ("status" in parts)


def test_of_more_conditions_than_a_page_shows_none_is_told() -> None:
    obj = made("Thing", "x", status={"conditions": [READY] * 6_000})
    assert describe_large("things.example.com", row_of("things.example.com", obj), obj, NOW).conditions == ()


def test_a_definition_is_described_whatever_its_schemas() -> None:
    key = "customresourcedefinitions.apiextensions.k8s.io"
    version: dict[str, Any] = {"name": "v1", "served": True, "storage": True}
    spec = {"group": "example.com", "names": {"plural": "things", "kind": "Thing"}, "versions": [version]}
    small = made("CustomResourceDefinition", "x", spec=spec, status={"conditions": [READY]})
    large = {**small, "spec": {**spec, "versions": [{**version, "schema": {"openAPIV3Schema": NUMBERS}}]}}
    row = row_of(key, small)
    assert describe_large(key, row, large, NOW) == describe(key, row, small, NOW)


def test_of_a_configmap_no_facts_are_missed() -> None:
    obj = made("ConfigMap", "x", data={"a": "x" * 600_000}, binaryData={}, immutable=True)
    assert not describe_large("configmaps", row_of("configmaps", obj), obj, NOW).lacks_facts


@pytest.mark.slow
@pytest.mark.parametrize("key", KINDS)
def test_whatever_an_object_holds_is_described(key: str) -> None:
    rng = random.Random(7)
    row = row_of(key, made("X", "x"))
    for _ in range(50):
        obj = {"metadata": random_json(rng, 2), "spec": random_json(rng, 3), "status": random_json(rng, 3)}
        for details in (describe(key, row, obj, NOW), describe_large(key, row, {**obj, "x": NUMBERS}, NOW)):
            assert plain_text(details.summary).endswith(".")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (125, "2 min 5 s"), (7200, "2 h"), (9000, "2 h 30 min")],
)
def test_durations_are_told_in_two_units(seconds: float, expected: str) -> None:
    assert format_duration(seconds) == expected
