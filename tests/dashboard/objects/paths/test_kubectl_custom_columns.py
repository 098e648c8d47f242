"""Comparison of fields by path with kubectl's custom columns, for the same objects and the command that the page
offers.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator

import pytest
from django.http import QueryDict

from dashboard.live.rendering.cells import cells_of
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.kubectl import kubectl_command
from tests.support.controlplane import ControlPlane
from tests.support.objects.rows import Json, row_of
from tests.support.skip_if_missing import controlplane_binaries

NAMESPACE = "paths-and-kubectl"
PATHS = (
    ".spec.priority", ".spec.nodeName", ".spec.containers[*].image", ".spec.containers[0].name",
    r".metadata.labels.app\.kubernetes\.io/name", ".spec.containers[*].resources.limits.cpu",
    ".status.conditions[?(@.type==Ready)].status", ".spec.enableServiceLinks", ".spec.foo",
    ".spec.terminationGracePeriodSeconds", ".spec.containers[-1].image", ".metadata.annotations.note",
)  # fmt: skip


def pod(name: str, *images: str, **spec: object) -> Json:
    containers = [{"name": f"c{index}", "image": image} for index, image in enumerate(images)]
    containers[0]["resources"] = {"limits": {"cpu": "500m"}}  # type: ignore[assignment]
    labels = {"app.kubernetes.io/name": name} if len(images) > 1 else {}
    annotations = {"note": "a, b: c"} if len(images) > 1 else {}
    return {
        "metadata": {"name": name, "labels": labels, "annotations": annotations},
        "spec": {"containers": containers, "automountServiceAccountToken": False, **spec},
    }


@pytest.fixture
def pods(controlplane: ControlPlane) -> Iterator[list[Json]]:
    controlplane.create_namespace(NAMESPACE)
    path = f"/api/v1/namespaces/{NAMESPACE}"
    account = {"metadata": {"name": "default"}, "automountServiceAccountToken": False}
    controlplane.create(f"{path}/serviceaccounts", account)
    controlplane.create(f"{path}/pods", pod("one", "nginx:1", nodeName="node-1"))
    controlplane.create(f"{path}/pods", pod("two", "nginx:1", "envoy:2", enableServiceLinks=False))
    status = {"conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "False"}]}
    controlplane.patch(f"{path}/pods/two/status", {"status": status})
    yield controlplane.get(f"{path}/pods")["items"]
    for name in ("one", "two"):
        controlplane.delete(f"{path}/pods/{name}", {"gracePeriodSeconds": 0})


def test_fields_by_path_are_printed_as_kubectl_prints_them(controlplane: ControlPlane, pods: list[Json]) -> None:
    for path in PATHS:
        params = QueryDict(mutable=True)
        params.update({"namespace": NAMESPACE, "columns": path, "sort": ".metadata.name"})
        query = Query.parse(params, "pods")
        assert not query.problems
        command = kubectl_command(KINDS["pods"], query)
        assert not command.omitted_parts
        words = shlex.split(command.arguments)
        arguments = [str(controlplane_binaries() / "kubectl"), "--kubeconfig", str(controlplane.kubeconfig), *words]
        answer = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60)
        rows = sorted((row_of("pods", obj) for obj in pods), key=query.sort_key)
        ours = [cells_of(row, query.visible_columns())[0].text for row in rows]
        assert [line.strip() for line in answer.stdout.splitlines()[1:]] == ours, path
