"""Tests of the counts of changes that a part keeps, and of parts that were written before there were any."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from dashboard.live.history.part import FOREVER, Parts
from dashboard.live.history.part_reader import ChangeCounts, PartReader
from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import CHANGES, Operation, Version
from tests.support.live.history import START, ListedPods, Log, json_of, recorded, recording, whole_object

MINUTE = START // 1_000_000 // 60 * 60


def two_minutes(log: Log) -> None:
    """A pod that is found, one that comes and goes, and one that changes later, in another namespace."""
    log.change("pods", Operation.FOUND, whole_object("there", log.next_version()))
    log.change("pods", Operation.ADDED, whole_object("new", log.next_version()))
    log.change("pods", Operation.DELETED, whole_object("new", log.next_version()))
    log.tick("pods")
    log.now += 60_000_000
    for number in range(3):
        log.change("pods", Operation.MODIFIED, whole_object("other", log.next_version(), namespace="shop", n=number))
    log.tick("pods")


def summed(found: list[ChangeCounts]) -> dict[tuple[int, str], int]:
    """All changes by time and namespace."""
    sums: dict[tuple[int, str], int] = {}
    for each in found:
        sums[each.begin, each.namespace] = sums.get((each.begin, each.namespace), 0) + sum(each.counts)
    return sums


def downgrade(log: Log) -> None:
    """Make the newest part one of format 1."""
    log.writer.connection.execute("DROP TABLE {change_count}")
    log.writer.connection.execute("UPDATE {meta} SET value = ? WHERE name = ?", "1", "format")
    log.writer.connection.commit()


def test_what_is_found_is_no_change(log: Log) -> None:
    two_minutes(log)
    assert sorted(log.reader.change_counts(0, FOREVER, 60, ["pods"]), key=lambda each: each.begin) == [
        ChangeCounts(MINUTE, "pods", "default", (1, 0, 1)),
        ChangeCounts(MINUTE + 60, "pods", "shop", (0, 3, 0)),
    ]
    assert log.reader.change_counts(0, FOREVER, 60, ["nodes"]) == []


def test_minutes_in_which_things_were_only_found_are_passed_over(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    for minute in range(10):
        log.change("pods", Operation.FOUND, whole_object(f"found-{minute}", log.next_version()))
        if minute in (4, 5):
            log.change("pods", Operation.ADDED, whole_object(f"new-{minute}", log.next_version()))
        log.tick("pods")
        log.now += 60_000_000
    first, minutes = MINUTE * 1_000_000, list[tuple[int, int]]()
    changes = PartReader.changes

    def read(reader: PartReader, since: int, until: int, *others: Any) -> list[Version]:
        minutes.append(((since - first) // 60_000_000, -(-(until - first) // 60_000_000)))
        return changes(reader, since, until, *others)

    monkeypatch.setattr(PartReader, "changes", read)
    steps = list(log.reader.search(0, FOREVER, ["pods"], CHANGES))
    assert [version.object.name for step in steps for version in step.versions] == ["new-5", "new-4"]
    assert minutes[0] == (5, 6)
    assert all(until <= 6 for _, until in minutes)
    assert [step.back_to for step in steps][-1] == log.parts.list(log.cluster)[0].begin
    minutes.clear()
    found = [each for step in log.reader.search(0, FOREVER, ["pods"]) for each in step.versions]
    assert len(found) == 12
    assert minutes[0][1] > 10
    for step_seconds in (7, 60, 120):
        counts = log.reader.change_counts(0, FOREVER, step_seconds, ["pods"])
        assert sum(each.counts[0] for each in counts) == 2
        assert all(sum(each.counts) for each in counts)
    assert log.reader.change_counts(first + 360_000_000, FOREVER, 7, ["pods"]) == []
    ((only),) = log.reader.change_counts(first + 270_000_000, FOREVER, 7, ["pods"])
    assert only.counts == (1, 0, 0)


def test_wrong_counts_are_found(log: Log) -> None:
    two_minutes(log)
    part = log.parts.list(log.cluster)[0]
    assert verify_part(log.parts, part).problems == []
    log.writer.connection.execute("UPDATE {change_count} SET modified = 4 WHERE namespace = ?", "shop")
    log.writer.connection.commit()
    (problem,) = verify_part(log.parts, part).problems
    assert "pods in shop" in problem
    assert "(0, 4, 0)" in problem


def test_a_part_without_counts_is_counted_when_it_is_read(log: Log) -> None:
    two_minutes(log)
    kept = log.reader.change_counts(0, FOREVER, 60, ["pods"])
    downgrade(log)
    log.close()
    log.parts.compact(log.parts.list(log.cluster)[0])
    old = HistoryReader(log.parts, log.cluster)
    assert summed(old.change_counts(0, FOREVER, 60, ["pods"])) == summed(kept)
    assert len(old.versions("pods", "shop", "other")) == 3
    assert verify_part(log.parts, log.parts.list(log.cluster)[0]).problems == []


async def test_recording_goes_on_in_a_new_part_after_one_without_counts(parts: Parts) -> None:
    log = Log(parts)
    two_minutes(log)
    downgrade(log)
    log.close()
    informer = ListedPods(log.objects["pods", "uid-there"], log.objects["pods", "uid-other"])
    async with recording(parts, ("pods", informer), cluster=log.cluster) as recorder:
        changed = informer.put("there", spec={"n": 1})
        await recorded(parts, changed, cluster=log.cluster)
        assert recorder.lost == 0
    old, new = parts.list(log.cluster)
    assert not verify_part(parts, new).problems
    with closing(parts.connect(new)) as connection:
        assert PartReader(connection).is_complete
    stored = log.reader.object_at("pods", "shop", "other", FOREVER - 1)
    assert stored is not None
    assert stored.json == json_of(log.objects["pods", "uid-other"])
    operations = [version.operation for version in log.reader.versions("pods", "default", "there")]
    assert operations == [Operation.FOUND, Operation.MODIFIED]
    assert sum(sum(each.counts) for each in log.reader.change_counts(0, FOREVER, 60, ["pods"])) == 6
    parts.drop(old)
    assert parts.list(log.cluster) == [new]
