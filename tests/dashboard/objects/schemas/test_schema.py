"""Tests of schemas, found in OpenAPI and in definitions."""

from __future__ import annotations

from dashboard.objects.schemas.schema import crd_schema, kind_schema


def test_schemas_are_found_in_openapi_and_in_crds_and_references_are_followed() -> None:
    widget = {
        "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Widget"}],
        "properties": {"spec": {"allOf": [{"$ref": "#/components/schemas/g.Spec"}], "description": "mine"}},
    }
    spec = {"description": "theirs", "properties": {"size": {"type": "integer"}}}
    openapi = {"components": {"schemas": {"g.Widget": widget, "g.Spec": spec, "g.Other": {}}}}
    found = kind_schema(openapi, "g", "v1", "Widget")
    assert found is not None
    assert found.child("spec").node["description"] == "mine"
    assert found.child("spec").child("size").node == {"type": "integer"}
    assert found.child("metadata").child("finalizers").list_keys == ("",)
    assert set(found.definitions) == {"g.Spec"}
    assert kind_schema(openapi, "g", "v1", "Gadget") is None
    crd = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"spec": spec}}}}]}}
    of_crd = crd_schema(crd, "v1")
    assert of_crd is not None
    assert of_crd.child("spec").child("size")
    assert crd_schema(crd, "v2") is None
