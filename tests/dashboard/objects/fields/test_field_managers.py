"""Tests of field managers, read from an object's managedFields."""

from __future__ import annotations

from typing import Any

from dashboard.objects.fields.fields import Value
from dashboard.objects.fields.managed_fields import field_managers, last_writer


def entry(manager: str, time: str, fields: dict[str, Any], subresource: str = "") -> dict[str, Any]:
    return {"manager": manager, "time": time, "fieldsV1": fields, "subresource": subresource}


LIVE: dict[str, Value] = {
    "metadata": {
        "managedFields": [
            entry("kubectl", "2026-01-01T00:00:00Z", {"f:spec": {".": {}, "f:ip": {}, "f:port": {}}}),
            entry("bob", "2026-01-02T00:00:00Z", {"f:spec": {"f:port": {}, "f:whole": {}}}),
            entry("kubelet", "2026-01-03T00:00:00Z", {"f:spec": {"f:port": {}}}, subresource="status"),
            entry("list", "2026-01-01T00:00:00Z", {"f:spec": {"f:items": {'k:{"name":"a"}': {"f:name": {}}}}}),
        ]
    }
}


def test_the_last_writer_of_a_field_is_named_first_and_writers_of_status_are_left_out() -> None:
    assert field_managers(LIVE, ("spec", "port")) == ("bob", "kubectl")
    assert field_managers(LIVE, ("spec", "ip")) == ("kubectl",)


def test_who_scales_an_object_writes_its_spec() -> None:
    entries = [
        entry("kubectl-create", "2026-01-01T00:00:00Z", {"f:spec": {"f:replicas": {}}}),
        entry("autoscaler", "2026-01-02T00:00:00Z", {"f:spec": {"f:replicas": {}}}, subresource="scale"),
        entry("kcm", "2026-01-03T00:00:00Z", {"f:status": {"f:replicas": {}}}, subresource="status"),
    ]
    live: dict[str, Value] = {"metadata": {"managedFields": entries}}
    assert field_managers(live, ("spec", "replicas")) == ("autoscaler", "kubectl-create")
    assert field_managers(live, ("status", "replicas")) == ("kcm",)
    assert last_writer(live) == ("autoscaler", "2026-01-02T00:00:00Z")
    assert last_writer(live, "status") == ("kcm", "2026-01-03T00:00:00Z")


def test_what_belongs_to_somebody_as_a_whole_was_set_by_them_to_its_last_part() -> None:
    assert field_managers(LIVE, ("spec", "whole", 3, "part")) == ("bob",)


def test_nobody_is_named_for_a_map_of_many_for_items_and_for_what_nobody_set() -> None:
    assert field_managers(LIVE, ("spec",)) == ()
    assert field_managers(LIVE, ("spec", "items", 0, "name")) == ()
    assert field_managers(LIVE, ("spec", "other")) == ()
    assert field_managers({}, ("spec",)) == ()
