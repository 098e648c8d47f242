"""Tests of runs that somebody else has started: what is shown of them, and to whom."""

from __future__ import annotations

import secrets

import pytest

from dashboard.access.identity import Identity
from dashboard.access.rights import Rights, Rule
from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.bulk import run_list_views, views
from dashboard.pages.bulk.models import BulkRun
from dashboard.pages.bulk.run import Item, RunState
from dashboard.pages.bulk.store import NewRun, RunStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.testing.clock import FakeClock
from tests.dashboard.pages.bulk.conftest import KEY, PAGE, Demos
from tests.support.edit.no_script_browser import Browser


@pytest.mark.parametrize("owners", [("anna", "ben"), ("", "")])
async def test_the_runs_of_others_are_those_that_have_ended_and_written_something(
    database: str, owners: tuple[str, str]
) -> None:
    executor, server = DatabaseExecutor(FakeClock(), alias=database, time_limit=60), secrets.token_hex(8)
    store = RunStore(executor)
    own, other = (Identity(owner, secrets.token_hex(16)) for owner in owners)
    begin = NewRun(KINDS[KEY].resource, (Item("x", "a", "1"),), "", is_over_all_matches=False)

    async def create(state: RunState, done: int, now: float) -> str:
        key = await store.create(other, server, begin, now)
        changed = {"state": state, "counts": {"done": done} if done else {}}
        await executor.ask(lambda alias: BulkRun.objects.using(alias).filter(key=key).update(**changed))
        return key

    await store.create(own, server, begin, 0.0)
    ended, cancelled = await create("done", 1, 1.0), await create("cancelled", 2, 2.0)
    hidden = [await create("running", 1, 3.0), await create("done", 0, 4.0), await create("choosing", 0, 5.0)]
    assert [run.key for run in await store.written_by_others(own, server)] == [cancelled, ended]
    assert await store.written_by_others(other, server) == ()
    assert await store.written_by_others(own, "another cluster") == ()
    found = await store.find_written(ended, server)
    assert found is not None
    assert found.owner == other.owner
    for key in hidden:
        assert await store.find_written(key, server) is None
    assert await store.find_written(ended, "another cluster") is None


async def test_runs_of_a_person_are_theirs_in_each_browser(database: str) -> None:
    executor, server = DatabaseExecutor(FakeClock(), alias=database, time_limit=60), secrets.token_hex(8)
    store, owner = RunStore(executor), f"owner-{secrets.token_hex(8)}"
    begin = NewRun(KINDS[KEY].resource, (Item("x", "a", "1"),), "", is_over_all_matches=False)
    key = await store.create(Identity(owner, "a" * 32), server, begin, 0.0)
    for browser in ("a" * 32, "b" * 32, ""):
        found = await store.find(Identity(owner, browser), key, server)
        assert found is not None
        assert [run.key for run in await store.runs(Identity(owner, browser), server)] == [key]
    assert await store.find(Identity("", "a" * 32), key, server) is None
    assert await store.runs(Identity("", ""), server) == ()


async def test_others_see_what_a_run_did_to_objects_that_they_may_see(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MAX_LINKED", 2)
    demos.make("a-one", "b-one", "unseen-one", "z-one")
    demos.page = f"{PAGE}?q=one"
    other = Browser(demos.parts)
    await demos.review(verb="label", label_set="x=secret-value")
    assert (await other.open(demos.run)).status == 404, "nothing is written yet"
    await demos.press("start")
    await demos.shows("4 changed.")
    demos.list(KEY, [demos.get(name) for name in ("a-one", "b-one", "z-one")])
    demos.parts.rights = Rights(())
    listed = await other.open("/runs/")
    assert "Labels: 3 Mydemos changed by somebody in another browser" in listed.text
    page = await other.open(demos.run)
    assert "3 Mydemos changed" in page.text
    assert "Labels: started by somebody in another browser" in page.text
    assert "and 1 more" in page.text
    assert "It cannot be undone here" in page.text
    assert "secret-value" not in page.body
    assert "q=one" in (await demos.browser.open(demos.run)).main
    assert "q=one" not in page.main, "the filter of a list may name what others do not see"
    for shown in (listed, page):
        assert "unseen" not in shown.body
        assert "4" not in shown.text.split("begun")[0].split("started")[0]
    for button in ("start", "again", "look", "choose", "discard", "cancel"):
        assert (await other.send(demos.run, {button: ""})).location == demos.run
    assert (await other.open(f"{demos.run}commands.txt")).status == 404
    table = await other.open(f"{demos.run}results.csv")
    assert [line.split(",")[1] for line in table.body.splitlines()] == ["name", "a-one", "b-one", "z-one"]
    demos.parts.rights = Rights([Rule(frozenset({"get"}), frozenset({"crddemo.k8s.io"}), frozenset({"mydemos"}))])
    demos.list(KEY, [demos.get("a-one")])
    assert "unseen" not in (await other.open(f"{demos.run}results.csv")).body, "who may get names does not learn them"
    demos.parts.rights = Rights(())
    monkeypatch.setattr(run_list_views, "MAX_CHECKED_ITEMS", 3)
    assert "Of others" not in (await other.open("/runs/")).text, "too many to look at"
    del demos.parts.rights
    assert "Labels: 4 Mydemos" in (await other.open("/runs/")).text, "who sees all is asked of none"
    demos.parts.rights = Rights(())
    demos.list(KEY, [])
    assert (await other.open(demos.run)).status == 404
    assert "Of others" not in (await other.open("/runs/")).text
    assert "4 changed." in (await demos.browser.open(demos.run)).text, "nobody has changed it"
