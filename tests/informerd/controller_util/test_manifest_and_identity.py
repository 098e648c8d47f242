"""Tests of manifests and heads of objects in any form."""

from __future__ import annotations

from typing import Any

import pytest
from kubernetes.aio.client.models import V1ConfigMap

from informerd.controller_util.manifest_and_identity import Head, head_of, manifest_of
from informerd.errors import InvalidCall
from informerd.objects import Object, ObjectMeta
from informerd.unstructured import Json


@pytest.mark.parametrize(
    "obj", [{}, {"metadata": {}}, {"metadata": 3}, {"metadata": {"name": 3}}, {"metadata": {"name": ""}}, 3, None]
)
def test_what_has_no_name_cannot_be_written(obj: Any) -> None:
    with pytest.raises(InvalidCall):
        head_of(obj)


def test_a_projection_without_its_whole_copy_is_to_be_read_first() -> None:
    with pytest.raises(InvalidCall, match="read it from the API server"):
        manifest_of(Object(metadata=ObjectMeta(name="a")))


def test_a_manifest_is_the_callers_own() -> None:
    obj: Json = {"metadata": {"name": "a", "labels": {}}}
    manifest_of(obj)["metadata"]["labels"]["b"] = "c"
    assert obj == {"metadata": {"name": "a", "labels": {}}}


def test_all_forms_of_an_object_have_the_same_head() -> None:
    obj = {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "a", "namespace": "b", "uid": "c", "resourceVersion": "7", "finalizers": ["e/f"],
            "deletionTimestamp": "2027-01-15T08:00:00Z", "generation": 3, "labels": None,
        },
    }  # fmt: skip
    head = head_of(obj)
    assert head.resource_version == "7"
    assert str(head) == "ConfigMap b/a"
    model = head_of(V1ConfigMap.from_dict(obj))
    meta = ObjectMeta(name="a", namespace="b", uid="c", resource_version="7", finalizers=("e/f",), generation=3)
    projection = head_of(Object(api_version="v1", kind="ConfigMap", metadata=meta))
    assert head_of(model_free(head)) == projection
    assert (model.name, model.namespace, model.uid, model.finalizers) == ("a", "b", "c", ("e/f",))
    assert model.deletion_timestamp


def model_free(head: Head) -> Json:
    return {
        "apiVersion": head.api_version, "kind": head.kind,
        "metadata": {
            "name": head.name, "namespace": head.namespace, "uid": head.uid, "generation": head.generation,
            "resourceVersion": head.resource_version, "finalizers": [*head.finalizers],
        },
    }  # fmt: skip
