"""Tests of forms of built-in kinds, from the schemas that a real API server publishes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.diff import changes
from dashboard.pages.writes.editable_part import editable_part
from tests.support.controlplane import ControlPlane
from tests.support.forms.form_page import FormPage

POD = {"containers": [{"name": "web", "image": "nginx", "ports": [{"containerPort": 80}],
                       "resources": {"limits": {"cpu": "500m"}}}]}  # fmt: skip
RULE = {
    "http": {
        "paths": [{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "a", "port": {"number": 80}}}}]
    }
}
OBJECTS: dict[str, tuple[dict[str, Any], str, str, Any]] = {
    "deployments.apps": (
        {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
         "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD}},
        "spec.template.spec.containers[0].resources.limits.cpu", "1", "1",
    ),
    "services": ({"ports": [{"port": 80, "targetPort": "http"}], "selector": {"app": "web"}},
                 "spec.ports[0].targetPort", "8080", 8080),
    "ingresses.networking.k8s.io": (
        {"rules": [RULE]}, "spec.rules[0].http.paths[0].backend.service.port.number", "81", 81),
}  # fmt: skip


@pytest.mark.parametrize("key", OBJECTS)
async def test_a_builtin_object_has_a_form_that_changes_only_what_was_changed(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, key: str
) -> None:
    spec, field, typed, value = OBJECTS[key]
    resource = KINDS[key].resource
    manifest = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "one"}, "spec": spec}
    live = cluster.create(resource.path(namespace), manifest)
    schema = await parts.schemas.schema_of(parts.client, resource)
    sheet = FormPage.of(schema, to_yaml(editable_part(live)))
    assert sheet.posted({}).text == sheet.text
    after = sheet.posted({f"field.{field}": typed})
    assert not after.problems
    assert [(each.field, each.now) for each in changes(sheet.document.value, after.document.value)] == [(field, value)]
