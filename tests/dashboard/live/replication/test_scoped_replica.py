"""Tests of a scoped replica: at each moment it is the visible part of the shared one, and tells nothing of the rest."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.replication import scoped_replica
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.scoped_replica import ScopedReplica
from dashboard.live.replication.snapshot_pull import RowChange
from dashboard.live.replication.unwatched_list import KindList
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health
from informerd.testing.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod


class InNamespace:
    """Sees the objects of one namespace."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self.namespaces = frozenset((namespace,))
        self.is_all_there = True
        self.is_nothing = False

    def sees_row(self, row: Row) -> bool:
        return row.namespace == self._namespace

    def sees_entry(self, entry: Entry) -> bool:
        return entry.namespace == self._namespace

    def sees_name(self, namespace: str, name: str) -> bool:
        return namespace == self._namespace

    def sees_namespace(self, namespace: str) -> bool:
        return namespace == self._namespace


def owned(name: str, namespace: str, owner: str, version: int = 1) -> Row:
    row = pod(name, namespace=namespace, version=version)
    return msgspec.structs.replace(row, owner=("ReplicaSet", owner, owner))


def scoped(*rows: Row, clock: FakeClock | None = None) -> tuple[Feeder, ScopedReplica, list[Change]]:
    feeder = Feeder("pods", clock or FakeClock(), rows)
    replica = ScopedReplica(feeder.replica, InNamespace("shop"))
    heard: list[Change] = []
    replica.on_change(heard.append)
    return feeder, replica, heard


NAMES, SPACES = st.sampled_from("abcd"), st.sampled_from(["shop", "bank"])
ROWS = st.builds(owned, NAMES, SPACES, st.sampled_from(["o1", "o2"]), st.integers(1, 9))
DEEDS = st.lists(st.tuples(st.booleans(), st.lists(ROWS, max_size=4, unique_by=lambda row: row.uid)), max_size=12)


def check(replica: ScopedReplica, feeder: Feeder) -> None:
    """What it has is what the shared one has in the namespace, whichever way it is asked."""
    visible = {uid: row for uid, row in feeder.replica.rows.items() if row.namespace == "shop"}
    assert dict(replica.rows) == dict(replica.rows.items()) == visible
    assert list(replica.rows.values()) == list(visible.values())
    assert len(replica.rows) == len(visible)
    assert bool(replica.rows) == bool(visible)
    assert (list(replica.rows_in("shop")), list(replica.rows_in("bank"))) == (list(visible.values()), [])
    found = [row for step in replica.find_by_name("a") for row in step]
    assert found == [row for row in visible.values() if "a" in row.name]
    for uid, row in feeder.replica.rows.items():
        assert (uid in replica.rows) == (replica.rows.get(uid) is not None) == (uid in visible)
        assert replica.get(row.namespace, row.name) == visible.get(uid)
    for owner in ("o1", "o2"):
        own = {uid for uid, row in visible.items() if row.owner is not None and row.owner[2] == owner}
        assert set(replica.by_owner.uids_of(owner)) == own
    assert list(replica.entries) == [entry for entry in feeder.replica.entries if entry.namespace == "shop"]
    assert list(reversed(replica.entries)) == list(replica.entries)[::-1]
    assert len(replica.entries) == len(list(replica.entries))


@pytest.mark.slow
@given(st.lists(ROWS, max_size=5, unique_by=lambda row: row.uid), DEEDS)
def test_it_is_the_visible_part_whatever_happens(first: list[Row], deeds: list[tuple[bool, list[Row]]]) -> None:
    feeder, replica, heard = scoped(*first)
    check(replica, feeder)
    held = dict(replica.rows)
    for drops, rows in deeds:
        heard.clear()
        if drops:
            feeder.drop(*(row.uid for row in rows if row.uid in feeder.replica.rows))
        else:
            feeder.put(*rows)
        check(replica, feeder)
        for old, new in (pair for change in heard for pair in change.rows):
            assert {each.namespace for each in (old, new) if each is not None} == {"shop"}
            if old is not None:
                assert held.pop(old.uid) == old
            if new is not None:
                held[new.uid] = new
        assert held == dict(replica.rows)


@pytest.mark.slow
@given(
    st.lists(ROWS, max_size=8, unique_by=lambda row: row.uid),
    st.lists(st.tuples(st.booleans(), st.lists(ROWS, max_size=4, unique_by=lambda row: row.uid), st.integers(0, 2))),
)
def test_rows_are_counted_in_steps_while_they_change(
    first: list[Row], deeds: list[tuple[bool, list[Row], int]]
) -> None:
    class Partly(InNamespace):
        is_all_there = False

    feeder, works = Feeder("pods", FakeClock(), first), list[SlicedWork]()
    with patch.object(scoped_replica, "COUNTED_IN_STEP", 1):
        replica = ScopedReplica(feeder.replica, Partly("shop"), works.append)
        for drops, rows, steps in deeds:
            if drops:
                feeder.drop(*(row.uid for row in rows if row.uid in feeder.replica.rows))
            else:
                feeder.put(*rows)
            for _ in range(steps):
                next(works[0], None)
        run_at_once(works[0])
    check(replica, feeder)


CHANGES = st.lists(st.sampled_from(["shop", "bank", "search", ""]).map(lambda namespace: pod("a", namespace=namespace)))


