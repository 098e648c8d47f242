"""Tests of the store: one revision counter, a bounded history, rebuilt past states."""

from __future__ import annotations

import pytest

from devcluster.server.storage.store import Compacted, Key, Record, Store


def record(store: Store, name: str, *, uid: str = "", owners: tuple[str, ...] = (), raw: bytes = b"{}") -> Record:
    key: Key = ("", name)
    return Record(key, uid or name, store.next_revision, raw, {}, {}, owners)


def filled(*names: str, **limits: int) -> Store:
    store = Store(**limits)
    for name in names:
        store.put("things", record(store, name))
    return store


def names_at(store: Store, revision: int) -> set[str]:
    return {name for _, name in store.records_at("things", revision)}


def test_revisions_grow_by_one_over_all_buckets() -> None:
    store = Store()
    changes = [store.put(bucket, record(store, "a")) for bucket in ("things", "others", "things")]
    assert [change.revision for change in changes] == [2, 3, 4]
    assert [change.operation for change in changes] == ["ADDED", "ADDED", "MODIFIED"]


def test_a_revision_out_of_turn_is_refused() -> None:
    store = Store()
    with pytest.raises(ValueError, match="out of turn"):
        store.put("things", Record(("", "a"), "a", 7, b"{}", {}, {}))


def test_changes_since_gives_every_later_change_of_the_bucket() -> None:
    store = filled("a", "b")
    store.put("others", record(store, "x"))
    store.remove("things", record(store, "a"))
    found = [(change.revision, change.operation) for change in store.changes_since(2, "things")]
    assert found == [(3, "ADDED"), (5, "DELETED")]


def test_at_rebuilds_the_past() -> None:
    store = filled("a", "b")
    store.remove("things", record(store, "a"))
    store.put("things", record(store, "c"))
    assert names_at(store, 1) == set()
    assert names_at(store, 3) == {"a", "b"}
    assert names_at(store, 4) == {"b"}
    assert names_at(store, store.revision) == {"b", "c"}


def test_at_gives_the_state_that_an_object_had() -> None:
    store = Store()
    store.put("things", record(store, "a", raw=b"1"))
    store.put("things", record(store, "a", raw=b"2"))
    assert store.records_at("things", 2)["", "a"].raw == b"1"


def test_history_is_bounded_by_count() -> None:
    store = filled(*"abcdef", max_changes=3)
    assert store.compacted == 4
    with pytest.raises(Compacted):
        store.changes_since(3, "things")
    assert len(list(store.changes_since(4, "things"))) == 3


def test_history_is_bounded_by_bytes() -> None:
    store = Store(max_bytes=250)
    for name in "abcde":
        store.put("things", record(store, name, raw=b"x" * 100))
    assert store.revision - store.compacted == 2


def test_compact_forgets_everything_before_now() -> None:
    store = filled("a", "b")
    store.compact()
    with pytest.raises(Compacted):
        store.records_at("things", 2)
    assert names_at(store, store.revision) == {"a", "b"}
    assert list(store.changes_since(store.revision, "things")) == []


def test_listeners_hear_their_bucket_until_they_leave() -> None:
    store, heard = Store(), list[str]()
    leave = store.listen("things", lambda change: heard.append(change.record.key[1]))
    store.put("things", record(store, "a"))
    store.put("others", record(store, "b"))
    leave()
    store.put("things", record(store, "c"))
    assert heard == ["a"]


def test_dependents_follow_owner_references() -> None:
    store = Store()
    store.put("things", record(store, "child", owners=("parent",)))
    assert store.dependents("parent") == (("things", ("", "child")),)
    store.put("things", record(store, "child"))
    assert store.dependents("parent") == ()


def test_uids_are_known_while_the_object_is_there() -> None:
    store = filled("a")
    assert store.has_uid("a")
    assert store.locate("a") == ("things", ("", "a"))
    store.remove("things", record(store, "a"))
    assert not store.has_uid("a")


def test_a_line_is_encoded_once_for_all_who_watch_and_not_kept_in_the_history() -> None:
    store, lines = Store(), []
    for _ in range(2):
        store.listen("things", lambda change: lines.append(change.line()))
    change = store.put("things", record(store, "a", raw=b'{"a":1}'))
    assert lines[0] is lines[1]
    later = change.line()
    assert later == lines[0]
    assert later is not lines[0], "it would stay for as long as the history does"
