"""Tests of owners in rows, as processes of this version and of others read them."""

from __future__ import annotations

import msgspec

from dashboard.live.replication.messages import encoder
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.kinds.row_owners import (
    blocks_owner_deletion,
    can_own,
    main_owner,
    owner_references,
    owner_uids,
)
from tests.support.live.replica_feeder import pod

LED = Owner("apps", "ReplicaSet", "set", "s", is_controller=True, blocks_owner_deletion=True)
BESIDE = Owner("", "ConfigMap", "map", "m")
BOTH = msgspec.structs.replace(pod("one"), owner=("ReplicaSet", "set", "s"), owners=(BESIDE, LED, BESIDE))
ONE = msgspec.structs.replace(pod("one"), owner=("ReplicaSet", "set", "s"))

Before = msgspec.defstruct(
    "Before",
    [(field.name, field.type, field.default) if field.default is not msgspec.NODEFAULT else (field.name, field.type)
     for field in msgspec.structs.fields(Row) if field.name not in ("owners", "until")],
    frozen=True, array_like=True,
)  # fmt: skip
"""A row as it was before it knew all of its owners."""


def test_the_controller_is_named_first_and_each_owner_once() -> None:
    assert owner_references(BOTH) == (LED, BESIDE)
    assert owner_references(ONE) == (LED,)
    assert owner_references(pod("one")) == ()
    assert (set(owner_uids(BOTH)), set(owner_uids(ONE)), owner_uids(pod("one"))) == ({"s", "m"}, {"s"}, ())


def test_the_main_owner_is_the_controller_or_the_only_owner() -> None:
    assert main_owner(BOTH) == main_owner(ONE) == LED
    assert main_owner(msgspec.structs.replace(pod("one"), owners=(BESIDE,))) == BESIDE
    assert main_owner(msgspec.structs.replace(pod("one"), owners=(BESIDE, Owner("", "Node", "n", "n")))) is None
    assert main_owner(pod("one")) is None


def test_only_what_says_so_holds_its_owner_up() -> None:
    assert blocks_owner_deletion(ONE, "s")
    assert blocks_owner_deletion(BOTH, "s")
    assert not blocks_owner_deletion(BOTH, "m")


def test_what_has_a_namespace_owns_nothing_elsewhere() -> None:
    assert can_own(pod("x", namespace="a"), pod("y", namespace="a"))
    assert can_own(pod("x", namespace=""), pod("y", namespace="a"))
    assert not can_own(pod("x", namespace="a"), pod("y", namespace="b"))
    assert not can_own(pod("x", namespace="a"), pod("y", namespace=""))


def test_a_process_of_the_version_before_reads_and_writes_rows_all_the_same() -> None:
    read = msgspec.msgpack.Decoder(Before).decode(encoder.encode(BOTH))
    assert (read.name, read.owner) == ("one", ("ReplicaSet", "set", "s"))  # type: ignore[attr-defined]
    row = msgspec.msgpack.Decoder(Row).decode(encoder.encode(read))
    assert row == msgspec.structs.replace(BOTH, owners=())
    assert owner_uids(row) == ("s",)
