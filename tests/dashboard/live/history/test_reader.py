"""Tests of the newest versions of a name with their states, and of objects that ended, across parts."""

from __future__ import annotations

import json

from dashboard.live.history.part import FOREVER
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.reader import ChangedState
from dashboard.live.history.version import Operation, Version
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
