"""Tests of field managers, read from an object's managedFields."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.fields.field_access import ItemKey, Value
from dashboard.objects.fields.managed_fields import field_managers, last_write, last_writer, last_writers


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
    assert last_writers(LIVE, ("spec", "port")) == ("bob", "kubectl")
    assert last_writers(LIVE, ("spec", "ip")) == ("kubectl",)


def test_who_scales_an_object_writes_its_spec() -> None:
    entries = [
        entry("kubectl-create", "2026-01-01T00:00:00Z", {"f:spec": {"f:replicas": {}}}),
        entry("autoscaler", "2026-01-02T00:00:00Z", {"f:spec": {"f:replicas": {}}}, subresource="scale"),
        entry("kcm", "2026-01-03T00:00:00Z", {"f:status": {"f:replicas": {}}}, subresource="status"),
    ]
    live: dict[str, Value] = {"metadata": {"managedFields": entries}}
    assert last_writers(live, ("spec", "replicas")) == ("autoscaler", "kubectl-create")
    assert last_writers(live, ("status", "replicas")) == ("kcm",)
    assert last_writer(live) == ("autoscaler", "2026-01-02T00:00:00Z")
    assert last_writer(live, "status") == ("kcm", "2026-01-03T00:00:00Z")


def test_what_belongs_to_somebody_as_a_whole_was_set_by_them_to_its_last_part() -> None:
    assert last_writers(LIVE, ("spec", "whole", 3, "part")) == ("bob",)


def test_nobody_is_named_for_a_map_of_many_for_items_and_for_what_nobody_set() -> None:
    assert last_writers(LIVE, ("spec",)) == ()
    assert last_writers(LIVE, ("spec", "items", 0, "name")) == ()
    assert last_writers(LIVE, ("spec", "other")) == ()
    assert last_writers({}, ("spec",)) == ()


def test_the_last_write_of_a_manager_is_its_newest_entry() -> None:
    entries = [
        entry("kubectl", "2026-01-01T00:00:00Z", {"f:spec": {}}),
        entry("kubectl", "2026-01-03T00:00:00Z", {"f:status": {}}, subresource="status"),
        entry("bob", "2026-01-04T00:00:00Z", {"f:spec": {}}),
    ]
    live: dict[str, Value] = {"metadata": {"managedFields": entries}}
    assert last_write(live, "kubectl") == "2026-01-03T00:00:00Z"
    assert last_write(live, "nobody") == ""


def test_an_item_of_a_set_was_put_there_by_those_who_name_its_value() -> None:
    entries = [
        entry("first", "2026-01-02T00:00:00Z", {"f:metadata": {"f:finalizers": {".": {}, 'v:"a.b/hold"': {}}}}),
        entry("second", "2026-01-01T00:00:00Z", {"f:metadata": {"f:finalizers": {'v:"a.b/hold"': {}, 'v:"é"': {}}}}),
    ]
    live: dict[str, Value] = {"metadata": {"managedFields": entries}}

    def setters(value: str) -> list[str]:
        return [each.name for each in field_managers(live, ("metadata", "finalizers", ItemKey((("", value),))))]

    assert setters("a.b/hold") == ["first", "second"]
    assert setters("é") == ["second"]
    assert setters("a.b") == []


@pytest.mark.parametrize(
    "managed", [None, "x", [None, 3], [{"manager": "x", "fieldsV1": []}], [{"fieldsV1": {"f:a": 1}}]]
)
def test_entries_that_make_no_sense_name_nobody(managed: Any) -> None:
    live: dict[str, Value] = {"metadata": {"managedFields": managed}}
    assert last_writers(live, ("a", "b")) == ()
    assert last_writer(live) == ("", "")
