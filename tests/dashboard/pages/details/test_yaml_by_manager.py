"""Tests of an object's YAML in runs of lines with the same manager."""

from __future__ import annotations

from typing import Any

from dashboard.objects.fields.managed_fields import FieldOwners
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.pages.details.yaml_by_manager import MOST_LINES, yaml_by_manager
from tests.dashboard.objects.fields.test_managed_fields import DEPLOYMENT, MANAGED, OWNED, entry
from tests.support.controlplane import ControlPlane


def test_runs_are_the_yaml_and_lines_that_lead_to_a_field_go_with_it() -> None:
    found = yaml_by_manager(OWNED)
    assert "".join(run.text for run in found.runs) == to_yaml(OWNED)
    by = {run.text: run.manager.name if run.manager else None for run in found.runs}
    assert by["spec:\n  replicas: 3\n"] == "kubectl-edit"
    assert by["status:\n  readyReplicas: 2\n"] == "kube-controller-manager"
    assert "manager: kubectl-edit" in found.managed_fields_yaml


def test_runs_are_text_in_the_page_whatever_managers_and_fields_are_called() -> None:
    nasty = "<script>\"'"
    obj = {"data": {nasty: nasty}, "metadata": {"managedFields": [entry(nasty, {"f:data": {f"f:{nasty}": {}}})]}}
    html = yaml_by_manager(obj).html("x")
    assert "<script>" not in html
    assert html.count("<span") == html.count("</span>") == 5


def test_of_a_very_long_text_nobody_says_line_by_line_who_set_it_and_it_is_whole_all_the_same() -> None:
    data = {f"k{number}": "v" for number in range(MOST_LINES + 1)}
    obj = {"data": data, "metadata": {"managedFields": [entry("x", {"f:data": {"f:k1": {}}})]}}
    found = yaml_by_manager(obj)
    assert found.is_too_long
    assert "".join(run.text for run in found.runs) == to_yaml(obj)
    assert "manager: x" in found.managed_fields_yaml


def test_a_field_of_two_managers_names_both() -> None:
    fields = {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:replicas": {}}}
    earlier = entry("helm", fields, operation="Apply")
    obj = {**OWNED, "metadata": {**DEPLOYMENT["metadata"], "managedFields": [earlier, *MANAGED]}}
    owners = FieldOwners(obj)
    assert [other.name for other in owners.others(("spec", "replicas"))] == ["kubectl-create", "helm"]
    assert owners.others(("status", "readyReplicas")) == ()
    runs = {run.text: run for run in yaml_by_manager(obj).runs}
    assert [other.name for other in runs["spec:\n  replicas: 3\n"].other_managers] == ["kubectl-create", "helm"]
    html = yaml_by_manager(obj).html("x")
    assert 'data-by="kubectl-edit and 2 more"' in html
    said = "Set by kubectl-edit, which last wrote at 2026-11-21T09:00:00Z; also owned by kubectl-create, helm"
    assert f'title="{said}"' in html


def _apply(api: ControlPlane, path: str, manager: str, obj: dict[str, Any]) -> None:
    """Server-side apply by `manager`, who takes over what others own."""
    query = f"?fieldManager={manager}&force=true"
    api.request("PATCH", path + query, obj, content_type="application/apply-patch+yaml")


def test_each_line_names_the_manager_whom_the_real_api_server_means(controlplane: ControlPlane) -> None:
    namespace = controlplane.create_namespace("field-owners")
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/owned"
    name: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "owned"}}
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]
    container = {"name": "c", "image": "c:1", "ports": ports, "env": [{"name": "A", "value": "1"}], "args": ["--a"]}
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, "template": template}
    labels = {"a": "1", "b": "1", "c.d/e": "1"}
    _apply(controlplane, path, "first", {**name, "metadata": {"name": "owned", "labels": labels}, "spec": spec})
    controlplane.patch(f"{path}?fieldManager=hand", {"metadata": {"labels": {"b": "2"}, "finalizers": ["x.y/hold"]}})
    controlplane.patch(f"{path}/scale?fieldManager=scaler", {"spec": {"replicas": 3}})
    taken = {"name": "c", "image": "c:2", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    _apply(controlplane, path, "taker", {**name, "spec": {"template": {"spec": {"containers": [taken]}}}})
    status = {"conditions": [{"type": "Odd", "status": "True"}], "replicas": 7}
    controlplane.patch(f"{path}/status?fieldManager=watcher", {"status": status})
    try:
        obj = controlplane.get(path)
        by = {}
        for run in yaml_by_manager(obj).runs:
            managers = {one.words for one in (run.manager, *run.other_managers) if one is not None}
            by.update(dict.fromkeys((line.strip().removeprefix("- ") for line in run.text.splitlines()), managers))
    finally:
        controlplane.patch(path, {"metadata": {"finalizers": None}})
        controlplane.delete(path)
    expected = {
        'a: "1"': {"first"}, 'b: "2"': {"hand"}, 'c.d/e: "1"': {"first"}, "x.y/hold": {"hand"},
        "replicas: 3": {"scaler · scale"}, "image: c:2": {"taker"}, "name: A": {"first", "taker"}, "name: B": {"taker"},
        'value: "2"': {"taker"}, "--a": {"first"}, "containerPort: 80": {"first"}, "protocol: UDP": {"first"},
        "app: x": {"first"}, "type: Odd": {"watcher · status"}, "replicas: 7": {"watcher · status"},
        "terminationGracePeriodSeconds: 30": set(),
    }  # fmt: skip
    assert {line: by[line] for line in expected} == expected
