"""Tests of the printers: what each prints of an object is what kube-apiserver prints of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from devcluster.server.printers import builtin_kinds
from devcluster.server.printers.cell_text import Cell, duration
from devcluster.server.printers.pod import pod
from devcluster.server.printers.workloads import cron_job, daemon_set, deployment, job, replica_set, stateful_set
from tests.support.api_client import DEFINITIONS
from tests.support.controlplane import ControlPlane
from tests.support.devcluster.http_client import Api
from tests.support.program import ROOT

Json = dict[str, Any]
Printer = Callable[[Json, float], list[Cell]]
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


def ago(seconds: float) -> str:
    return datetime.fromtimestamp(time.time() - seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


POD = {"containers": [{"name": "main", "image": "nginx:1"}, {"name": "side", "image": "proxy:2"}]}
INIT_POD = {**POD, "initContainers": [{"name": "first", "image": "init:1"}, {"name": "second", "image": "init:2"}]}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": POD}
SPEC = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
RUN_ONCE = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}


def started(name: str, restarts: int = 0, *, ready: bool = True, **last: Any) -> Json:
    return {
        "name": name,
        "image": "i",
        "imageID": "",
        "ready": ready,
        "restartCount": restarts,
        "state": {"running": {"startedAt": ago(60)}},
        "lastState": last,
    }


def waiting(name: str, reason: str) -> Json:
    return {**started(name, ready=False), "state": {"waiting": {"reason": reason}}}


def ended(name: str, code: int, reason: str = "", signal: int = 0) -> Json:
    return {
        **started(name, ready=False),
        "state": {"terminated": {"exitCode": code, "reason": reason, "signal": signal}},
    }


def statuses(*main: Json, init: tuple[Json, ...] = (), **status: Any) -> Json:
    return {"phase": "Running", "containerStatuses": [*main], "initContainerStatuses": [*init], **status}


PODS: dict[str, tuple[Json, Json]] = {
    "new": (POD, {}),
    "running": (POD, statuses(started("main"), started("side"), podIP="10.0.0.1", podIPs=[{"ip": "10.0.0.1"}])),
    "restarted": (POD, statuses(started("main", 3, terminated={"exitCode": 1, "finishedAt": ago(300)}))),
    "looping": (POD, statuses(waiting("main", "CrashLoopBackOff"), started("side"))),
    "killed": (POD, statuses(ended("main", 137, signal=9), ended("side", 0, "Completed"))),
    "failed": (POD, statuses(ended("main", 3), phase="Failed")),
    "half-done": (POD, statuses(ended("main", 0, "Completed"), started("side"))),
    "half-done-and-ready": (
        POD,
        statuses(ended("main", 0, "Completed"), started("side"), conditions=[{"type": "Ready", "status": "True"}]),
    ),
    "evicted": (POD, {"phase": "Failed", "reason": "Evicted"}),
    "init-first": (INIT_POD, statuses(init=(started("first", ready=False), waiting("second", "PodInitializing")))),
    "init-second": (INIT_POD, statuses(init=(ended("first", 0, "Completed"), waiting("second", "PodInitializing")))),
    "init-pulls": (INIT_POD, statuses(init=(waiting("first", "ErrImagePull"), waiting("second", "PodInitializing")))),
    "init-failed": (INIT_POD, statuses(init=(ended("first", 1, "Error"), waiting("second", "PodInitializing")))),
    "init-code": (INIT_POD, statuses(init=(ended("first", 2), waiting("second", "PodInitializing")))),
    "gated": ({**POD, "readinessGates": [{"conditionType": "a.b/c"}]}, {}),
}
NODE_INFO = dict.fromkeys(
    ("architecture", "bootID", "kubeProxyVersion", "machineID", "operatingSystem", "systemUUID"), ""
) | {
    "osImage": "Debian 12",
    "kernelVersion": "6.1",
    "containerRuntimeVersion": "containerd://2",
    "kubeletVersion": "v1.37.1",
}
NODES: dict[str, tuple[Json, Json, Json]] = {
    "unknown": ({}, {}, {}),
    "ready": (
        {"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": ""},
        {},
        {
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": NODE_INFO,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "ExternalIP", "address": "1.2.3.4"}],
        },
    ),
    "cordoned": ({}, {"unschedulable": True}, {"conditions": [{"type": "Ready", "status": "False"}]}),
    "lost": ({}, {}, {"conditions": [{"type": "Ready", "status": "Unknown"}]}),
}
DONE = {
    "conditions": [{"type": "Complete", "status": "True"}, {"type": "SuccessCriteriaMet", "status": "True"}],
    "succeeded": 1,
    "startTime": ago(100),
    "completionTime": ago(40),
}
FAILED = {
    "conditions": [{"type": "Failed", "status": "True"}, {"type": "FailureTarget", "status": "True"}],
    "failed": 1,
    "startTime": ago(100),
}
COUNTS = {
    "currentNumberScheduled": 3,
    "numberMisscheduled": 0,
    "desiredNumberScheduled": 4,
    "numberReady": 2,
    "updatedNumberScheduled": 1,
    "numberAvailable": 2,
}
MANY: list[tuple[str, Printer, str, Json, Json]] = [
    ("/api/v1/namespaces/{}/pods", pod, name, {"spec": spec}, status) for name, (spec, status) in PODS.items()
]
MANY += [
    ("/api/v1/nodes", builtin_kinds.node, f"printed-{name}", {"metadata": {"labels": labels}, "spec": spec}, status)
    for name, (labels, spec, status) in NODES.items()
]
APPS, BATCH = "/apis/apps/v1/namespaces/{}", "/apis/batch/v1/namespaces/{}"
MANY += [
    (
        f"{APPS}/deployments",
        deployment,
        "web",
        {"spec": SPEC | {"replicas": 3}},
        {"replicas": 3, "readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2},
    ),
    (
        f"{APPS}/replicasets",
        replica_set,
        "web-1",
        {"spec": SPEC | {"replicas": 3}},
        {"replicas": 3, "readyReplicas": 2},
    ),
    (
        f"{APPS}/statefulsets",
        stateful_set,
        "db",
        {"spec": SPEC | {"serviceName": "db", "replicas": 2}},
        {"replicas": 2, "readyReplicas": 1},
    ),
    (
        f"{APPS}/daemonsets",
        daemon_set,
        "agent",
        {"spec": SPEC | {"template": {**TEMPLATE, "spec": {**POD, "nodeSelector": {"a": "b"}}}}},
        COUNTS,
    ),
    (f"{BATCH}/jobs", job, "running", {"spec": RUN_ONCE}, {"active": 1, "startTime": ago(30)}),
    (f"{BATCH}/jobs", job, "new", {"spec": RUN_ONCE | {"suspend": True}}, {}),
    (f"{BATCH}/jobs", job, "done", {"spec": RUN_ONCE}, DONE),
    (f"{BATCH}/jobs", job, "failed", {"spec": RUN_ONCE}, FAILED),
    (
        f"{BATCH}/cronjobs",
        cron_job,
        "nightly",
        {"spec": {"schedule": "0 0 1 1 *", "timeZone": "Etc/UTC", "jobTemplate": {"spec": RUN_ONCE}}},
        {"lastScheduleTime": ago(4000)},
    ),
    (
        f"{BATCH}/cronjobs",
        cron_job,
        "never",
        {"spec": {"schedule": "@daily", "suspend": True, "jobTemplate": {"spec": RUN_ONCE}}},
        {},
    ),
    (
        "/api/v1/namespaces/{}/configmaps",
        builtin_kinds.config_map,
        "settings",
        {"data": {"a": "1"}, "binaryData": {"b": "Yg=="}},
        {},
    ),
    ("/api/v1/namespaces/{}/secrets", builtin_kinds.secret, "password", {"stringData": {"a": "1"}}, {}),
    ("/api/v1/namespaces/{}/serviceaccounts", builtin_kinds.account, "robot", {}, {}),
    (
        "/api/v1/namespaces/{}/services",
        builtin_kinds.service,
        "web",
        {
            "spec": {
                "selector": {"app": "web", "tier": "front"},
                "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 53, "protocol": "UDP"}],
                "clusterIP": "None",
            }
        },
        {},
    ),
    (
        "/api/v1/namespaces/{}/services",
        builtin_kinds.service,
        "elsewhere",
        {"spec": {"type": "ExternalName", "externalName": "example.org"}},
        {},
    ),
    (
        "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
        builtin_kinds.lease,
        "leader",
        {"spec": {"holderIdentity": "one"}},
        {},
    ),
    (
        "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
        builtin_kinds.budget,
        "most",
        {"spec": {"maxUnavailable": "20%", "selector": {"matchLabels": {"app": "web"}}}},
        {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2},
    ),
    (
        "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
        builtin_kinds.budget,
        "least",
        {"spec": {"minAvailable": 2}},
        {},
    ),
    (
        "/api/v1/namespaces/{}/events",
        builtin_kinds.event,
        "told",
        {
            "involvedObject": {
                "kind": "Pod",
                "name": "web-1",
                "namespace": "{}",
                "fieldPath": "spec.containers{{main}}",
            },
            "type": "Warning",
            "reason": "BackOff",
            "message": " Waits. ",
            "count": 5,
            "firstTimestamp": ago(600),
            "lastTimestamp": ago(60),
            "source": {"component": "kubelet", "host": "n1"},
        },
        {},
    ),
    (
        "/api/v1/namespaces/{}/events",
        builtin_kinds.event,
        "reported",
        {
            "involvedObject": {"kind": "Pod", "name": "web-1", "namespace": "{}"},
            "type": "Normal",
            "reason": "Scheduled",
            "message": "Done.",
            "eventTime": "2026-01-01T00:00:00.000000Z",
            "reportingComponent": "default-scheduler",
            "reportingInstance": "one",
            "action": "Binding",
            "series": {"count": 7, "lastObservedTime": "2026-11-01T00:00:00.000000Z"},
        },
        {},
    ),
]


def table(cluster: ControlPlane, path: str) -> list[Json]:
    """The rows that the API server prints of what is at `path`, with the whole objects."""
    reply = Api.of(cluster.kubeconfig).call("GET", f"{path}?includeObject=Object", Accept=TABLE)
    assert reply.code == 200, reply.text
    rows: list[Json] = reply.json["rows"]
    return rows


def assert_printed_alike(printer: Printer, row: Json, now: float) -> None:
    """Within the second or two between the API server's clock and this one."""
    possible = [printer(row["object"], now + shift) for shift in (0, -1, 1, -2)]
    assert row["cells"] in possible, possible[0]


