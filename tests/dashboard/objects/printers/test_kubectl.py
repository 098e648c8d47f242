"""Comparison of rows with the output of `kubectl get` for assorted objects on a real API server."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from dashboard.objects.kinds.row import Cell
from dashboard.objects.printers import columns_for
from tests.support.controlplane import ControlPlane
from tests.support.objects.pod_states import LONG_AGO, STATES, PodState, condition, pod_of
from tests.support.objects.rows import Json, cells_of, row_of
from tests.support.skip_if_missing import controlplane_binaries

NAMESPACE = "rows-and-kubectl"
CRD = Path(__file__).resolve().parents[4] / "deploy" / "crd" / "mydemos.yaml"
NOT_OURS = frozenset({"AGE", "LAST SEEN", "FIRST SEEN", "DURATION", "LAST SCHEDULE"})
"""Columns that grow while one looks."""
OTHER_NAMES = {"AVAILABLE": "available", "PORT(S)": "ports", "KERNEL-VERSION": "kernel", "CONTAINER-RUNTIME": "runtime"}


def human(seconds: float) -> str:
    """kubectl's words for an age of more than eight days (apimachinery's duration.HumanDuration)."""
    assert seconds > 8 * 86400
    return f"{int(seconds // 86400)}d"


def printed(controlplane: ControlPlane, kind: str, *scope: str) -> dict[str, dict[str, str]]:
    """kubectl's wide table: by name, by header."""
    kubectl = controlplane_binaries() / "kubectl"
    arguments = [str(kubectl), "--kubeconfig", str(controlplane.kubeconfig), "get", kind, "-o", "wide", *scope]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60)
    lines = answer.stdout.splitlines()
    found = list(re.finditer(r"\S+( \S+)*", lines[0]))
    headers, starts = [match.group() for match in found], [match.start() for match in found]
    rows = []
    for line in lines[1:]:
        ends = [*starts[1:], len(line) + 1]
        rows.append({h: line[a:b].strip() for h, a, b in zip(headers, starts, ends, strict=True)})
    return {row["NAME"]: row for row in rows}


def shown(value: Cell) -> str:
    return "<none>" if value is None else str(value)


def compare(key: str, theirs: dict[str, str], ours: dict[str, Any]) -> None:
    """Every column of kubectl's is one of ours, with the same text."""
    for header, text in theirs.items():
        if header in NOT_OURS:
            continue
        column = OTHER_NAMES.get(header, header.lower().replace(" ", "-"))
        assert column in ours, f"kubectl has {header}, {key} has {list(ours)}"
        mine = shown(ours[column])
        if header == "RESTARTS" and ours["restarts"] and ours["last-restart"]:
            mine += f" ({human(time.time() - ours['last-restart'])} ago)"
        assert mine == (text.replace("<unknown>", "<none>") or "<none>"), f"{theirs['NAME']}: {header}"


def create_pod(controlplane: ControlPlane, state: PodState) -> None:
    path = f"/api/v1/namespaces/{NAMESPACE}/pods"
    pod = controlplane.create(path, pod_of(state, NAMESPACE))
    conditions = state.status.get("conditions") or pod["status"].get("conditions", [])
    status = {**state.status, "conditions": conditions}
    controlplane.patch(f"{path}/{state.name}/status", {"status": status})
    if state.deleted:
        controlplane.delete(f"{path}/{state.name}", {"gracePeriodSeconds": 3600})


