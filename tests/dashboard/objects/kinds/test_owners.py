"""Who owns an object, as rows say it to processes of this version and of others."""

from __future__ import annotations

import msgspec

from dashboard.live.messages import Owner, Row, encoder
from dashboard.live.ownership import can_own, holds_up, owner_uids, owners_named
from tests.live.feeder import pod

LED = Owner("apps", "ReplicaSet", "set", "s", controls=True, waits=True)
BESIDE = Owner("", "ConfigMap", "map", "m")
BOTH = msgspec.structs.replace(pod("one"), owner=("ReplicaSet", "set", "s"), owners=(BESIDE, LED, BESIDE))
ONE = msgspec.structs.replace(pod("one"), owner=("ReplicaSet", "set", "s"))

Before = msgspec.defstruct(
    "Before",
    [(field.name, field.type, field.default) if field.default is not msgspec.NODEFAULT else (field.name, field.type)
     for field in msgspec.structs.fields(Row) if field.name != "owners"],
    frozen=True, array_like=True,
)  # fmt: skip
"""A row as it was before it knew all of its owners."""


def test_the_controller_is_named_first_and_each_owner_once() -> None:
    assert owners_named(BOTH) == (("ReplicaSet", "set", "s"), ("ConfigMap", "map", "m"))
    assert owners_named(ONE) == (("ReplicaSet", "set", "s"),)
    assert owners_named(pod("one")) == ()
    assert (set(owner_uids(BOTH)), set(owner_uids(ONE)), owner_uids(pod("one"))) == ({"s", "m"}, {"s"}, ())


def test_only_what_says_so_holds_its_owner_up() -> None:
    assert holds_up(ONE, "s")
    assert holds_up(BOTH, "s")
    assert not holds_up(BOTH, "m")


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
