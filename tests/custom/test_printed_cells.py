"""Comparison of the printed columns of thirty custom kinds with the API server's own tables, ages included."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.live.rendering.time_texts import duration_text
from dashboard.live.worker.crd_client import CustomResourceDefinition
from dashboard.objects.kinds.row import Cell
from dashboard.objects.printers import Column, printer_from_columns
from dashboard.objects.printers.default_printers import Custom
from informerd.objects import Blob
from informerd.resource import Resource
from tests.support.api_client import DEFINITIONS
from tests.support.controlplane import ControlPlane
from tests.support.custom.project_crds import KINDS, CustomKind
from tests.support.wait import until

pytestmark = pytest.mark.controlplane

Json = dict[str, Any]
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
OURS = ("namespace", "name", "status")


@pytest.fixture(scope="module")
def served(controlplane: ControlPlane) -> ControlPlane:
    """A control plane with the definitions and one object of each."""
    for kind in KINDS:
        controlplane.create(DEFINITIONS, kind.definition())
    for kind in KINDS:
        until(partial(controlplane.exists, _path(kind)), what=f"{kind.key} served")
        made = f"{_path(kind)}/{controlplane.create(_path(kind), kind.obj())['metadata']['name']}"
        if kind.status is not None:
            controlplane.patch(f"{made}/status", {"status": kind.status})
    return controlplane


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_printed_cells_are_the_api_servers(served: ControlPlane, kind: CustomKind) -> None:
    table = _table(served, kind)
    definition = msgspec.convert(served.get(f"{DEFINITIONS}/{kind.key}"), CustomResourceDefinition)
    resource = Resource(
        group=kind.group, version=kind.version, plural=kind.plural, kind=kind.kind, namespaced=kind.namespaced
    )
    printer = printer_from_columns(definition.table_for(resource))
    raw = msgspec.json.encode(served.get(f"{_path(kind)}/web"))
    obj = msgspec.structs.replace(msgspec.json.decode(raw, type=Custom), blob=Blob(zstandard.compress(raw)))
    columns = [(column, cell) for column, cell in zip(printer.columns, printer.row(obj).cells, strict=True)]
    ours = [(column, cell) for column, cell in columns if column.id not in OURS]
    theirs = [each for each in table["columnDefinitions"] if each["name"] != "Name"]
    if "Age" not in [each["name"] for each in theirs]:
        ours = [(column, cell) for column, cell in ours if column.id != "age"]
    printed = table["rows"][0]["cells"][1:]
    assert [column.header for column, _ in ours] == [each["name"] for each in theirs]
    wrong = [
        f"{column.header}: {cell!r} here, {there!r} there"
        for (column, cell), there in zip(ours, printed, strict=True)
        if not _is_same(column, cell, there)
    ]
    assert not wrong
    assert len({column.header for column, _ in columns}) == len(columns)
    assert [column.header for column, _ in columns].count("Health") == 1


def _path(kind: CustomKind) -> str:
    namespace = "/namespaces/default" if kind.namespaced else ""
    return f"/apis/{kind.group}/{kind.version}{namespace}/{kind.plural}"


def _table(served: ControlPlane, kind: CustomKind) -> Json:
    table = served.request("GET", _path(kind), accept=TABLE)
    assert table["kind"] == "Table"
    return table


def _is_same(column: Column, ours: Cell, printed: Any) -> bool:
    if ours is None or printed is None:
        return ours in (None, "") and printed in (None, "")
    if column.kind == "age" and isinstance(ours, float):
        if ours > time.time() + 60:  # a page says "in 3d", for a certificate ends one day
            return bool(printed == "<invalid>")
        return printed in {duration_text(time.time() - ours - late) for late in range(4)}
    if isinstance(printed, bool):
        return ours == ("true" if printed else "false")
    return bool(ours == printed or str(ours) == printed)
