"""Tests of additional printer columns: JSONPath as definitions use it, and the resulting columns and cells."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.objects.kinds.row import Cell, PrinterColumn, TableDefinition
from dashboard.objects.paths.json_path import InvalidJsonPath, JsonPath
from dashboard.objects.printers import printer_from_columns
from dashboard.objects.printers.default_printers import Custom
from informerd.objects import Blob

DOCUMENT = {
    "metadata": {"annotations": {"example.com/team": "red"}},
    "spec": {
        "size": 3,
        "hosts": ["a", "b", "c"],
        "ports": [{"name": "http", "port": 80}, {"name": "g", "port": 90}],
    },
    "status": {"conditions": [{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}], "ok": True},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.size", 3),
        ("spec.size", 3),
        ("{.spec.size}", 3),
        ("$.spec.size", 3),
        (".spec['size']", 3),
        ('.spec["size"]', 3),
        (".spec.hosts[0]", "a"),
        (".spec.hosts[-1]", "c"),
        (".spec.hosts[7]", None),
        (".spec.hosts[*]", "a"),
        (".spec.hosts", ["a", "b", "c"]),
        (".spec.ports[*].port", 80),
        ('.spec.ports[?(@.name=="g")].port', 90),
        (".spec.ports[?(@.name == 'g')].port", 90),
        (".spec.ports[?(@.port!=80)].name", "g"),
        ('.status.conditions[?(@.type=="Ready")].status', "True"),
        ('.status.conditions[?(@.type=="Gone")].status', None),
        (r".metadata.annotations.example\.com/team", "red"),
        (".metadata.annotations['example.com/team']", "red"),
        (".spec.size.deeper", None),
        (".spec.missing", None),
    ],
)
def test_a_path_leads_to_the_first_value_or_to_nothing(path: str, found: object) -> None:
    assert JsonPath(path).first(DOCUMENT) == found


@pytest.mark.parametrize("path", ["..size", ".spec.hosts[0:2]", ".spec['a','b']", ".a[", ".spec.[x]", ".a" * 600])
def test_a_path_that_means_nothing_here_is_refused(path: str) -> None:
    with pytest.raises(InvalidJsonPath):
        JsonPath(path)


def columns(*printed: tuple[str, str, str], namespaced: bool = True) -> list[str]:
    described = TableDefinition(namespaced, tuple(PrinterColumn(*each) for each in printed))
    return [column.id for column in printer_from_columns(described).columns]


def cells(*printed: tuple[str, str, str], obj: dict[str, Any] | None = None) -> tuple[Cell, ...]:
    raw = msgspec.json.encode(DOCUMENT if obj is None else obj)
    projected = msgspec.convert(DOCUMENT if obj is None else obj, Custom)
    made = msgspec.structs.replace(projected, blob=Blob(zstandard.compress(raw)))
    row = printer_from_columns(TableDefinition(False, tuple(PrinterColumn(*each) for each in printed))).row(made)
    return row.cells[1 : 1 + len(printed)]


def test_health_and_age_are_added_after_what_the_definition_prints() -> None:
    assert columns(("Size", "integer", ".spec.size")) == ["namespace", "name", "size", "status", "age"]
    assert columns(namespaced=False) == ["name", "status", "age"]


def test_the_age_of_a_definition_is_the_age_of_all_lists() -> None:
    printed = (("Age", "date", ".metadata.creationTimestamp"), ("Last", "string", ".spec.last"))
    assert columns(*printed) == ["namespace", "name", "age", "last", "status"]


def test_a_printed_phase_is_the_api_servers_own_and_stays_empty_where_there_is_none() -> None:
    printed = (("Phase", "string", ".status.phase"), ("Status", "string", ".status.phase"))
    described = TableDefinition(False, tuple(PrinterColumn(*each) for each in printed))
    row = printer_from_columns(described).row(
        Custom(spec={}, status={"conditions": [{"type": "Ready", "status": "True"}]})
    )
    assert row.cells == ("", None, None, "Ready", None)


def test_no_two_columns_have_one_title() -> None:
    printed = (
        ("Name", "string", ".spec.name"),
        ("Health", "string", ".status.health.status"),
        ("Age", "string", ".spec.age"),
        ("Size", "integer", ".spec.size"),
        ("SIZE", "integer", ".status.size"),
        ("Size", "integer", ".status.size"),
    )
    described = TableDefinition(True, tuple(PrinterColumn(*each) for each in printed))
    titles = [column.header for column in printer_from_columns(described).columns]
    assert titles == [
        "Namespace", "Name", "Name (.spec.name)", "Health (.status.health.status)", "Age (.spec.age)", "Size",
        "SIZE (.status.size)", "Size (.status.size) 2", "Health", "Age",
    ]  # fmt: skip


def test_no_two_columns_share_a_name_and_none_takes_one_that_means_something_else() -> None:
    printed = (
        ("Name", "string", ".spec.name"),
        ("Up To", "integer", ".a"),
        ("up-to", "integer", ".b"),
        ("Ns", "string", ".c"),
    )
    assert columns(*printed)[2:6] == ["printed-name", "up-to", "up-to-2", "printed-ns"]


def test_a_column_whose_path_cannot_be_read_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert columns(("Bad", "string", ".."), ("Size", "integer", ".spec.size"))[2:3] == ["size"]
    assert "the printer column 'Bad' is left out" in caplog.text


def test_priority_makes_a_column_wide() -> None:
    described = TableDefinition(True, (PrinterColumn("Image", "string", ".spec.image", 1),))
    assert [column.wide for column in printer_from_columns(described).columns if column.id == "image"] == [True]


def test_values_have_the_type_of_their_column_and_are_left_out_where_they_do_not_fit() -> None:
    assert cells(("Size", "integer", ".spec.size"), ("Hosts", "integer", ".spec.hosts")) == (3, None)
    assert cells(("Ok", "boolean", ".status.ok"), ("Size", "boolean", ".spec.size")) == ("true", None)
    assert cells(("Size", "string", ".spec.size"), ("Hosts", "string", ".spec.hosts")) == ("3", '["a","b","c"]')
    assert cells(("Team", "string", r".metadata.annotations.example\.com/team")) == ("red",)


def test_dates_are_moments_and_a_wrong_one_says_so_as_in_kubectl() -> None:
    obj = {"metadata": {}, "spec": {"at": "2026-01-01T00:00:00Z", "never": "soon"}}
    assert cells(("At", "date", ".spec.at"), ("Never", "date", ".spec.never"), obj=obj) == (1767225600.0, "<invalid>")
