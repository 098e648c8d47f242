"""Comparison of the built-in kinds' columns and cells with those of the real API server.

Every kind that discovery names is compared, with objects in all their states; intended differences are listed here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.live.rendering.time_texts import duration_text
from dashboard.objects.kinds.row import Cell
from dashboard.objects.printers import Column, columns_for
from dashboard.objects.printers.registry import PRINTERS
from tests.support.controlplane import ControlPlane
from tests.support.objects.api_server_tables import Json, Served, Tables
from tests.support.objects.rows import cells_of, row_of
from tests.support.skip_if_missing import controlplane_binaries

pytestmark = pytest.mark.controlplane

NEVER_LISTED = {
    "componentstatuses": "can be listed, not watched, and is deprecated since 1.19",
    "bindings": "can only be created",
    "localsubjectaccessreviews.authorization.k8s.io": "a question: can only be created",
    "selfsubjectaccessreviews.authorization.k8s.io": "a question: can only be created",
    "selfsubjectrulesreviews.authorization.k8s.io": "a question: can only be created",
    "subjectaccessreviews.authorization.k8s.io": "a question: can only be created",
    "selfsubjectreviews.authentication.k8s.io": "a question: can only be created",
    "tokenreviews.authentication.k8s.io": "a question: can only be created",
}
"""Kinds that discovery names and that no list can show."""
EMPTY = {"podcertificaterequests.certificates.k8s.io": "wants a running pod and a key that signs for it"}
"""Kinds of which this server lets nobody make an object: only their columns are compared."""
ADDED = {
    "status": "kubectl prints no status, or prints it as another column; the word is ours",
    "age": "kubectl prints none for this kind",
    "last-restart": "kubectl writes it behind the number of restarts",
    "default": "kubectl writes (default) behind the name",
    "rules": "kubectl prints the age alone",
    "types": "kubectl prints the age alone",
    "storageclass": "kubectl prints the age alone",
    "capacity": "kubectl prints the age alone",
    "largest": "kubectl prints the age alone",
    "directions": "which directions a network policy bounds",
    "renewed": "when a lease was renewed last",
    "cpu-limit": "what usage is a share of",
    "memory-limit": "what usage is a share of",
    "phase": "tells a pod that has ended, which uses nothing, from one that was not measured",
    "cpu-allocatable": "what usage is a share of",
    "memory-allocatable": "what usage is a share of",
    "object-group": "two kinds of one name are told apart by their API group",
}
"""Columns of ours that kubectl does not print, where it does not, by id."""
RENAMED = {"createdat": "age"}
"""kubectl's headers that have another one here: what prints the moment of creation has our Age."""
MOVED = {("events", "count"), ("events.events.k8s.io", "count")}
"""Shown always, where kubectl shows them with -o wide: a warning seen 400 times is another one than one seen once."""
_ADMISSION = "admissionregistration.k8s.io"
DIFFERENT = {
    ("jobs.batch", "waiting", "duration"): "that of a running job grows, and rows change only when their object does",
    ("pods", "crashing", "restarts"): "kubectl writes the age of the last one behind it",
    (f"validatingadmissionpolicybindings.{_ADMISSION}", "nameless", "param-ref"): "kubectl dumps a struct of Go",
}
"""Cells that differ: kind, object, column."""
NOTHING = {"-", "", "<none>", "<unset>", "<unknown>", None}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    """A server with every API that it has, and objects of every kind; it has them cluster-wide, so it is our own."""
    every = ("--runtime-config=api/all=true",)
    one = ControlPlane(tmp_path_factory.mktemp("columns"), controlplane_binaries(), apiserver_flags=every)
    try:
        one.start()
        found = Tables(one)
        found.create_all()
        yield found
    finally:
        one.stop()


@pytest.mark.long
def test_every_kind_of_discovery_is_compared_or_written_down(own_tables: Tables) -> None:
    listable = {key for key, served in own_tables.served.items() if served.verbs >= {"list", "watch"}}
    assert set(own_tables.served) - listable == set(NEVER_LISTED)
    assert listable - set(PRINTERS) == set()
    made = {key for key in listable if own_tables.table(key)["rows"]}
    assert listable - made == set(EMPTY)


def test_columns_are_those_of_the_server(own_tables: Tables) -> None:
    wrong = [words for served in _listable(own_tables) if (words := _columns_differ(own_tables, served))]
    assert not wrong, "\n".join(wrong)


def test_cells_are_those_of_the_server(own_tables: Tables) -> None:
    wrong: list[str] = []
    compared = 0
    for served in _listable(own_tables):
        table = own_tables.table(served.key)
        for line in table["rows"]:
            wrong += _cells_differ(served, table["columnDefinitions"], line)
            compared += 1
    assert not wrong, "\n".join(wrong)
    assert compared > 150


@pytest.fixture
def own_tables(tables: Tables) -> Tables:
    """Named so that the tests are marked as those that need a control plane."""
    return tables


def _listable(tables: Tables) -> list[Served]:
    return [served for served in tables.served.values() if served.key not in NEVER_LISTED]


def _columns_differ(tables: Tables, served: Served) -> str:
    key = served.key
    theirs = [c for c in tables.table(key)["columnDefinitions"] if c["name"] != "Name"]
    expected = [(_bare(c["name"]), c["priority"] > 0 and (key, _bare(c["name"])) not in MOVED) for c in theirs]
    columns = columns_for(key)
    assert [column.id for column in columns[: 1 + served.namespaced]] == ["namespace", "name"][1 - served.namespaced :]
    names = {name for name, _ in expected}
    ours = [column for column in columns if column.id not in ("namespace", "name")]
    shared = [(_bare(c.header), c.priority > 0) for c in ours if _bare(c.header) in names or c.id not in ADDED]
    return "" if shared == expected else f"{key}: kubectl has {expected}, we have {shared}"


def _cells_differ(served: Served, definitions: list[Json], line: Json) -> list[str]:
    key, obj = served.key, line["object"]
    obj = {"apiVersion": f"{served.group}/{served.version}".lstrip("/"), "kind": served.kind, **obj}
    row = row_of(key, obj)
    cells = cells_of(key, row)
    by_header = {_bare(column.header): column for column in columns_for(key)}
    wrong: list[str] = []
    for definition, printed in zip(definitions, line["cells"], strict=False):  # ipaddresses: an age without a column
        column = by_header[_bare(definition["name"])]
        if (key, row.name, column.id) in DIFFERENT:
            continue
        if not _same(column, printed, cells[column.id], definition):
            wrong.append(f"{key} {row.name}: {column.id} is {printed!r} for kubectl, {cells[column.id]!r} here")
    return wrong


def _same(column: Column, printed: Any, ours: Cell, definition: Json) -> bool:
    if column.id == "name":
        return str(printed).removesuffix(" (default)") == ours
    if printed in NOTHING or ours in NOTHING:
        return printed in NOTHING and ours in NOTHING
    if definition["type"] == "date":
        return isinstance(ours, float) and time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ours)) == printed
    if column.kind == "age":
        return isinstance(ours, float) and printed in {duration_text(time.time() - ours - late) for late in range(4)}
    if column.kind == "duration":
        return isinstance(ours, int | float) and duration_text(ours) == printed
    return (str(printed).lower() if isinstance(printed, bool) else str(printed)) == str(ours)


def _bare(header: str) -> str:
    """A header without what is a matter of style: kubectl's ``Cluster-IP`` is our ``Cluster IP``."""
    bare = re.sub(r"[^a-z0-9]", "", header.lower())
    return RENAMED.get(bare, bare)
