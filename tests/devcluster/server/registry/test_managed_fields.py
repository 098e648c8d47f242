"""Comparison of managedFields between the demo cluster and the real API server, for the same writes.

Entries that only say that a map or a list item exists (".") are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.devcluster.gadget_crd import GADGETS, gadget
from tests.support.devcluster.http_client import JSON_PATCH, MERGE, STRATEGIC, Api, Json
from tests.support.devcluster.parity.case import deployment
from tests.support.wait import until

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEPLOYMENTS = "/apis/apps/v1/namespaces/owners/deployments"
GADGETS_OF = "/apis/devcluster.example/v1/namespaces/owners/gadgets"
MAPS = "/api/v1/namespaces/owners/configmaps"

Write = tuple[str, str, Any, str, str]
"""Method, path, body, content type, and who writes."""

JSON = "application/json"
IMAGE = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "other"}]}}}}
WRITES: dict[str, tuple[Write, ...]] = {
    f"{DEPLOYMENTS}/owned": (
        ("POST", DEPLOYMENTS, deployment("owned"), JSON, "maker"),
        ("PATCH", f"{DEPLOYMENTS}/owned", IMAGE, STRATEGIC, "painter"),
        ("PATCH", f"{DEPLOYMENTS}/owned", {"metadata": {"labels": {"a": "b", "c": "d"}}}, MERGE, "labeller"),
        ("PATCH", f"{DEPLOYMENTS}/owned", {"metadata": {"labels": {"c": None}}}, MERGE, "cleaner"),
        ("PATCH", f"{DEPLOYMENTS}/owned", {"metadata": {"labels": {"a": "b"}}}, MERGE, "nobody"),
        ("PATCH", f"{DEPLOYMENTS}/owned/scale", {"spec": {"replicas": 7}}, MERGE, "scaler"),
        ("PATCH", f"{DEPLOYMENTS}/owned/status", {"status": {"replicas": 3}}, MERGE, "controller"),
    ),
    f"{GADGETS_OF}/owned": (
        ("POST", GADGETS_OF, gadget("owned", tags=["a"], set=["x", "y"], map={"k": 1, "l": 2}), JSON, "maker"),
        ("PATCH", f"{GADGETS_OF}/owned", {"spec": {"port": 9, "map": {"k": 3}}}, MERGE, "painter"),
        ("PATCH", f"{GADGETS_OF}/owned", [{"op": "remove", "path": "/spec/set/0"}], JSON_PATCH, "cleaner"),
        ("PATCH", f"{GADGETS_OF}/owned", {"metadata": {"finalizers": ["a.b/c"]}}, MERGE, "keeper"),
    ),
    f"{MAPS}/owned": (
        ("POST", MAPS, {"metadata": {"name": "owned"}, "data": {"a": "1", "b": "2"}}, JSON, "maker"),
        ("PUT", f"{MAPS}/owned", {"metadata": {"name": "owned"}, "data": {"a": "1", "b": "3"}}, JSON, "painter"),
    ),
}


def leaves(tree: Json, path: str = "") -> Iterator[str]:
    """The fields in a FieldsV1."""
    for step, below in tree.items():
        if step == ".":
            continue
        if below.keys() - {"."}:
            yield from leaves(below, f"{path}/{step}")
        else:
            yield f"{path}/{step}"


def owners(api: Api, path: str) -> dict[str, list[str]]:
    """By field the managers that own it, and through which subresource."""
    found: dict[str, list[str]] = {}
    for entry in api.get(path).json["metadata"]["managedFields"]:
        assert (entry["operation"], entry["fieldsType"]) == ("Update", "FieldsV1")
        for field in leaves(entry["fieldsV1"]):
            found.setdefault(field, []).append(f"{entry['manager']} {entry.get('subresource', '')}".strip())
    return found


@pytest.fixture
def api_of() -> Callable[[Path], Api]:
    def prepared(kubeconfig: Path) -> Api:
        api = Api.of(kubeconfig)
        api.post(CRDS, GADGETS)
        until(lambda: api.get("/apis/devcluster.example/v1/gadgets").code == 200, what="gadgets are served")
        api.post("/api/v1/namespaces", {"metadata": {"name": "owners"}})
        return api

    return prepared


def written(api: Api, path: str) -> dict[str, list[str]]:
    for method, where, body, content_type, manager in WRITES[path]:
        reply = api.call(method, f"{where}?fieldManager={manager}", body, content_type)
        assert reply.code < 300, reply.text
    return owners(api, path)


@pytest.mark.long
@pytest.mark.parametrize("path", list(WRITES))
def test_each_field_has_the_manager_that_the_real_server_says(
    controlplane: ControlPlane, process: Path, api_of: Callable[[Path], Api], path: str
) -> None:
    expected, found = (written(api_of(kubeconfig), path) for kubeconfig in (controlplane.kubeconfig, process))
    assert len({manager for managers in expected.values() for manager in managers}) >= 2
    assert found == expected


def test_a_manager_without_a_name_is_the_program(api: Api, namespace: str) -> None:
    api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    api.call("POST", path, {"metadata": {"name": "c"}, "data": {"a": "1"}}, **{"User-Agent": "kubectl/v1.37 (linux)"})
    assert owners(api, f"{path}/c") == {"/f:data/f:a": ["kubectl"]}


def test_what_clients_send_as_managed_fields_is_not_believed(api: Api, namespace: str) -> None:
    api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    claimed = [{"manager": "liar", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}]
    body = {"metadata": {"name": "c", "managedFields": claimed}, "data": {"a": "1"}}
    made = api.call("POST", f"{path}?fieldManager=maker", body)
    assert owners(api, f"{path}/c") == {"/f:data/f:a": ["maker"]}
    body["metadata"] = {"name": "c", "managedFields": claimed}
    assert api.put(f"{path}/c", body).json["metadata"]["managedFields"] == made.json["metadata"]["managedFields"]
