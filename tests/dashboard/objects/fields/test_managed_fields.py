"""Tests of the last manager of each field, from managedFields as API servers write them."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.fields.field_access import PlainPath
from dashboard.objects.fields.managed_fields import MOST_FIELDS, FieldOwners, format_path, owned_fields_differ
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.pages.details.yaml_by_manager import yaml_by_manager


def entry(manager: str, fields: dict[str, Any], time: str = "2026-11-21T08:00:00Z", **more: Any) -> dict[str, Any]:
    return {"manager": manager, "operation": "Update", "fieldsV1": fields, "time": time, **more}


DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "uid": "u", "labels": {"app": "web", "a.b/c": "1"}, "finalizers": ["x/y", "z"]},
    "spec": {
        "replicas": 3,
        "template": {
            "spec": {
                "containers": [
                    {"name": "side", "image": "envoy"},
                    {"name": "app", "image": "nginx:2", "args": ["--a", "--b"], "ports": [{"containerPort": 80}]},
                ]
            }
        },
    },
    "status": {"readyReplicas": 2},
}
MANAGED = [
    entry(
        "kubectl-create",
        {
            "f:metadata": {
                "f:labels": {".": {}, "f:app": {}},
                "f:finalizers": {".": {}, 'v:"z"': {}},
            },
            "f:spec": {
                "f:replicas": {},
                "f:template": {
                    "f:spec": {
                        "f:containers": {
                            'k:{"name":"app"}': {
                                ".": {},
                                "f:name": {},
                                "f:image": {},
                                "f:args": {},
                                "f:ports": {
                                    'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}
                                },
                            }
                        }
                    }
                },
            },
        },
    ),
    entry("kubectl-edit", {"f:spec": {"f:replicas": {}}}, "2026-11-21T09:00:00Z"),
    entry(
        "kube-controller-manager", {"f:status": {"f:readyReplicas": {}}}, "2026-11-21T09:01:00Z", subresource="status"
    ),
]
OWNED = {**DEPLOYMENT, "metadata": {**DEPLOYMENT["metadata"], "managedFields": MANAGED}}
APP: PlainPath = ("spec", "template", "spec", "containers", 1)


@pytest.mark.parametrize(
    ("place", "manager"),
    [
        (("spec", "replicas"), "kubectl-edit"),
        (("status", "readyReplicas"), "kube-controller-manager"),
        (("metadata", "labels", "app"), "kubectl-create"),
        (("metadata", "labels"), "kubectl-create"),
        (("metadata", "finalizers", 1), "kubectl-create"),
        ((*APP, "image"), "kubectl-create"),
        ((*APP, "args", 1), "kubectl-create"),
        ((*APP, "ports", 0, "containerPort"), "kubectl-create"),
        (("metadata", "labels", "a.b/c"), None),
        (("metadata", "finalizers", 0), None),
        (("spec", "template", "spec", "containers", 0, "image"), None),
        (("metadata", "uid"), None),
        (("spec",), None),
    ],
)
def test_a_field_was_set_by_whoever_wrote_it_last(place: PlainPath, manager: str | None) -> None:
    setter = FieldOwners(OWNED).of(place)
    assert (setter.name if setter else None) == manager


def test_managers_are_named_newest_first_each_with_all_that_it_owns() -> None:
    managers = FieldOwners(OWNED).managers
    assert [(one.manager.words, one.count) for one in managers] == [
        ("kube-controller-manager · status", 1),
        ("kubectl-edit", 1),
        ("kubectl-create", 7),
    ]
    assert managers[1].fields == (".spec.replicas",)
    assert ".spec.replicas" in managers[2].fields


def test_a_manager_of_more_fields_than_are_named_has_the_rest_counted() -> None:
    data = {f"k{number}": "v" for number in range(MOST_FIELDS + 7)}
    fields: dict[str, Any] = {"f:data": {f"f:{name}": {} for name in data}}
    [one] = FieldOwners({"data": data, "metadata": {"managedFields": [entry("x", fields)]}}).managers
    assert (one.count, len(one.fields), one.more_count) == (MOST_FIELDS + 7, MOST_FIELDS, 7)


@pytest.mark.parametrize(
    "managed",
    [
        None, "x", [None, 3], [{}], [entry("x", {"k:{": {}, "v:]": {}, "i:9": {}, "f:none": {}, "": {}, "?": {}})],
        [entry("x", {"f:metadata": {"k:[1]": {}, "i:0": {}}})], [{"manager": "x", "fieldsV1": []}],
    ],
)  # fmt: skip
def test_what_makes_no_sense_owns_nothing(managed: Any) -> None:
    obj = {"metadata": {"name": "web", "managedFields": managed}}
    assert FieldOwners(obj).managers == ()
    assert "".join(run.text for run in yaml_by_manager(obj).runs) == to_yaml(obj)


def test_a_path_is_written_as_filters_and_columns_take_it() -> None:
    assert format_path(("metadata", "labels", "a.b/c")) == ".metadata.labels.a\\.b/c"
    assert format_path(("spec", "ports", 0, "port")) == ".spec.ports[0].port"


def test_a_list_of_many_items_is_looked_through_once_for_each_way_of_naming_them() -> None:
    class Counted(dict[str, Any]):
        looks = 0

        def __contains__(self, name: object) -> bool:
            Counted.looks += 1
            return super().__contains__(name)

    items = [Counted(name=f"i{number}", value=number) for number in range(200)]
    fields: dict[str, Any] = {"f:items": {f'k:{{"name":"i{number}"}}': {"f:value": {}} for number in range(200)}}
    owners = FieldOwners({"items": items, "metadata": {"managedFields": [entry("x", fields)]}})
    assert owners.of(("items", 199, "value")) is not None
    assert Counted.looks <= 3 * len(items)


@pytest.mark.parametrize(
    ("fields", "was", "now", "differs"),
    [
        ({"f:x": {}}, {"x": 1}, {"x": 2}, True),
        ({"f:x": {}}, {"x": 1, "y": 1}, {"x": 1, "y": 2}, False),
        ({"f:x": {"f:y": {}}}, {"x": {"y": 1, "z": 1}}, {"x": {"y": 1, "z": 2}}, False),
        ({"f:x": {".": {}}}, {"x": {"z": 1}}, {"x": {"z": 2}}, False),
        ({"f:x": {".": {}}}, {}, {"x": {}}, True),
        (
            {"f:x": {'k:{"n":"b"}': {"f:v": {}}}},
            {"x": [{"n": "b", "v": 1}]},
            {"x": [{"n": "a"}, {"n": "b", "v": 1}]},
            False,
        ),
        ({"f:x": {'k:{"n":"b"}': {"f:v": {}}}}, {"x": [{"n": "b", "v": 1}]}, {"x": [{"n": "b", "v": 2}]}, True),
        ({"f:x": {'v:"b"': {}}}, {"x": ["b", "a"]}, {"x": ["a", "b"]}, False),
        ({"f:x": {'v:"b"': {}}}, {"x": ["a"]}, {"x": ["a", "b"]}, True),
        ({"f:x": {"k:odd": {}}}, {"x": [1]}, {"x": [2]}, False),
        ({"f:x": "odd"}, {"x": 1}, {"x": 2}, False),
        ({}, {"x": 1}, {"x": 2}, False),
        (1, {"x": 1}, {"x": 2}, False),
    ],
)
def test_of_two_versions_the_named_fields_alone_are_compared(fields: Any, was: Any, now: Any, differs: bool) -> None:
    assert owned_fields_differ(fields, was, now) == differs
