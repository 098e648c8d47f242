"""Tests of the newest versions of a name with their states, and of objects that ended, across parts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import zstandard

from dashboard.live.history.part import FOREVER
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import ObjectName, Operation, Version
from informerd.objects import Blob, Object
from tests.support.live.history import Log, json_of, whole_object


def fill(log: Log, versions: int, *, part_each: int = 10) -> list[bytes]:
    """Versions of one pod, with a new part now and then; returns their JSON, oldest first."""
    found = []
    for number in range(versions):
        obj = whole_object("web", log.next_version(), spec={"number": number})
        log.change("pods", Operation.MODIFIED if number else Operation.ADDED, obj)
        found.append(json_of(obj))
        log.tick("pods")
        if number % part_each == part_each - 1:
            log.begin_part()
            while log.carry_step():
                pass
    return found


def newest(log: Log, before: int = FOREVER, most: int = 50) -> list[ChangedState]:
    return log.reader.newest_states("pods", "default", "web", before, most)


def test_pages_of_versions_have_each_with_the_state_before_it(log: Log) -> None:
    truth = fill(log, 95)
    found: list[ChangedState] = []
    before = FOREVER
    while page := newest(log, before, 20):
        found += page
        before = page[-1].version.time
    assert [each.json for each in reversed(found)] == truth
    assert [each.before for each in reversed(found)] == [None, *truth[:-1]]


def test_only_the_rows_of_the_page_are_unpacked(log: Log) -> None:
    truth = fill(log, 120, part_each=1000)
    (part,) = log.parts.list(log.cluster)
    reader = PartReader(log.parts.connect(part))
    (number,) = reader.object_ids("o.name = ?", "web")
    last = newest(log, most=1)[0]
    states = list(reader.states_between(number, last.version.time, FOREVER))
    assert states[-1].json == truth[-1]
    assert len(states) <= 33, "from the last version in full"
    reader.connection.close()


def test_a_new_object_of_the_name_has_no_state_before_it(log: Log) -> None:
    fill(log, 2)
    log.change("pods", Operation.DELETED, whole_object("web", log.next_version(), spec={}))
    log.change("pods", Operation.ADDED, whole_object("web", log.next_version(), uid="other", spec={"number": 9}))
    log.tick("pods")
    again, end, *_ = newest(log)
    assert again.before is None
    assert again.version.object.uid == "other"
    assert end.before is not None
    assert json.loads(end.before)["spec"] == {"number": 1}
    own = log.reader.newest_states("pods", "default", "web", FOREVER, 50, "other")
    assert [each.version.object.uid for each in own] == ["other"]


def test_objects_that_are_not_wanted_take_nobodys_place(log: Log) -> None:
    for number in range(6):
        for operation in (Operation.ADDED, Operation.DELETED):
            log.change("pods", operation, whole_object(f"web-{number}", log.next_version()))
    log.tick("pods")

    def is_even(version: Version) -> bool:
        return int(version.object.name[-1]) % 2 == 0

    found = log.reader.find_ended("", "pods", 2, is_even)
    assert [version.object.name for version in found] == ["web-4", "web-2"]


def test_the_write_of_a_version_is_found_with_the_state_before_it_also_in_another_part(log: Log) -> None:
    truth = fill(log, 25)
    name = ObjectName("pods", "default", "web", "uid-web")
    for number in (1, 10, 24):
        version = json.loads(truth[number])["metadata"]["resourceVersion"]
        found = log.reader.write_of(name, version)
        assert found is not None
        assert found.before is not None
        assert (found.before.json, found.after.json, found.gap) == (truth[number - 1], truth[number], None)
        assert log.reader.write_of(name, version, found.after.version.time) == found
        assert log.reader.write_of(name, version, found.after.version.time + 1) is None
    first = log.reader.write_of(name, json.loads(truth[0])["metadata"]["resourceVersion"])
    assert first is not None
    assert first.before is None
    assert log.reader.write_of(name, "1") is None
    assert log.reader.write_of(replace(name, uid="other"), version) is None


def test_of_the_versions_after_a_write_none_is_read(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = fill(log, 100, part_each=30)
    read: list[Version] = []
    made = PartReader.version

    def counted(reader: PartReader, *given: Any) -> Version:
        version = made(reader, *given)
        read.append(version)
        return version

    monkeypatch.setattr(PartReader, "version", counted)
    found = log.reader.write_of(NAME, json.loads(truth[3])["metadata"]["resourceVersion"])
    assert found is not None
    assert found.after.json == truth[3]
    assert max(version.time for version in read) == found.after.version.time


def test_a_gap_before_a_write_is_told(log: Log) -> None:
    log.change("pods", Operation.ADDED, whole_object("web", log.next_version()))
    log.tick("pods")
    log.now += 60_000_000
    log.since = log.now
    version = log.next_version()
    log.change("pods", Operation.MODIFIED, whole_object("web", version, spec={"a": 1}))
    log.tick("pods", since=log.now - 500, reason="the watch was interrupted")
    found = log.reader.write_of(ObjectName("pods", "default", "web", "uid-web"), str(version))
    assert found is not None
    assert found.gap is not None
    assert found.gap.reason == "the watch was interrupted"


def test_a_whole_gap_has_its_own_beginning_also_in_an_earlier_part(log: Log) -> None:
    changed(log, Operation.ADDED, spec=1)
    log.tick("pods")
    ended = log.now
    log.begin_part()
    log.now += 7_200_000_000
    log.since = log.now
    log.tick("pods", reason="the watch was interrupted")
    since = log.now - 60_000_000
    (clipped,) = log.reader.gaps("pods", since, log.now)
    (whole,) = log.reader.whole_gaps("pods", since, log.now)
    assert clipped.since == since
    assert ended <= whole.since < ended + 10_000
    assert (whole.until, whole.reason) == (clipped.until, "the watch was interrupted")
    assert log.reader.whole_gaps("nodes", since, log.now)[0].since == since, "nothing was recorded before"


def test_the_gap_in_which_an_object_was_found_is_none(log: Log) -> None:
    log.change("pods", Operation.FOUND, whole_object("web", log.next_version()))
    log.now += 1_000_000
    log.since = log.now
    version = changed(log, Operation.MODIFIED, spec=1)
    found = log.reader.write_of(NAME, version)
    assert found is not None
    assert found.gap is None


def test_what_was_found_to_differ_has_a_gap_before_it_also_after_an_object_that_was_found_in_the_same_gap(
    log: Log,
) -> None:
    log.change("pods", Operation.FOUND, whole_object("web", log.next_version()))
    log.change("pods", Operation.MODIFIED, whole_object("web", log.next_version(), spec=1), is_seen=False)
    version = log.next_version()
    log.change("pods", Operation.MODIFIED, whole_object("web", version, spec=2), is_seen=False)
    log.list_again("pods")
    log.tick("pods", since=log.now)
    found = log.reader.write_of(NAME, str(version))
    assert found is not None
    assert found.after.version.operation is Operation.DIFFERS
    assert found.gap is not None


def test_a_gap_before_a_write_is_assumed_until_it_is_confirmed_that_there_is_none(log: Log) -> None:
    changed(log, Operation.ADDED, spec=1)
    version = log.next_version()
    log.change("pods", Operation.MODIFIED, whole_object("web", version, spec=2))
    log.write()
    found = log.reader.write_of(NAME, str(version))
    assert found is not None
    assert found.gap is not None
    log.tick("pods")
    found = log.reader.write_of(NAME, str(version))
    assert found is not None
    assert found.gap is None


NAME = ObjectName("pods", "default", "web", "uid-web")


def changed(log: Log, operation: Operation, **content: Any) -> str:
    """Record a version; returns its resourceVersion."""
    version = log.next_version()
    log.change("pods", operation, whole_object("web", version, **content))
    log.tick("pods")
    return str(version)


def leaving(log: Log, operation: Operation, **content: Any) -> None:
    """Record a version of an object whose deletion was asked for."""
    obj = whole_object("web", log.next_version(), **content)
    raw = obj.full()
    raw["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert obj.blob is not None
    blob = Blob(zstandard.compress(json.dumps(raw).encode()))
    log.change("pods", operation, Object(metadata=obj.metadata, blob=blob))
    log.tick("pods")


def before_deletion(log: Log, version: str) -> object:
    found = log.reader.state_before_deletion(NAME, version)
    return json.loads(found.json).get("spec") if found is not None else None


def test_the_state_before_a_deletion_is_the_version_that_it_was_asked_for_on(log: Log) -> None:
    version = changed(log, Operation.ADDED, spec=1)
    leaving(log, Operation.MODIFIED, spec=2)
    leaving(log, Operation.DELETED, spec=3)
    assert before_deletion(log, version) == 1


def test_it_is_also_found_where_its_own_version_differed_in_nothing_and_has_no_row(log: Log) -> None:
    changed(log, Operation.ADDED, spec=1)
    leaving(log, Operation.MODIFIED, spec=1)
    assert before_deletion(log, "no such version") == 1
    leaving(log, Operation.DELETED, spec=1)
    assert before_deletion(log, "no such version") == 1


def test_of_one_that_goes_at_once_it_is_the_last_state(log: Log) -> None:
    changed(log, Operation.ADDED, spec=1)
    changed(log, Operation.DELETED, spec=1)
    assert before_deletion(log, "no such version") == 1


def test_it_is_not_known_while_the_deletion_is_not_recorded_or_was_missed(log: Log) -> None:
    version = changed(log, Operation.ADDED, spec=1)
    assert before_deletion(log, "another") is None
    changed(log, Operation.MISSING, spec=1)
    assert before_deletion(log, "another") is None
    assert before_deletion(log, version) == 1, "nobody changed it since"