@given(CHANGES, st.frozensets(st.sampled_from(["shop", "bank", "search", "", "none"])))
def test_the_part_of_a_change_is_found_by_namespace(rows: list[Row], namespaces: frozenset[str]) -> None:
    feeder = Feeder("pods", FakeClock())
    entries = [feeder.entry(row, "modified", "changed", None) for row in rows]
    pairs: list[RowChange] = [(None, row) if number % 2 else (row, None) for number, row in enumerate(rows)]
    change = Change(rows=pairs, entries=entries)
    assert change.rows_in(namespaces) == [
        (old, new) for old, new in pairs if {row.namespace for row in (old, new) if row} <= namespaces
    ]
    assert change.entries_in(namespaces) == [entry for entry in entries if entry.namespace in namespaces]
    assert change.namespaces == frozenset(row.namespace for row in rows)


def test_what_is_about_the_kind_is_about_every_namespace() -> None:
    news = (
        Change(is_first_snapshot=True), Change(has_new_columns=True), Change(has_new_health=True),
        Change(missed_entries=1), Change(unannounced=(1.0, 2.0)),
    )  # fmt: skip
    assert {change.namespaces for change in news} == {None}


def test_a_change_of_hidden_objects_is_not_heard() -> None:
    feeder, replica, heard = scoped(pod("a", namespace="bank"))
    feeder.put(pod("b", namespace="bank"), pod("c", namespace="bank"))
    feeder.drop("uid-bank-a")
    assert heard == []
    assert (len(replica.rows), replica.rows.get("uid-bank-b"), replica.get("bank", "b")) == (0, None, None)


def test_of_a_change_of_several_the_visible_ones_are_heard() -> None:
    feeder, _, heard = scoped()
    feeder.put(pod("a", namespace="bank"), pod("b", namespace="shop"))
    (change,) = heard
    assert [new.key for _, new in change.rows if new is not None] == ["shop/b"]
    assert [entry.name for entry in change.entries] == ["b"]
    assert change.affected_uids == {"uid-shop-b"}


async def test_of_lost_lines_it_tells_the_time_and_not_the_number() -> None:
    clock = FakeClock()
    feeder, _, heard = scoped(clock=clock)
    feeder.put(pod("a", namespace="shop"))
    await clock.advance(5)
    feeder.lose_entries(7)
    feeder.put(pod("b", namespace="bank"))
    assert heard[-1].missed_entries == 0
    assert heard[-1].unannounced == (clock.time(), clock.time())


def test_of_a_limit_to_namespaces_it_names_only_those_in_which_something_is_visible() -> None:
    feeder, replica, _ = scoped(pod("a", namespace="shop"))
    feeder.replica.health = msgspec.structs.replace(
        feeder.replica.health,
        problem="in namespace bank: no answer",
        namespaces=("bank", "shop"),
        forbidden_namespaces=("vault",),
        lost_namespaces=("vault",),
    )
    health = replica.health
    assert health.namespaces == ("shop",)
    assert not health.forbidden_namespaces + health.lost_namespaces
    assert "bank" not in health.problem


class OfOneLabel(InNamespace):
    """Sees what has a label, which may come and go."""

    def __init__(self) -> None:
        super().__init__("default")
        self.is_all_there = False

    def sees_row(self, row: Row) -> bool:
        return row.labels.get("app") == "seen"


def test_what_comes_into_view_is_added_and_what_leaves_it_is_deleted() -> None:
    feeder = Feeder("pods", FakeClock(), [pod("a")])
    replica = ScopedReplica(feeder.replica, OfOneLabel())
    heard: list[Change] = []
    replica.on_change(heard.append)
    hidden, seen = pod("a"), msgspec.structs.replace(pod("a"), labels={"app": "seen"}, version="2")
    feeder.put(seen)
    feeder.put(hidden)
    assert [change.rows for change in heard if change.rows] == [[(None, seen)], [(seen, None)]]
    assert len(replica.rows) == 0
    feeder.drop(hidden.uid)
    assert len(replica.rows) == 0


def test_its_health_does_not_tell_when_a_hidden_object_changed() -> None:
    feeder, replica, _ = scoped()
    feeder.beat(msgspec.structs.replace(feeder.health, last_event=1234.5678, heard=1234.5678))
    assert (replica.health.last_event, replica.health.heard) == (None, 1234)


def unread(*keys: str) -> Callable[[Health], Health]:
    named = tuple((key, "cannot be decoded") for key in keys)
    return lambda health: msgspec.structs.replace(health, unreadable=len(keys) + 3, unreadable_objects=named)


def test_its_health_has_no_name_and_no_number_of_hidden_objects() -> None:
    feeder, replica, _ = scoped(pod("a", namespace="shop"), *(pod(str(n), namespace="bank") for n in range(5)))
    feeder.beat(unread("shop/broken", "bank/broken")(feeder.health))
    assert replica.health.unreadable_objects == (("shop/broken", "cannot be decoded"),)
    assert replica.health.unreadable == 1
    feeder.beat(msgspec.structs.replace(feeder.health, state="syncing", listed=6, remaining=90))
    assert (replica.health.state, replica.health.listed, replica.health.remaining) == ("syncing", 1, None)


def test_a_kind_that_was_listed_once_does_not_say_how_many_are_left_out() -> None:
    feeder, replica, _ = scoped()
    rows = (pod("a", namespace="shop"), pod("b", namespace="bank"))
    feeder.replica.show_list(KindList(1.8e9, rows, None, is_complete=False, remaining=40), "for a test")
    assert replica.listed is not None
    assert replica.listed.remaining is None
    assert [row.name for row in replica.rows.values()] == ["a"]


def test_once_closed_it_hears_nothing() -> None:
    feeder, replica, heard = scoped()
    replica.close()
    feeder.put(pod("a", namespace="shop"))
    assert heard == []
