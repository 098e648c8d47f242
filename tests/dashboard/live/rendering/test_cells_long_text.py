"""Tests of long cells: a page shows their beginning, filters, orders and files have more of them."""

from __future__ import annotations

import csv
import io

import pytest

from dashboard.live.rendering.cells import MAX_CELL_TEXT, all_columns, cells_of
from dashboard.objects.printers.printer import MAX_TEXT_LENGTH
from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import Site

BINDINGS = "rolebindings.rbac.authorization.k8s.io"
USERS = [f"user-{number:03}@example.com" for number in range(80)]
BINDING = made(
    "RoleBinding",
    "viewers",
    roleRef={"kind": "Role", "name": "r"},
    subjects=[{"kind": "User", "name": name} for name in USERS],
)


def test_a_cell_shows_the_beginning_of_a_long_text_and_says_so() -> None:
    (users,) = [cell for cell in cells_of(row_of(BINDINGS, BINDING), all_columns(BINDINGS)) if cell.column == "users"]
    assert users.value == ", ".join(USERS)
    assert users.text == users.title == ", ".join(USERS)[: MAX_CELL_TEXT - 1] + "…"


@pytest.mark.parametrize(
    ("term", "is_found"),
    [
        ("users=*user-001@*", True), ("users=*user-079@*", True), ("users=*user-080@*", False),
        ("-users=*user-079@*", False),
    ],
)  # fmt: skip
async def test_a_filter_looks_at_all_of_a_long_cell(term: str, is_found: bool) -> None:
    response = await Site((BINDINGS, BINDING), watched=(BINDINGS,)).client.get(f"/resources/{BINDINGS}/", {"q": term})
    assert ('data-name="viewers"' in response.content.decode()) == is_found


async def test_a_file_has_all_of_a_long_cell() -> None:
    site = Site((BINDINGS, BINDING), watched=(BINDINGS,))
    response = await site.client.get(f"/resources/{BINDINGS}/export.csv?columns=name,users")
    text = "".join([piece.decode() async for piece in response])  # type: ignore[attr-defined]
    assert list(csv.reader(io.StringIO(text)))[1] == ["viewers", ", ".join(USERS)]


def test_a_row_has_the_beginning_of_a_text_as_long_as_an_object() -> None:
    subjects = [{"kind": "User", "name": f"user-{number:05}@example.com"} for number in range(20_000)]
    row = row_of(BINDINGS, {**BINDING, "subjects": subjects})
    assert max(len(cell) for cell in row.cells if isinstance(cell, str)) == MAX_TEXT_LENGTH