def filled(value: Any, name: str) -> Any:
    """`value` with the namespace's name for each ``{}``."""
    if isinstance(value, dict):
        return {key: filled(item, name) for key, item in value.items()}
    return value.format(name) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def printed_namespace(controlplane: ControlPlane) -> str:
    return controlplane.create_namespace("printed")


@pytest.mark.parametrize(
    ("collection", "printer", "name", "body", "status"),
    MANY,
    ids=[f"{printer.__name__} {name}" for _, printer, name, _, _ in MANY],
)
def test_an_object_is_printed_as_kube_apiserver_prints_it(
    controlplane: ControlPlane,
    printed_namespace: str,
    collection: str,
    printer: Printer,
    name: str,
    body: Json,
    status: Json,
) -> None:
    collection, body = collection.format(printed_namespace), filled(body, printed_namespace)
    controlplane.create(collection, {**body, "metadata": {**body.get("metadata", {}), "name": name}})
    try:
        if status:
            controlplane.patch(f"{collection}/{name}/status", {"status": status})
        (row,) = table(controlplane, f"{collection}/{name}")
        assert_printed_alike(printer, row, time.time())
    finally:
        controlplane.delete(f"{collection}/{name}", {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})


@pytest.mark.parametrize(
    ("collection", "printer"),
    [("/api/v1/namespaces", builtin_kinds.namespace), (DEFINITIONS, builtin_kinds.definition)],
)
def test_what_is_there_already_is_printed_as_kube_apiserver_prints_it(
    controlplane: ControlPlane, printed_namespace: str, collection: str, printer: Printer
) -> None:
    controlplane.apply_crd(ROOT / "deploy" / "crd" / "mydemos.yaml")
    now, rows = time.time(), table(controlplane, collection)
    assert rows
    for row in rows:
        assert_printed_alike(printer, row, now)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (600, "10m"),
        (10_799, "179m"),
        (10_800, "3h"),
        (12_000, "3h20m"),
        (28_800, "8h"),
        (172_799, "47h"),
        (172_800, "2d"),
        (180_000, "2d2h"),
        (691_200, "8d"),
        (31_536_000, "365d"),
        (63_072_000, "2y"),
        (64_000_000, "2y10d"),
        (252_288_000, "8y"),
        (260_000_000, "8y"),
    ],
)
def test_a_duration_has_the_units_of_kubectl(seconds: int, text: str) -> None:
    """The expected ones are those of apimachinery's HumanDuration."""
    assert duration(seconds) == text