@pytest.fixture(scope="module")
def namespace(controlplane: ControlPlane) -> str:
    controlplane.create_namespace(NAMESPACE)
    service_account = {"metadata": {"name": "default"}, "automountServiceAccountToken": False}
    controlplane.create(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", service_account)
    return NAMESPACE


def test_pods_are_shown_as_kubectl_prints_them(controlplane: ControlPlane, namespace: str) -> None:
    for state in STATES:
        create_pod(controlplane, state)
    theirs = printed(controlplane, "pods", "-n", namespace)
    pods = controlplane.get(f"/api/v1/namespaces/{namespace}/pods")["items"]
    assert sorted(theirs) == sorted(state.name for state in STATES)
    words = {}
    for pod in pods:
        row = row_of("pods", pod)
        words[row.name] = row.status
        compare("pods", theirs[row.name], cells_of("pods", row))
    assert words == {state.name: state.word for state in STATES}
    headers = [header.lower().replace(" ", "-") for header in next(iter(theirs.values()))]
    ours = [column.id for column in columns_for("pods")]
    assert [column for column in ours if column in headers] == headers


def template(**extra: Any) -> Json:
    containers = [{"name": "api", "image": "i:1"}, {"name": "log", "image": "i:2"}]
    return {"metadata": {"labels": {"app": "web", "tier": "a"}}, "spec": {"containers": containers, **extra}}


SELECTOR = {
    "matchLabels": {"tier": "a", "app": "web"},
    "matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "a"]}],
}
ONE = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i"}]}}}
CORE, APPS, BATCH = "/api/v1", "/apis/apps/v1", "/apis/batch/v1"
PORTS = [{"name": "a", "port": 80, "nodePort": 30080}, {"name": "b", "port": 53, "protocol": "UDP", "nodePort": 30053}]
SEEN = {"count": 9, "firstTimestamp": LONG_AGO, "lastTimestamp": LONG_AGO}


def spec(name: str, **fields: Any) -> Json:
    return {"metadata": {"name": name}, "spec": fields}


def event(name: str, kind: str, target: str, path: str = "", **fields: Any) -> Json:
    about = {"kind": kind, "name": target, "namespace": NAMESPACE, "fieldPath": path}
    return {"metadata": {"name": name}, "involvedObject": about, **fields}


Case = tuple[str, str, Json, Json]
WORKLOADS: tuple[Case, ...] = (
    (
        "deployments.apps",
        APPS,
        spec("web", replicas=3, selector=SELECTOR, template=template()),
        {"replicas": 3, "readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1, "unavailableReplicas": 2},
    ),
    ("deployments.apps", APPS, spec("none", replicas=0, selector=SELECTOR, template=template()), {}),
    (
        "replicasets.apps",
        APPS,
        spec("web", replicas=2, selector=SELECTOR, template=template()),
        {"replicas": 2, "readyReplicas": 1},
    ),
    (
        "statefulsets.apps",
        APPS,
        spec("db", serviceName="db", replicas=2, selector=SELECTOR, template=template()),
        {"replicas": 2, "readyReplicas": 1},
    ),
    (
        "daemonsets.apps",
        APPS,
        spec("agent", selector=SELECTOR, template=template(nodeSelector={"b": "2", "a": "1"})),
        {"desiredNumberScheduled": 4, "currentNumberScheduled": 3, "numberReady": 2, "updatedNumberScheduled": 1}
        | {"numberAvailable": 2, "numberMisscheduled": 0},
    ),
    (
        "jobs.batch",
        BATCH,
        spec("settle", completions=3, **ONE),
        {"succeeded": 1, "active": 1, "startTime": LONG_AGO},
    ),
    ("jobs.batch", BATCH, spec("queue", parallelism=3, **ONE), {"active": 2, "startTime": LONG_AGO}),
    (
        "cronjobs.batch",
        BATCH,
        spec("nightly", schedule="0 3 * * *", timeZone="Etc/UTC", suspend=True, jobTemplate={"spec": ONE}),
        {},
    ),
)
OTHERS: tuple[Case, ...] = (
    ("services", CORE, spec("web", type="NodePort", selector={"b": "2", "a": "1"}, ports=PORTS), {}),
    ("services", CORE, spec("outside", type="LoadBalancer", ports=[{"port": 443, "nodePort": 30443}]), {}),
    ("services", CORE, spec("alias", type="ExternalName", externalName="db.example.org"), {}),
    (
        "configmaps",
        CORE,
        {"metadata": {"name": "settings"}, "data": {"a": "1", "b": "2"}, "binaryData": {"c": "AA=="}},
        {},
    ),
    ("secrets", CORE, {"metadata": {"name": "password"}, "data": {"a": "MQ=="}, "stringData": {"b": "2"}}, {}),
    (
        "mydemos.crddemo.k8s.io",
        "/apis/crddemo.k8s.io/v1",
        {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", **spec("demo", ip="10.0.0.1", port=8080)},
        {},
    ),
    (
        "events",
        CORE,
        event(
            "old", "Pod", "web", "spec.containers{api}", type="Warning", reason="BackOff", message="Back-off\n", **SEEN
        )
        | {"source": {"component": "kubelet", "host": "node-1"}},
        {},
    ),
    (
        "events",
        CORE,
        event("new", "Node", "node-1", type="Normal", reason="Started", message="m", action="Start")
        | {"reportingComponent": "x.example/y", "reportingInstance": "y-1", "eventTime": f"{LONG_AGO[:-1]}.000000Z"},
        {},
    ),
)


@pytest.mark.long
@pytest.mark.parametrize("cases", [WORKLOADS, OTHERS], ids=["workloads", "others"])
def test_other_kinds_are_shown_as_kubectl_prints_them(
    controlplane: ControlPlane, namespace: str, cases: tuple[Case, ...]
) -> None:
    controlplane.apply_crd(CRD)
    collections: dict[str, str] = {}
    for key, prefix, manifest, status in cases:
        collections[key] = collection = f"{prefix}/namespaces/{namespace}/{key.partition('.')[0]}"
        controlplane.create(collection, manifest)
        if status:
            controlplane.patch(f"{collection}/{manifest['metadata']['name']}/status", {"status": status})
    for key, collection in collections.items():
        theirs = printed(controlplane, key, "-n", namespace)
        for obj in controlplane.get(collection)["items"]:
            row = row_of(key, obj)
            compare(key, theirs[row.name], cells_of(key, row))


NODES: dict[str, tuple[Json, Json, Json]] = {
    "rows-ready": (
        {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "a"},
        {},
        {
            "conditions": [condition("Ready", "True")],
            "addresses": [
                {"type": "InternalIP", "address": "10.1.0.1"},
                {"type": "ExternalIP", "address": "192.0.2.1"},
            ],
            "nodeInfo": {
                **dict.fromkeys(("machineID", "systemUUID", "bootID", "kubeProxyVersion", "operatingSystem"), "x"),
                "architecture": "arm64",
                "kubeletVersion": "v1.37.1",
                "osImage": "Debian 13",
                "kernelVersion": "6.1",
                "containerRuntimeVersion": "containerd://2.1",
            },
        },
    ),
    "rows-unready": ({}, {"unschedulable": True}, {"conditions": [condition("Ready", "Unknown")]}),
    "rows-silent": ({}, {}, {}),
}


def test_nodes_and_namespaces_are_shown_as_kubectl_prints_them(controlplane: ControlPlane, namespace: str) -> None:
    try:
        for name, (labels, node_spec, status) in NODES.items():
            controlplane.create("/api/v1/nodes", {"metadata": {"name": name, "labels": labels}, "spec": node_spec})
            controlplane.patch(f"/api/v1/nodes/{name}/status", {"status": status})
        for key in ("nodes", "namespaces"):
            theirs = printed(controlplane, key)
            for obj in controlplane.get(f"/api/v1/{key}")["items"]:
                row = row_of(key, obj)
                compare(key, theirs[row.name], cells_of(key, row))
    finally:
        for name in NODES:
            controlplane.delete(f"/api/v1/nodes/{name}", {})
