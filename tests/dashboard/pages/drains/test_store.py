"""Tests that a node has at most one drain, also when several are started at once."""

from __future__ import annotations

import asyncio

from dashboard.access.person import Person
from dashboard.pages.drains.state import HEARTBEAT_TIMEOUT
from dashboard.pages.drains.store import NewDrain
from tests.dashboard.pages.drafts.conftest import alias, postgresql_alias, sqlite_alias
from tests.dashboard.pages.drains.conftest import records

__all__ = ["alias", "postgresql_alias", "sqlite_alias"]


def begin(uid: str) -> NewDrain:
    return NewDrain("https://one:6443", "node-1", uid, Person("alice", ("team-a",)), None, ())


async def test_two_that_begin_at_once_get_the_same_drain_and_one_of_them_runs_it(alias: str) -> None:
    one, other = records(alias), records(alias)
    answers = await asyncio.gather(one.create(begin("a"), "process-1", 1.0), other.create(begin("a"), "process-2", 1.0))
    assert sorted(is_new for _, is_new in answers) == [False, True]
    assert len({drain.key for drain, _ in answers}) == 1
    assert (await one.create(begin("another node"), "process-1", 1.0))[1]


async def test_one_that_is_over_is_not_in_the_way(alias: str) -> None:
    kept = records(alias)
    first, _ = await kept.create(begin("b"), "process-1", 1.0)
    await kept.save_checkpoint(first.key, "process-1", (), "paused", "", 2.0)
    still, is_new = await kept.create(begin("b"), "process-1", 2.0)
    assert (still.key, is_new) == (first.key, False)
    await kept.save_checkpoint(first.key, "process-1", (), "done", "", 3.0)
    assert (await kept.create(begin("b"), "process-1", 3.0))[1]


async def test_one_whose_process_has_ended_is_ended_for_the_new_one(alias: str) -> None:
    kept = records(alias)
    lost, _ = await kept.create(begin("c"), "process-1", 1.0)
    later = 1.0 + HEARTBEAT_TIMEOUT + 1
    new, is_new = await kept.create(begin("c"), "process-2", later)
    assert is_new
    found = await kept.find(lost.key, lost.server)
    assert found is not None
    assert (found.state, new.state) == ("cancelled", "running")
    assert await kept.save_checkpoint(lost.key, "process-1", (), "running", "", later) is None
