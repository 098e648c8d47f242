"""Tests of the differences of a list between two moments: they are those of two snapshots of it."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from dashboard.live.history import part_reader
from dashboard.live.history.change_queue import NamespaceLost
from dashboard.live.history.list_differences import ChangedPart, Difference, changed_part, list_differences
from dashboard.live.history.part import Parts
from dashboard.live.history.version import ObjectName, Operation
from dashboard.objects.kinds.value_hashes import MEMBER
from informerd.objects import Object
from tests.dashboard.live.history.test_random_histories import live_through
from tests.support.live.history import Log, whole_object
from tests.support.long_tests import long_but


def differences(log: Log, since: int, until: int, *, kind: str = "pods", **options: Any) -> list[Difference]:
    steps = [*list_differences(log.reader, kind, since, until, **options)]
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == 1 or not any(step.differences for step in steps)
    return [each for step in steps for each in step.differences]


def words(log: Log, since: int, until: int, **options: Any) -> list[str]:
    return sorted(
        f"{'+' if each.before is None else '-' if each.after is None else ' '}{each.name.name}"
        for each in differences(log, since, until, **options)
    )


def of_snapshots(was: dict[str, Object], now: dict[str, Object]) -> set[tuple[str, str]]:
    """Names that differ between two snapshots, and how."""
    old = {obj.metadata.name: obj for obj in was.values()}
    new = {obj.metadata.name: obj for obj in now.values()}
    found = {("added", name) for name in new.keys() - old.keys()} | {
        ("removed", name) for name in old.keys() - new.keys()
    }
    for name in old.keys() & new.keys():
        one, other = old[name], new[name]
        is_same = one.metadata.uid == other.metadata.uid and one.full()["spec"] == other.full()["spec"]
        found |= set() if is_same else {("changed", name)}
    return found


def how(difference: Difference) -> str | None:
    before, after = difference.before, difference.after
    if before is None or after is None:
        return "added" if before is None else "removed"
    if before.version.object.uid != after.version.object.uid:
        return "changed"
    assert difference.was is not None
    assert difference.json is not None
    return "changed" if changed_part(difference.was, difference.json) is not ChangedPart.NOTHING else None


@pytest.mark.parametrize("seed", long_but(range(40, 60), 45))
def test_the_differences_are_those_of_two_snapshots(parts: Parts, seed: int) -> None:
    log = live_through(parts, seed, 120)
    known = [each for each in log.timeline if log.reader.gap_at(each[1], each[0]) is None]
    compared = 0
    for kind in ("pods", "nodes"):
        moments = [(time, existing) for time, each, existing in known if each == kind]
        near, far = [*pairwise(moments)], [*zip(moments, moments[7:], strict=False)]
        for (since, was), (until, now) in [*near[::5], *far[::3], (moments[0], moments[-1])]:
            found = differences(log, since, until, kind=kind)
            assert {(says, each.name.name) for each in found if (says := how(each))} == of_snapshots(was, now)
            assert len({each.name.name for each in found}) == len(found)
            for each in found:
                for json_text, existing in ((each.was, was), (each.json, now)):
                    if json_text is not None:
                        state = json.loads(json_text)
                        assert state["spec"] == existing[state["metadata"]["uid"]].full()["spec"]
            compared += 1
    assert compared > 10
    log.close()


@pytest.fixture
def life(log: Log) -> dict[str, int]:
    """Times of a small history of pods in two namespaces, by what was done before each."""
    times = {"empty": log.now}

    def do(operation: Operation, name: str, **content: Any) -> None:
        log.change("pods", operation, whole_object(name, log.next_version(), **content))

    do(Operation.ADDED, "stays", spec={"number": 1})
    do(Operation.ADDED, "goes", spec={"number": 1})
    do(Operation.ADDED, "other", namespace="other", spec={"number": 1})
    do(Operation.ADDED, "beats", spec={"number": 1})
    times["begun"] = log.now
    do(Operation.MODIFIED, "stays", spec={"number": 2})
    do(Operation.MODIFIED, "other", namespace="other", spec={"number": 2})
    times["changed"] = log.now
    do(Operation.MODIFIED, "stays", spec={"number": 1})
    do(Operation.DELETED, "goes", spec={"number": 1})
    do(Operation.ADDED, "comes", spec={"number": 1})
    do(Operation.ADDED, "passes", spec={"number": 1})
    do(Operation.DELETED, "passes", spec={"number": 1})
    times["done"] = log.now
    log.tick("pods")
    return times


def test_what_was_added_removed_and_changed_is_told(log: Log, life: dict[str, int]) -> None:
    assert words(log, life["begun"], life["changed"]) == [" other", " stays"]
    assert words(log, life["changed"], life["done"]) == [" stays", "+comes", "-goes"]
    assert words(log, life["empty"], life["begun"]) == ["+beats", "+goes", "+other", "+stays"]
    assert words(log, life["done"], life["done"]) == []


def test_one_that_changed_back_has_another_version_in_which_nothing_differs(log: Log, life: dict[str, int]) -> None:
    [stays] = [each for each in differences(log, life["begun"], life["done"]) if each.name.name == "stays"]
    assert stays.was is not None
    assert stays.json is not None
    assert changed_part(stays.was, stays.json) is ChangedPart.NOTHING


def test_what_changed_last_comes_first_with_its_time(log: Log, life: dict[str, int]) -> None:
    found = differences(log, life["begun"], life["done"])
    assert [each.name.name for each in found] == ["comes", "goes", "stays", "other"]
    assert [each.time for each in found] == sorted((each.time or 0 for each in found), reverse=True)


def test_the_same_is_told_across_parts(log: Log, life: dict[str, int]) -> None:
    for _ in range(2):
        log.begin_part()
        assert words(log, life["begun"], log.now) == [" other", " stays", "+comes", "-goes"], "while it is begun"
        while log.carry_step():
            pass
        assert words(log, life["begun"], log.now) == [" other", " stays", "+comes", "-goes"]
        log.tick("pods")
    [gone] = [each for each in differences(log, life["begun"], log.now) if each.name.name == "goes"]
    assert gone.time is None, "the newest part does not know that it was there"


def test_only_the_chosen_namespaces_are_compared(log: Log, life: dict[str, int]) -> None:
    assert words(log, life["begun"], life["done"], namespaces=frozenset({"other"})) == [" other"]
    assert words(log, life["begun"], life["done"], namespaces=frozenset()) == []


def test_another_object_of_the_name_is_one_difference(log: Log, life: dict[str, int]) -> None:
    log.change("pods", Operation.DELETED, whole_object("stays", log.next_version()))
    log.change("pods", Operation.ADDED, whole_object("stays", log.next_version(), uid="another"))
    log.tick("pods")
    [found] = differences(log, life["done"], log.now)
    assert found.before is not None
    assert found.after is not None
    assert (found.before.version.object.uid, found.after.version.object.uid) == ("uid-stays", "another")


def test_what_could_not_be_listed_is_neither_there_nor_gone(log: Log, life: dict[str, int]) -> None:
    log.now += 1000
    log.batch.append(NamespaceLost("pods", "other", log.now))
    log.tick("pods")
    steps = [*list_differences(log.reader, "pods", life["done"], log.now)]
    assert [each for step in steps for each in step.differences] == []
    assert sum(step.unseen for step in steps) == 1


def test_one_of_two_objects_of_a_name_that_could_not_be_listed_is_known_by_its_uid(
    log: Log, life: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_reader, "ROWS", 1)
    names = [ObjectName("pods", "other", "other", uid) for uid in ("uid-other", "another")]
    log.change("pods", Operation.DELETED, whole_object("other", log.next_version(), namespace="other"))
    log.change("pods", Operation.ADDED, whole_object("other", log.next_version(), namespace="other", uid="another"))
    log.batch.append(NamespaceLost("pods", "other", log.now))
    log.tick("pods")
    log.begin_part()
    while log.carry_step():
        pass
    log.tick("pods")
    assert log.reader.unseen_at(names, life["done"]) == set()
    assert log.reader.unseen_at(names, log.now) == {"another"}


def test_what_could_not_be_listed_is_neither_there_nor_gone_in_later_parts(log: Log, life: dict[str, int]) -> None:
    log.now += 1000
    log.batch.append(NamespaceLost("pods", "other", log.now))
    for _ in range(2):
        log.begin_part()
    while log.carry_step():
        pass
    log.tick("pods")
    unseen_at = log.now
    steps = [*list_differences(log.reader, "pods", life["done"], unseen_at)]
    assert [each for step in steps for each in step.differences] == []
    assert sum(step.unseen for step in steps) == 1
    log.change("pods", Operation.FOUND, whole_object("other", 1, namespace="other"))
    log.tick("pods")
    log.begin_part()
    while log.carry_step():
        pass
    log.tick("pods")
    steps = [*list_differences(log.reader, "pods", unseen_at, log.now)]
    assert [each for step in steps for each in step.differences] == []
    assert sum(step.unseen for step in steps) == 1
    assert words(log, life["done"], log.now) == [" other"], "it was seen at both moments"


@pytest.mark.parametrize(
    ("was", "now", "part"),
    [
        ({"spec": {"a": 1}}, {"spec": {"a": 1}}, ChangedPart.NOTHING),
        ({"spec": {"a": 1}}, {"spec": {"a": 2}}, ChangedPart.CONTENT),
        ({"status": {"a": 1}}, {"status": {"a": 2}}, ChangedPart.STATUS),
        ({"status": {"observedGeneration": 1}}, {"status": {"observedGeneration": 2}}, ChangedPart.NOTHING),
        ({"spec": {"a": 1}, "status": {"a": 1}}, {"spec": {"a": 2}, "status": {"a": 2}}, ChangedPart.CONTENT),
        ({"data": {"a": "1"}}, {"data": {"a": "2"}}, ChangedPart.CONTENT),
        ({"metadata": {"labels": {"a": "1"}}}, {"metadata": {"labels": {"a": "2"}}}, ChangedPart.CONTENT),
        ({"metadata": {"generation": 1}}, {"metadata": {"generation": 2}}, ChangedPart.NOTHING),
        (
            {"status": {"conditions": [{"type": "Ready", "lastHeartbeatTime": "1"}]}},
            {"status": {"conditions": [{"type": "Ready", "lastHeartbeatTime": "2"}]}},
            ChangedPart.NOTHING,
        ),
    ],
)
def test_what_differs_is_content_status_or_nothing(was: Any, now: Any, part: ChangedPart) -> None:
    assert changed_part(json.dumps(was).encode(), json.dumps(now).encode()) is part


def test_another_value_of_a_secret_is_content() -> None:
    def secret(value: str) -> bytes:
        return json.dumps({"data": {"password": "***"}, MEMBER: {"data": {"password": value}}}).encode()

    assert changed_part(secret("1"), secret("2")) is ChangedPart.CONTENT
    assert changed_part(secret("1"), secret("1")) is ChangedPart.NOTHING
