"""Tests of replica rows, whose indexes equal a scan of all rows after any changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.replication.replica_rows import NAMES_IN_STEP, STEP, ReplicaRows, UidIndex
from dashboard.live.replication.snapshot_pull import RowChange, SnapshotPart
from dashboard.objects.kinds.row import Owner, Row
from dashboard.objects.kinds.row_owners import owner_uids
from dashboard.objects.printers.events import SUBJECT_OF
from tests.support.live.pod_detail import event
from tests.support.live.replica_feeder import pod

UIDS, NAMES, OWNERS = range(12), range(5), ("", "d1", "d2", "d3", "d1 d2", "d2 d3 d3", "d1 d2 d3")
deltas = st.tuples(st.sampled_from(UIDS), st.sampled_from(NAMES), st.sampled_from(OWNERS))
deeds = st.lists(st.tuples(st.sampled_from(["frame", "frame", "drop", "snapshot"]), st.lists(deltas, max_size=8)))


def as_pod(uid: int, name: int, owner: str) -> Row:
    row = pod(f"pod-{name}", uid=f"u{uid}")
    first, *others = owner.split() or [""]
    if others:
        owners = tuple(Owner("apps", "ReplicaSet", each, each) for each in (first, *others))
        return msgspec.structs.replace(row, owners=owners)
    return msgspec.structs.replace(row, owner=("ReplicaSet", owner, owner)) if owner else row


def as_event(uid: int, name: int, owner: str) -> Row:
    return msgspec.structs.replace(event(f"event-{uid}", {"name": f"{owner}-{name}"}), uid=f"u{uid}")


def check(index: UidIndex, held: dict[str, Row], names_of: Callable[[Row], Iterable[str]]) -> None:
    """The index says what a look at all rows does, and remembers nothing else."""
    fresh = defaultdict(set)
    for row in held.values():
        for name in names_of(row):
            fresh[name].add(row.uid)
    fresh.pop("", None)
    assert {name: set(index.uids_of(name)) for name in fresh} == fresh
    assert len(index) == len(fresh)
    assert all(isinstance(index.uids_of(name), set) == (len(uids) > 1) for name, uids in fresh.items())


def live_through(holding: ReplicaRows, history: list[tuple[str, list[tuple[int, int, str]]]],
                 made: Callable[[int, int, str], Row]) -> Iterator[None]:  # fmt: skip
    """After each step that others may see: frames, and a snapshot's steps, relists and new epochs among them."""
    for deed, said in history:
        rows = list({uid: made(uid, name, owner) for uid, name, owner in said}.values())
        if deed == "frame":
            holding.apply_frame(rows, ())
        elif deed == "drop":
            holding.apply_frame((), [row.uid for row in rows])
        else:
            coming = {row.uid for row in rows}
            changes: dict[str, RowChange] = {row.uid: (holding.rows.get(row.uid), row) for row in rows}
            gone = [uid for uid in holding.rows if uid not in coming]
            for _ in holding.apply_snapshot(gone, [SnapshotPart(tuple(rows), changes)]):
                yield
        yield


@pytest.mark.slow
@given(deeds)
def test_what_each_owns_is_known_whatever_has_come_and_gone(
    history: list[tuple[str, list[tuple[int, int, str]]]],
) -> None:
    holding = ReplicaRows("pods")
    for _ in live_through(holding, history, as_pod):
        check(holding.by_owner, holding.rows, owner_uids)
        assert len(holding.by_subject) == 0
        by_namespace: dict[str, dict[str, Row]] = {}
        for row in holding.rows.values():
            by_namespace.setdefault(row.namespace, {})[row.name] = row
        assert holding.by_namespace == by_namespace
        assert sum(map(len, by_namespace.values())) == len(holding.rows)


@pytest.mark.slow
@given(deeds)
def test_events_are_known_by_what_they_are_about(history: list[tuple[str, list[tuple[int, int, str]]]]) -> None:
    holding = ReplicaRows("events")
    for _ in live_through(holding, history, as_event):
        check(holding.by_subject, holding.rows, lambda row: (SUBJECT_OF["events"](row),))


def test_of_two_objects_of_one_name_the_later_one_stays_and_the_changes_say_so() -> None:
    holding, first, second = ReplicaRows("pods"), as_pod(1, 0, "d1"), as_pod(2, 0, "")
    assert holding.apply_frame([first, second], ()) == [(None, first), (first, None), (None, second)]
    assert (list(holding.rows.values()), list(holding.rows_in(second.namespace))) == ([second], [second])
    part = SnapshotPart((first, second), {first.uid: (None, first)})
    changes = [(second, None), (None, first), (first, None), (None, second)]
    assert list(holding.apply_snapshot((), [part])) == [changes]
    assert holding.get(second.namespace, second.name) is second


@pytest.mark.parametrize("many", [3, NAMES_IN_STEP - 1, NAMES_IN_STEP, 2 * NAMES_IN_STEP + 1])
def test_rows_are_found_by_a_part_of_their_name(many: int) -> None:
    holding = ReplicaRows("pods")
    rows = [
        pod(f"Web-{number}", namespace=f"team-{team}")
        for team in range(3)
        for number in range(many if team == 1 else 5)
    ]
    holding.apply_frame(rows, ())
    for text in ("web-2", "b-1", "2", "WEB-2", "web-1\nweb-2", "5999"):
        wanted = [row.uid for row in rows if text in row.name.lower()]
        assert sorted(row.uid for step in holding.find_by_name(text) for row in step) == sorted(wanted)


def test_a_search_goes_on_where_namespaces_go_meanwhile() -> None:
    holding = ReplicaRows("pods")
    rows = [pod(f"web-{number}", namespace=f"team-{number % 2}") for number in range(2 * NAMES_IN_STEP + 2)]
    holding.apply_frame(rows, ())
    steps = holding.find_by_name("web-")
    found = next(steps)
    holding.remove([row.uid for row in rows if row.namespace == "team-1"])
    found += [row for step in steps for row in step]
    assert found == list(holding.rows.values())


def test_pods_are_known_by_their_node() -> None:
    holding = ReplicaRows("pods")
    holding.apply_frame([pod("a", node="n-1"), pod("b", node="n-1"), pod("c")], ())
    assert set(holding.by_node.uids_of("n-1")) == {"uid-default-a", "uid-default-b"}
    holding.apply_frame([pod("b", node="n-2", version=2)], ["uid-default-a"])
    assert not holding.by_node.uids_of("n-1")
    assert len(holding.by_node) == 1
    other = ReplicaRows("nodes")
    other.apply_frame([pod("a", node="n-1")], ())
    assert not other.by_node


def test_a_snapshot_of_more_than_one_step_is_indexed_to_its_end() -> None:
    holding = ReplicaRows("pods")
    rows = tuple(msgspec.structs.replace(pod(f"p{number}"), owner=("Job", "j", "j")) for number in range(STEP + 2))
    steps = list(holding.apply_snapshot((), [SnapshotPart(rows, {row.uid: (None, row) for row in rows})]))
    assert len(steps) == 2
    assert set(holding.by_owner.uids_of("j")) == {row.uid for row in rows}
