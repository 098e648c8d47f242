"""Tests of the health of several shards as one."""

from __future__ import annotations

import pytest

from dashboard.live.replication.shard_health import OTHER_COLUMNS, shards_health
from dashboard.runtime.shard import Shard
from informerd.cache.health import Health, State

LIVE = Health("live", since=10.0, heard=20.0, reconnects=1, last_event=15.0, last_bookmark=18.0)


def joined(*healths: Health, same_columns: bool = True) -> Health:
    by_shard = {Shard(number, len(healths)): health for number, health in enumerate(healths, 1)}
    return shards_health(by_shard, same_columns=same_columns)


def test_all_are_live_since_the_last_of_them_is() -> None:
    other = Health("live", since=12.0, heard=19.0, reconnects=2, last_event=17.0, unreadable=1)
    health = joined(LIVE, other)
    assert (health.state, health.since, health.heard, health.reconnects) == ("live", 12.0, 19.0, 3)
    assert (health.last_event, health.last_bookmark, health.unreadable) == (17.0, 18.0, 1)


@pytest.mark.parametrize("state", ["forbidden", "unreachable", "starting", "syncing", "stale"])
def test_the_worst_one_counts_and_is_named(state: State) -> None:
    health = joined(LIVE, Health(state, since=11.0, problem="no", retry_at=30.0), LIVE)
    assert (health.state, health.since, health.retry_at) == (state, 11.0, 30.0)
    assert health.problem == "shard 2/3: no"


def test_a_problem_of_all_names_none() -> None:
    down = [Health("stale", since=since, problem="no answer") for since in (11.0, 9.0)]
    health = joined(*down)
    assert (health.problem, health.since, health.has_answer) == ("no answer", 9.0, False)


def test_a_kind_is_absent_where_it_is_for_all_workers() -> None:
    absent = Health("absent", since=11.0, problem="not found")
    assert joined(absent, absent).state == "absent"
    health = joined(LIVE, absent)
    assert (health.state, health.problem, health.has_answer) == ("stale", "shard 2/2: not found", True)


def test_while_the_shards_have_different_columns_it_is_stale() -> None:
    health = joined(LIVE, LIVE, same_columns=False)
    assert (health.state, health.problem, health.has_answer) == ("stale", OTHER_COLUMNS, True)


def test_what_is_still_to_come_is_the_sum_of_all_that_are_being_listed() -> None:
    first = Health("syncing", since=11.0, listed=500, remaining=4_500)
    second = Health("syncing", since=12.0, listed=1_000, remaining=2_000)
    assert (joined(LIVE, first, second).listed, joined(LIVE, first, second).remaining) == (1_500, 6_500)
    assert joined(first, Health("starting", since=11.0)).remaining is None
