"""Tests of interned rows: equal before and after, and with one copy of what they have in common."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.replication import row_interner
from dashboard.live.replication.row_interner import RowInterner
from dashboard.objects.kinds.row import Row

encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Row)


def decoded(number: int, **values: Any) -> Row:
    """A row as it comes out of a message, which shares nothing with another one."""
    name = f"web-{number}"
    row = Row(
        uid=f"uid-{number}",
        namespace="shop",
        name=name,
        version=str(number),
        created=1.0,
        status="Running",
        tone="ok",
        cells=("shop", name, "1/1", number, None, f"10.0.0.{number}"),
        labels={"app": "web"},
        owner=("ReplicaSet", "web", "uid-of-web"),
    )
    return decoder.decode(encoder.encode(msgspec.structs.replace(row, **values)))


def test_rows_have_equal_labels_owners_and_texts_once() -> None:
    interner = RowInterner()
    first, second = decoded(1), decoded(2)
    for row in (first, second):
        interner.intern(row)
    assert first == decoded(1)
    assert second == decoded(2)
    assert second.labels is first.labels
    assert second.owner is first.owner
    assert second.namespace is first.namespace
    assert second.status is first.status
    assert second.cells[0] is first.cells[0]
    assert second.cells[2] is first.cells[2]
    assert second.cells[1] is second.name


def test_what_differs_stays_different() -> None:
    interner = RowInterner()
    first = decoded(1)
    others = [
        decoded(2, labels={"app": "web", "canary": "true"}),
        decoded(3, owner=("ReplicaSet", "renamed", "uid-of-web")),
        decoded(4, owner=None, labels={"app": "web"}),
        decoded(5, cells=("shop", "web-5", "0/1", "CrashLoopBackOff")),
    ]
    copies = [decoder.decode(encoder.encode(each)) for each in others]
    interner.intern(first)
    for row in others:
        interner.intern(row)
    assert others == copies


rows = st.builds(
    lambda number, labels, owner, cells, status: decoded(
        number, labels=labels, owner=owner, cells=tuple(cells), status=status
    ),
    st.integers(0, 5),
    st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"), max_size=2),
    st.none() | st.tuples(st.just("Job"), st.sampled_from("jk"), st.sampled_from("uv")),
    st.lists(st.none() | st.integers(0, 3) | st.sampled_from(["web-1", "x", ""]), max_size=4),
    st.sampled_from(["Running", "Failed"]),
)


@given(st.lists(rows, max_size=12))
def test_sharing_changes_no_row(some: list[Row]) -> None:
    interner = RowInterner()
    before = [encoder.encode(row) for row in some]
    for row in some:
        interner.intern(row)
    assert [encoder.encode(row) for row in some] == before


def test_after_many_texts_or_owners_it_begins_anew(monkeypatch: Any) -> None:
    monkeypatch.setattr(row_interner, "MAX_TEXTS", 3)
    monkeypatch.setattr(row_interner, "MAX_OWNERS", 3)
    interner = RowInterner()
    some = [decoded(number, owner=("ReplicaSet", f"web-{number}", f"uid-{number}")) for number in range(10)]
    for row in some:
        interner.intern(row)
    again = [decoded(number, owner=("ReplicaSet", f"web-{number}", f"uid-{number}")) for number in range(10)]
    assert some == again
    assert some[9].labels is some[8].labels
    assert some[9].cells[2] is some[8].cells[2]  # a column of few texts is still shared
