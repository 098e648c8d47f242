"""Tests of the demo cluster's metrics API: what is measured, which requests it takes, and ``kubectl top``."""

from __future__ import annotations

import asyncio
import random
import re
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints.metrics_api import PODS_IN_STEP, list_metrics
from devcluster.server.kinds import POD_METRICS
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage.selectors import Selection
from tests.support.devcluster.http_client import Api
from tests.support.devcluster.parity.case import pod
from tests.support.kubectl import KubectlSide

METRICS = "/apis/metrics.k8s.io/v1beta1"


def moment(seconds_ago: float) -> str:
    return datetime.fromtimestamp(int(time.time() - seconds_ago), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def create_node(api: Api, name: str) -> None:
    node = {"metadata": {"name": name, "labels": {"zone": "a"}}}
    assert api.post("/api/v1/nodes", node).code == 201
    report_node(api, name, "True")


def report_node(api: Api, name: str, ready: str) -> None:
    status = {"status": {"conditions": [{"type": "Ready", "status": ready}]}}
    assert api.patch(f"/api/v1/nodes/{name}/status", status).code == 200


def run_pod(api: Api, namespace: str, name: str, node: str, *, seconds: float) -> None:
    """A pod that has run for so many seconds."""
    body: dict[str, Any] = pod(name)
    body["metadata"]["labels"] = {"app": name}
    body["spec"]["nodeName"] = node
    pods = f"/api/v1/namespaces/{namespace}/pods"
    assert api.post(pods, body).code == 201
    status = {"name": "c", "image": "i", "imageID": "", "ready": True, "restartCount": 0}
    running = {**status, "state": {"running": {"startedAt": moment(seconds)}}}
    patch = {"status": {"phase": "Running", "containerStatuses": [running]}}
    assert api.patch(f"{pods}/{name}/status", patch).code == 200


@pytest.fixture
def node(api: Api, namespace: str) -> str:
    """A node with a pod that runs and one that has just begun to."""
    name = f"node-of-{namespace}"
    create_node(api, name)
    assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
    run_pod(api, namespace, "old", name, seconds=300)
    run_pod(api, namespace, "new", name, seconds=0)
    return name


def test_pods_and_nodes_are_measured_once_they_have_run_for_a_window(api: Api, namespace: str, node: str) -> None:
    pods = api.get(f"{METRICS}/namespaces/{namespace}/pods").json
    assert (pods["kind"], pods["apiVersion"]) == ("PodMetricsList", "metrics.k8s.io/v1beta1")
    (measured,) = pods["items"]
    assert (measured["metadata"]["name"], measured["metadata"]["namespace"]) == ("old", namespace)
    assert measured["window"] == "15s"
    (container,) = measured["containers"]
    assert container["name"] == "c"
    assert re.fullmatch(r"[1-9]\d*n", container["usage"]["cpu"])
    assert re.fullmatch(r"[1-9]\d*Ki", container["usage"]["memory"])
    of_node = api.get(f"{METRICS}/nodes/{node}").json
    assert of_node["kind"] == "NodeMetrics"
    used = (int(each["usage"]["memory"].removesuffix("Ki")) for each in (of_node, container))
    assert next(used) > next(used)
    assert api.get(f"{METRICS}/namespaces/{namespace}/pods/old").json["containers"][0]["name"] == "c"


def test_labels_fields_and_names_select_what_is_listed(api: Api, namespace: str, node: str) -> None:
    pods = f"{METRICS}/namespaces/{namespace}/pods"
    assert len(api.get(f"{pods}?labelSelector=app%3Dold").json["items"]) == 1
    assert api.get(f"{pods}?labelSelector=app%3Dother").json["items"] == []
    assert len(api.get(f"{pods}?fieldSelector=metadata.name%3Dold").json["items"]) == 1
    names = {each["metadata"]["name"] for each in api.get(f"{METRICS}/nodes?labelSelector=zone%3Da").json["items"]}
    assert node in names
    assert api.get(f"{pods}/new").code == 404
    assert api.get(f"{METRICS}/nodes/none").code == 404


def test_a_node_that_does_not_answer_has_no_metrics_and_neither_have_its_pods(
    api: Api, namespace: str, node: str
) -> None:
    report_node(api, node, "Unknown")
    assert api.get(f"{METRICS}/namespaces/{namespace}/pods").json["items"] == []
    assert api.get(f"{METRICS}/nodes/{node}").code == 404


def test_metrics_are_only_read(api: Api, namespace: str, node: str) -> None:
    pods = f"{METRICS}/namespaces/{namespace}/pods"
    assert api.call("DELETE", f"{pods}/old").code == 405
    assert api.post(pods, {}).code == 405
    kinds = api.get(METRICS).json["resources"]
    assert [(kind["name"], kind["verbs"]) for kind in kinds] == [("nodes", ["get", "list"]), ("pods", ["get", "list"])]


def test_kubectl_top_prints_them(api: Api, namespace: str, node: str, kubectl: KubectlSide) -> None:
    assert re.search(r"^old +\d+m +\d+Mi", kubectl.run(f"top pods -n {namespace}"), re.MULTILINE)
    create_ready = api.get(f"/api/v1/nodes/{node}").json["status"]
    capacity = {"status": {**create_ready, "allocatable": {"cpu": "4", "memory": "8Gi"}}}
    assert api.patch(f"/api/v1/nodes/{node}/status", capacity).code == 200
    assert re.search(rf"^{node} +\d+m +\d+% +\d+Mi +\d+%", kubectl.run(f"top nodes {node}"), re.MULTILINE)


@pytest.mark.slow
async def test_pods_that_are_deleted_while_others_are_measured_are_left_out() -> None:
    core = ApiServer(now=time.time, rng=random.Random(1))
    for number in range(3 * PODS_IN_STEP):
        core.create(core.kind("pods"), "default", pod(f"web-{number:04d}"))
    asked = asyncio.create_task(list_metrics(core, POD_METRICS, Selection()))
    await asyncio.sleep(0)
    for number in range(3 * PODS_IN_STEP):
        core.deletion.delete(core.kind("pods"), "default", f"web-{number:04d}", DeleteOptions(grace_seconds=0))
    assert (await asked)["items"] == []
