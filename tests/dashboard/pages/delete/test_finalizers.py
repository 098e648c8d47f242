"""Tests of finalizers with their managers."""

from __future__ import annotations

from dashboard.objects.fields.field_access import Value
from dashboard.pages.delete.finalizers import finalizers_of
from tests.dashboard.objects.fields.test_managed_fields_last_writer import entry


def test_a_finalizer_names_the_manager_that_the_api_server_lists_last() -> None:
    entries = [
        entry("first", "2026-01-02T00:00:00Z", {"f:metadata": {"f:finalizers": {".": {}, 'v:"a.b/hold"': {}}}}),
        entry("", "2026-01-01T00:00:00Z", {"f:metadata": {"f:finalizers": {'v:"orphan"': {}}}}),
        entry("removed its own", "2026-01-03T00:00:00Z", {"f:metadata": {"f:finalizers": {}}}),
    ]
    live: dict[str, Value] = {"metadata": {"finalizers": ["a.b/hold", "orphan", "x"], "managedFields": entries}}
    assert [(each.name, each.field_manager, each.last_write) for each in finalizers_of(live)] == [
        ("a.b/hold", "first", "2026-01-02T00:00:00Z"),
        ("orphan", "", "2026-01-01T00:00:00Z"),
        ("x", "", ""),
    ]
