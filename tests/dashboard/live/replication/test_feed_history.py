"""Tests of the history of changes: complete up to a bound, with the time of its beginning."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dashboard.live.replication.feed_history import CHUNK_SIZE, RETENTION, FeedHistory
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from informerd.cache.health import Health
from tests.support.clock import FakeClock
from tests.support.live import replica_feeder
from tests.support.live.feed_entries import BEGAN, entry, log_of, told
from tests.support.live.replica_feeder import Feeder


def seqs(log: FeedHistory, key: str, begin: float = -math.inf, end: float = math.inf) -> list[int]:
    pieces = reversed(log.chunks([key], begin, end))
    return [one.seq for piece in pieces for one in piece.entries() if begin <= one.time <= end]


def test_every_entry_comes_back_as_it_was() -> None:
    log, _, _ = log_of("pods")
    entries = [entry(seq, at=seq / 10, labels={"app": "web"}, fields=(("spec.port", "1"),)) for seq in range(1, 2000)]
    for start in range(0, len(entries), 37):
        told(log, "pods", entries[start : start + 37])
    found = [one for piece in reversed(log.chunks(["pods"], -math.inf, math.inf)) for one in piece.entries()]
    assert found == entries
    assert log.entry_count(["pods"]) == len(entries)
    assert log.known_from(["pods"]) == BEGAN


def test_a_span_reads_only_the_pieces_that_it_touches() -> None:
    log, _, _ = log_of("pods")
    told(log, "pods", [entry(seq, at=seq) for seq in range(1, 10 * CHUNK_SIZE)])
    begin, end = BEGAN + 3 * CHUNK_SIZE, BEGAN + 3 * CHUNK_SIZE + 10
    assert seqs(log, "pods", begin, end) == list(range(3 * CHUNK_SIZE, 3 * CHUNK_SIZE + 11))
    assert len(log.chunks(["pods"], begin, end)) <= 2


def test_where_there_is_too_much_the_kind_with_the_most_forgets_its_oldest() -> None:
    log, _, _ = log_of("pods", "events", most=1000)
    told(log, "events", [entry(1, at=1)])
    told(log, "pods", [entry(seq, at=seq) for seq in range(1, 3001)])
    kept = seqs(log, "pods")
    assert log.entry_count(["pods", "events"]) <= 1000
    assert kept == list(range(kept[0], 3001))
    assert seqs(log, "events") == [1]
    assert log.known_from(["events"]) == BEGAN
    assert BEGAN + kept[0] - 1 < log.known_from(["pods"]) <= BEGAN + kept[0]
    assert log.known_from(["pods", "events"]) == log.known_from(["pods"])


async def test_what_is_older_than_a_day_is_forgotten() -> None:
    log, _, clock = log_of("pods")
    told(log, "pods", [entry(seq, at=seq / 1000) for seq in range(1, CHUNK_SIZE + 11)])
    await clock.advance(RETENTION + 5)
    told(log, "pods", [entry(CHUNK_SIZE + 11, at=RETENTION + 5)])
    assert seqs(log, "pods") == list(range(CHUNK_SIZE + 1, CHUNK_SIZE + 12))
    assert log.known_from(["pods"]) > BEGAN


def test_a_process_that_begins_late_knows_the_newest_entries_and_says_from_when_on() -> None:
    clock = FakeClock()
    late = Feeder("pods", clock, entries=[entry(seq, at=seq) for seq in range(501, 1001)])
    whole = Feeder("events", clock, entries=[entry(seq, at=seq) for seq in range(1, 4)])
    log = FeedHistory([late.replica, whole.replica], clock)
    assert log.known_from(["pods"]) == BEGAN + 501
    assert log.known_from(["events"]) == BEGAN


def test_nothing_is_known_before_the_worker_was_heard_and_all_of_it_after_its_first_word() -> None:
    clock = FakeClock()
    log = FeedHistory([Replica("pods", clock)], clock)
    assert log.known_from(["pods"]) == math.inf
    log.add("pods", Change(has_new_health=True))
    assert log.known_from(["pods"]) == math.inf
    log.add("pods", Change(is_first_snapshot=True, entries=[entry(7, at=7)]))
    assert log.known_from(["pods"]) == BEGAN + 7


@pytest.mark.parametrize("state", ["syncing", "starting"])
def test_nothing_is_known_while_the_worker_reads_its_first_list(state: Any) -> None:
    """A change before the list's end is in the list, and no entry tells it."""
    clock = FakeClock()
    feeder = Feeder("pods", clock, health=Health(state=state, since=clock.time()))
    log = FeedHistory([feeder.replica], clock)
    feeder.replica.on_change(lambda change: log.add("pods", change))
    assert log.known_from(["pods"]) == math.inf
    feeder.beat(Health(state="syncing", since=clock.time(), listed=500))
    assert log.known_from(["pods"]) == math.inf
    clock.skip(3)
    feeder.beat(Health(state="live", since=clock.time()))
    assert log.known_from(["pods"]) == clock.time()


