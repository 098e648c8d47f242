"""Tests of the delete page of custom resources, whose spec and status may have any shape."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from informerd.rest.discovery import Discovery
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shapes.removal.example.com}
spec:
  group: removal.example.com
  scope: Namespaced
  names: {plural: shapes, singular: shape, kind: Shape}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
API = "removal.example.com/v1"


@pytest.fixture(scope="module")
def shapes(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> None:
    file: Path = tmp_path_factory.mktemp("crd") / "shapes.yaml"
    file.write_text(CRD)
    cluster.apply_crd(file)


@pytest.mark.usefixtures("shapes")
@pytest.mark.parametrize(
    "shape",
    [
        {"spec": {"terminationGracePeriodSeconds": "30s"}},
        {"spec": "a text"},
        {"spec": ["a", "list"]},
        {"spec": {"finalizers": 7}, "status": {"conditions": ["Ready"]}},
        {"status": "Ready"},
    ],
)
async def test_it_is_shown_deleted_and_followed_whatever_shape_it_has(
    browser: Browser, parts: SimpleNamespace, shape: dict[str, Any], cluster: ControlPlane, namespace: str
) -> None:
    parts.discovery = Discovery(parts.client)
    collection = f"/apis/{API}/namespaces/{namespace}/shapes"
    metadata = {"name": "one", "finalizers": ["example.com/hold"]}
    cluster.create(collection, {"apiVersion": API, "kind": "Shape", "metadata": metadata, **shape})
    path = f"/resources/shapes.removal.example.com/{namespace}/one/delete/"
    page = await browser.open(path)
    assert page.status == 200
    assert "example.com/hold" in page.text
    page = await browser.press(page, "delete")
    assert "deletionTimestamp" in cluster.get(f"{collection}/one")["metadata"]
    assert "Waiting for the finalizer example.com/hold" in page.text
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})
