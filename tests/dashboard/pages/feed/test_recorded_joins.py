"""Property of the feed's join of memory and history: each change is there once, whatever both have of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.http import QueryDict

from dashboard.live.history.part import FOREVER, Parts
from dashboard.live.history.version import Operation, Version
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.live.moments.recorded_feed import SEAM, RecordedFeed, change_identity
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.pages.feed import recorded_changes
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.recorded_changes import RecordedChanges
from dashboard.pages.feed.time_range import iso
from tests.dashboard.live.history.test_random_histories import KINDS, live_through
from tests.support.clock import FakeClock
from tests.support.live.history import START, history_database
from tests.support.live.replica_feeder import Feeder
from tests.support.long_tests import long_but


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    with history_database("sqlite", tmp_path) as parts:
        yield parts


def known_entry(version: Version, chance: random.Random) -> Entry:
    """The entry that memory has of a change: its clock is another one, and a deletion has the version before it."""
    about, op = version.object, version.operation.counts_as
    assert op is not None
    time = version.time / 1e6 + chance.uniform(-0.3, 0.3) * SEAM
    resource_version = "before" if op == "deleted" else version.resource_version
    return Entry(0, time, op, about.namespace, about.name, about.uid, resource_version, "", "idle")


@pytest.mark.parametrize("seed", long_but(range(60, 80), 60, 61, 62))
async def test_each_change_is_listed_once_whatever_memory_has(
    parts: Parts, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = live_through(parts, seed, 120, pace=3_000_000)
    chance, clock = random.Random(seed), FakeClock()
    clock.jump(log.now / 1e6 + 60 - clock.time())
    changes = [
        version
        for step in log.reader.changes(0, FOREVER, KINDS)
        for version in step
        if version.operation.counts_as is not None
    ]
    memory_from = {kind: chance.uniform(START, log.now) / 1e6 for kind in KINDS}
    known = [
        (version.object.kind, known_entry(version, chance))
        for version in changes
        if version.time / 1e6 >= memory_from[version.object.kind] + 0.3 * SEAM
        or (version.operation is not Operation.DIFFERS and chance.random() < 0.2)
    ]
    known = [*{change_identity(*each): each for each in known}.values()]
    query = FeedQuery.parse(QueryDict(f"from={iso(START / 1e6)}&to={iso(clock.time())}"))
    recorded = RecordedFeed(
        HistoryObjects(lambda: log.reader, clock),
        parse_kinds([*KINDS]),
        [Feeder(kind, clock).replica for kind in KINDS],
    )
    shown: list[int] = []
    reading = RecordedChanges(recorded, query, KINDS, KINDS, memory_from, clock, lambda: shown.append(1))
    monkeypatch.setattr(recorded_changes, "SHOW_INTERVAL", 0.0)
    await reading.read(known, lambda: False)
    assert (reading.problem, reading.complete_from, bool(shown)) == ("", float("-inf"), True)
    found = Counter(change_identity(*each) for each in [*reading.entries, *known])
    expected = Counter(
        {
            (each.object.kind, each.object.uid, "" if each.operation.is_end else each.resource_version)
            for each in changes
        }
    )
    assert found == expected
    assert len(expected) > 20
    times = [entry.time for _, entry in reading.entries]
    assert times == sorted(times, reverse=True)
    log.close()