@pytest.mark.parametrize("state", ["absent", "forbidden"])
def test_a_kind_that_cannot_be_listed_holds_up_no_others(state: Any) -> None:
    clock = FakeClock()
    feeder = Feeder("pods", clock, health=Health(state="syncing", since=clock.time()))
    log = FeedHistory([feeder.replica], clock)
    feeder.replica.on_change(lambda change: log.add("pods", change))
    feeder.beat(Health(state=state, since=clock.time()))
    assert log.known_from(["pods"]) < math.inf


def test_what_was_lost_is_counted_where_it_was_noticed() -> None:
    log, _, _ = log_of("pods", "events")
    told(log, "pods", [entry(1, at=1)])
    told(log, "pods", [entry(1202, at=60)], missed=1200)
    told(log, "events", [entry(5, at=90)], missed=4)
    assert log.missed(["pods", "events"], BEGAN, BEGAN + 100) == 1204
    assert log.missed(["pods"], BEGAN + 61, BEGAN + 100) == 0


@pytest.mark.parametrize("key", ["jobs.batch"])
def test_kinds_that_come_and_go_are_not_remembered(key: str) -> None:
    log, _, _ = log_of("pods")
    told(log, key, [entry(1)])
    assert log.keys == ("pods",)


def test_a_time_in_which_nobody_told_changes_is_remembered_for_each_span_that_it_touches() -> None:
    log, _, _ = log_of("pods", "events")
    log.add("pods", Change(unannounced=(BEGAN + 10, BEGAN + 20)))
    log.add("events", Change(unannounced=(BEGAN + 15, BEGAN + 22)))
    log.add("pods", Change(unannounced=(BEGAN + 50, BEGAN + 60)))
    assert log.unannounced_periods(["pods", "events"], BEGAN, BEGAN + 30) == [(BEGAN + 10, BEGAN + 22)]
    assert log.unannounced_periods(["pods"], BEGAN + 18, BEGAN + 55) == [
        (BEGAN + 10, BEGAN + 20),
        (BEGAN + 50, BEGAN + 60),
    ]
    assert log.unannounced_periods(["pods"], BEGAN + 61, BEGAN + 70) == []


def test_where_the_first_worker_had_not_listed_all_is_known_from_its_list_on() -> None:
    log, _, _ = log_of("pods")
    log.add("pods", Change(entries=[entry(1, at=1)]))
    log.add("pods", Change(unannounced=(0.0, BEGAN + 5)))
    assert log.known_from(["pods"]) == BEGAN + 5
    assert log.unannounced_periods(["pods"], 0, BEGAN + 100) == []


def test_changes_in_the_second_of_the_workers_start_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_feeder, "EPOCH", "1800000000700-abc")
    clock = FakeClock()
    log = FeedHistory([Feeder("pods", clock).replica], clock)
    assert log.rates_from(["pods"], 1_800_000_060.0) == 1_800_000_000


def test_the_newest_of_a_piece_counts_for_its_order_also_where_an_older_one_came_last() -> None:
    log, _, _ = log_of("pods")
    told(log, "pods", [*(entry(seq, at=seq / 10) for seq in range(2, CHUNK_SIZE + 1)), entry(1, at=0.1)])
    (piece,) = log.chunks(["pods"], -math.inf, math.inf)
    assert piece.ordered_to == max(one.ordered_at for one in piece.entries())
