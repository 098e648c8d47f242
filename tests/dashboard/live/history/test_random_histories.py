"""Random histories: every version that was recorded is read back exactly at its moment, whatever happened meanwhile."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from dashboard.live.history import reader
from dashboard.live.history.part import FOREVER, Parts
from dashboard.live.history.part_rows import COUNTED
from dashboard.live.history.verify import verify_part
from dashboard.live.history.version import CHANGES
from tests.support.live.history import START, Log, RandomLife, json_of
from tests.support.long_tests import long_but

KINDS = ("pods", "nodes")


@pytest.fixture(autouse=True)
def _no_warnings(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing was damaged, lost or written in another way than planned."""
    yield
    assert not [record for record in caplog.records if record.name.startswith("dashboard.live.history")]


def live_through(parts: Parts, seed: int, number: int = 150, pace: int = 0) -> Log:
    """`pace`: microseconds between two acts."""
    log = Log(parts)
    life = RandomLife(log, seed)
    since = START
    for _ in range(number):
        log.now += pace
        act = life.chance.choices(["change", "tick", "part", "carry", "restart", "again"], [60, 12, 2, 8, 2, 2])[0]
        if act == "change":
            life.do()
        elif act == "tick":
            log.tick(*KINDS, since=since)
        elif act == "part":
            log.begin_part()
        elif act == "carry":
            log.carry_step()
        elif act == "again":  # nobody knows whether the batch was stored, so it is written again
            batch = [*log.batch]
            log.write()
            log.close()
            log.open()
            log.batch = batch
            log.write()
            log.list_again(*KINDS)
        else:  # what happens meanwhile is a gap
            log.tick(*KINDS, since=since)
            log.close()
            for _ in range(life.chance.randrange(4)):
                life.do(is_seen=False)
            log.open()
            log.list_again(*KINDS)
            since = log.now
            log.tick(*KINDS, since=since, reason="restarted")
    log.tick(*KINDS, since=since)
    return log


@pytest.mark.parametrize("seed", long_but(range(12), 0, 1))
def test_every_version_is_read_back_exactly(parts: Parts, seed: int) -> None:
    log = live_through(parts, seed)
    assert len(log.parts.list(log.cluster)) > 1
    for time, kind, operation, obj in log.truth:
        stored = log.reader.object_at(kind, "default", obj.metadata.name, time)
        assert stored is not None
        assert stored.json == json_of(obj)
        assert stored.version.time == time
        assert stored.version.operation.is_end == operation.is_end
        assert stored.version.manager == "kubectl"
    log.close()


@pytest.mark.parametrize("seed", long_but(range(12, 24), 12))
def test_a_list_at_any_moment_has_what_existed_then(parts: Parts, seed: int) -> None:
    log = live_through(parts, seed, 100)
    looked = 0
    for time, kind, existing in log.timeline:
        if log.reader.gap_at(kind, time) is not None:
            continue
        looked += 1
        steps = [*log.reader.objects_at(kind, time)]
        found = {each.version.object.uid: json.loads(each.json)["spec"] for step in steps for each in step.objects}
        assert found == {uid: obj.full()["spec"] for uid, obj in existing.items()}
        assert steps == [] or steps[-1].done == steps[-1].total
    assert looked > 10
    log.close()


@pytest.mark.parametrize("seed", long_but(range(40, 52), 40, 41))
@pytest.mark.parametrize("step", [1, 60, 120])
def test_kept_counts_are_those_of_the_changes_that_are_read_back(parts: Parts, seed: int, step: int) -> None:
    log = live_through(parts, seed, pace=7_000_000)
    chance = random.Random(seed)
    spans = [(0, FOREVER), *(sorted(chance.choices(range(START, log.now), k=2)) for _ in range(10))]
    for since, until in spans:
        expected: Counter[tuple[int, str, str, int]] = Counter()
        for version in (each for versions in log.reader.changes(since, until) for each in versions):
            if version.operation.counts_as is not None:
                begin = version.time // (step * 1_000_000) * step
                place = COUNTED.index(version.operation.counts_as)
                expected[begin, version.object.kind, version.object.namespace, place] += 1
        found: Counter[tuple[int, str, str, int]] = Counter()
        for each in log.reader.change_counts(since, until, step, KINDS):
            found.update({(each.begin, each.kind, each.namespace, place): n for place, n in enumerate(each.counts)})
        assert +found == expected
        assert expected or (since, until) != (0, FOREVER)
    log.close()


@pytest.mark.parametrize("seed", long_but(range(30, 36), 30))
def test_what_was_recorded_is_sound(parts: Parts, seed: int) -> None:
    log = live_through(parts, seed)
    for part in log.parts.list(log.cluster):
        report = verify_part(log.parts, part)
        assert report.problems == []
        assert report.versions > 0
    log.close()


@pytest.mark.parametrize("seed", long_but(range(60, 66), 60))
def test_changes_come_once_each_in_steps_of_limited_size(
    parts: Parts, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = live_through(parts, seed, pace=random.Random(seed).choice([0, 50_000, 20_000_000]))
    whole = [version for step in log.reader.changes(0, FOREVER) for version in step]
    changes = [version for step in log.reader.changes(0, FOREVER, operations=CHANGES) for version in step]
    assert changes == [version for version in whole if version.operation.counts_as is not None]
    monkeypatch.setattr(reader, "MOST", 3)
    monkeypatch.setattr(reader, "MANY", 2)
    steps = [*log.reader.changes(0, FOREVER)]
    assert [version for step in steps for version in step] == whole
    assert max(map(len, steps)) == 3
    log.close()
