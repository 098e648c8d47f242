"""Tests of the store of bulk runs: how many it keeps of one user, and which ones it lets go."""

from __future__ import annotations

import secrets
from dataclasses import replace

import pytest

from dashboard.access.identity import Identity
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.bulk.models import BulkBlock, BulkRun
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import Item, RunState
from dashboard.pages.bulk.store import NewerVersion, NewRun, RunStore
from dashboard.runtime.database_executor import DatabaseExecutor
from tests.dashboard.pages.bulk.conftest import KEY
from tests.support.clock import FakeClock

SERVER = "https://one.example"
RUN = NewRun(KINDS[KEY].resource, (Item("x", "a", "1"),), "", is_over_all_matches=False)


@pytest.mark.slow
async def test_runs_in_browsers_that_are_made_up_do_not_fill_the_disk(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.pages.bulk.store.MOST_RUNS_PER_PERSON", 3)
    store = RunStore(DatabaseExecutor(FakeClock(), alias=database, time_limit=60))
    owner = f"owner-{secrets.token_hex(8)}"
    browsers = [Identity(owner, secrets.token_hex(16)) for _ in range(6)]
    other = Identity(f"owner-{secrets.token_hex(8)}", secrets.token_hex(16))
    await store.create(other, SERVER, RUN, 1.0)
    active = await store.find(browsers[0], await store.create(browsers[0], SERVER, RUN, 1.0), SERVER)
    assert active is not None
    assert await store.claim(active, "trying", BulkOperation("label"), "process 1", 1.0)
    for number, browser in enumerate(browsers[1:]):
        await store.create(browser, SERVER, RUN, 2.0 + number)
    runs = [*await store.runs(other, SERVER), *await store.runs(browsers[0], SERVER)]
    kept = [[run.identity for run in runs].count(browser) for browser in (other, *browsers)]
    assert kept == [1, 1, 0, 0, 1, 1, 1], "those of others and those that run stay"


async def test_an_undo_does_not_push_out_the_run_that_it_undoes(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.pages.bulk.store.MOST_RUNS", 3)
    store = RunStore(DatabaseExecutor(FakeClock(), alias=database, time_limit=60))
    person = Identity(f"owner-{secrets.token_hex(8)}", secrets.token_hex(16))
    oldest, second, third = [await store.create(person, SERVER, RUN, float(number)) for number in (1, 2, 3)]
    undo = await store.create(person, SERVER, replace(RUN, undone=oldest), 4.0)
    assert {run.key for run in await store.runs(person, SERVER)} == {oldest, second, third, undo}
    await store.create(person, SERVER, RUN, 5.0)
    assert await store.find(person, oldest, SERVER) is None


async def test_runs_that_were_never_begun_go_after_a_day_and_make_room_for_others_first(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.pages.bulk.store.MOST_RUNS", 4)
    executor = DatabaseExecutor(FakeClock(), alias=database, time_limit=60)
    store = RunStore(executor)
    person = Identity(f"owner-{secrets.token_hex(8)}", secrets.token_hex(16))
    hour, day = 3600.0, 24 * 3600.0

    async def create(now: float, *, state: RunState = "choosing", done: int = 0) -> str:
        key = await store.create(person, SERVER, RUN, now)
        changed = {"state": state, "counts": {"done": done}}
        await executor.ask(lambda alias: BulkRun.objects.using(alias).filter(key=key).update(**changed))
        return key

    async def kept() -> list[str]:
        return [run.key for run in reversed(await store.runs(person, SERVER))]

    forgotten = await create(0.0, state="review")
    done, half_done = await create(1.0, state="done", done=1), await create(2.0, state="review", done=1)
    assert await kept() == [forgotten, done, half_done]
    open_elsewhere = await create(day)
    assert await kept() == [forgotten, done, half_done, open_elsewhere]
    new = await create(day + hour / 2, state="done", done=1)
    assert await kept() == [done, half_done, open_elsewhere, new]
    newer = await create(day + 2 * hour, state="done", done=1)
    assert await kept() == [done, half_done, new, newer], "the abandoned one makes room, though it is not the oldest"
    latest = await create(2 * day)
    assert await kept() == [half_done, new, newer, latest]


async def test_a_run_that_a_newer_version_stored_is_listed_as_such_and_left_as_it_is(database: str) -> None:
    executor = DatabaseExecutor(FakeClock(), alias=database, time_limit=60)
    store = RunStore(executor)
    person = Identity(f"owner-{secrets.token_hex(8)}", secrets.token_hex(16))
    ours, theirs = [await store.create(person, SERVER, RUN, float(number)) for number in (1, 2)]
    order = {"verb": "teleport", "patch": {}, "to": "moon"}
    changed = {"order": order, "state": "teleporting", "counts": {"in flight": 1}}
    items = [["x", "a", "1", "in flight"]]

    def make_newer(alias: str) -> None:
        BulkRun.objects.using(alias).filter(key=theirs).update(**changed)
        BulkBlock.objects.using(alias).filter(run__key=theirs).update(items=items)

    await executor.ask(make_newer)
    assert [
        (run.key, run.is_newer, run.can_choose_again, run.can_undo) for run in await store.runs(person, SERVER)
    ] == [
        (theirs, True, False, False),
        (ours, False, True, False),
    ]
    with pytest.raises(NewerVersion):
        await store.find(person, theirs, SERVER)
    with pytest.raises(NewerVersion):
        await store.items(theirs)
    stored = await executor.ask(lambda alias: BulkRun.objects.using(alias).filter(key=theirs).values(*changed).get())
    assert stored == changed
