"""Tests of the draft store: the newest draft of each tab, none lost, and none of another user."""

from __future__ import annotations

import asyncio
import threading

import pytest
from django.db import DataError, OperationalError

from dashboard.access.identity import Identity
from dashboard.pages.drafts.draft import Content, Save, SaveResult, Subject
from dashboard.pages.drafts.store import (
    MAX_PER_BROWSER,
    MIN_EVICTION_AGE,
    RETENTION,
    DraftLimitReached,
    DraftStore,
    Unavailable,
    new_key,
)
from dashboard.runtime.database_executor import FAILURE_PAUSE, DatabaseExecutor
from tests.support.clock import FakeClock

ONE = Subject("mydemos.crddemo.k8s.io", "default", "one")
BASE = Content("", base_uid="u", base_version="7", base='{"spec":{"port":1}}')


@pytest.fixture
def me() -> Identity:
    return Identity("", new_key())


def text(words: str, **more: str) -> Content:
    return Content(words, (), BASE.base_uid, BASE.base_version, more.get("base", BASE.base))


async def texts(shelf: DraftStore, whose: Identity) -> list[str]:
    found = [await shelf.find(whose, draft.key) for draft in await shelf.all(whose)]
    return sorted(draft.content.text for draft in found if draft is not None)


async def test_a_draft_comes_back_as_it_was_typed_with_what_it_began_with(shelf: DraftStore, me: Identity) -> None:
    typed = Content("# ø\nspec: {}\n", (("field.spec.port", "x"), ("shown.spec.port", "1")), "u", "7", BASE.base)
    kept = await shelf.keep(me, ONE, typed, Save(new_key(), new_key(), 0, 1))
    draft = await shelf.find(me, kept.draft)
    assert draft is not None
    assert (draft.content, draft.subject, draft.number) == (typed, ONE, 1)
    assert [each.key for each in await shelf.for_subject(me, ONE)] == [kept.draft]
    assert draft.resume_href == f"/resources/mydemos.crddemo.k8s.io/default/one/edit/?draft={kept.draft}"


async def test_a_late_older_save_does_not_overwrite_a_newer_one(shelf: DraftStore, me: Identity) -> None:
    key, tab = new_key(), new_key()
    await shelf.keep(me, ONE, text("newer"), Save(key, tab, 0, 2))
    assert await shelf.keep(me, ONE, text("older"), Save(key, tab, 0, 1)) == SaveResult(key, 2, is_late=True)
    assert await texts(shelf, me) == ["newer"]


async def test_of_saves_that_come_at_once_the_one_with_the_highest_number_stays(
    shelf: DraftStore, me: Identity
) -> None:
    key, tab = new_key(), new_key()
    saves = [shelf.keep(me, ONE, text(str(number)), Save(key, tab, 0, number)) for number in range(1, 13)]
    await asyncio.gather(*saves)
    assert await texts(shelf, me) == ["12"]


async def test_two_tabs_on_one_draft_both_keep_their_text_and_the_second_is_told(
    shelf: DraftStore, me: Identity
) -> None:
    key, first, second = new_key(), new_key(), new_key()
    await shelf.keep(me, ONE, text("first"), Save(key, first, 0, 5))
    # the second tab went on with what was there at 5; both write now
    await shelf.keep(me, ONE, text("first goes on", base=""), Save(key, first, 0, 6))
    kept = await shelf.keep(me, ONE, text("second", base=""), Save(key, second, 5, 6))
    assert kept.is_fork
    assert kept.draft != key
    assert kept.other_count == 1
    assert await texts(shelf, me) == ["first goes on", "second"]
    apart = await shelf.find(me, kept.draft)
    assert apart is not None
    assert apart.content.base == BASE.base


async def test_no_text_is_kept_on_another_tabs_base(shelf: DraftStore, me: Identity) -> None:
    key, first, second = new_key(), new_key(), new_key()
    await shelf.keep(me, ONE, text("first on 7"), Save(key, first, 0, 1))
    taken_in = Content("second on 8", (), "u", "8", '{"spec":{"port":2}}')
    await shelf.keep(me, ONE, taken_in, Save(key, second, 1, 2))
    kept = await shelf.keep(me, ONE, text("first goes on", base=""), Save(key, first, 0, 3))
    assert kept.is_late
    assert await texts(shelf, me) == ["second on 8"]
    kept = await shelf.keep(me, ONE, text("first goes on"), Save(new_key(), first, 0, 4))
    apart = await shelf.find(me, kept.draft)
    assert apart is not None
    assert (apart.content.base, apart.content.base_version) == (BASE.base, "7")


async def test_a_tab_that_took_a_newer_state_in_has_to_send_it(shelf: DraftStore, me: Identity) -> None:
    key, tab = new_key(), new_key()
    await shelf.keep(me, ONE, text("on 7"), Save(key, tab, 0, 1))
    assert (await shelf.keep(me, ONE, Content("on 8", (), "u", "8", ""), Save(key, tab, 0, 2))).is_late
    assert await texts(shelf, me) == ["on 7"]


async def test_a_tab_that_goes_on_with_a_draft_takes_it_over(shelf: DraftStore, me: Identity) -> None:
    key, before, after = new_key(), new_key(), new_key()
    await shelf.keep(me, ONE, text("before"), Save(key, before, 0, 5))
    kept = await shelf.keep(me, ONE, text("after", base=""), Save(key, after, 5, 6))
    assert not kept.is_fork
    assert await texts(shelf, me) == ["after"]
    assert (await shelf.keep(me, ONE, text("the old page wakes up"), Save(key, before, 0, 7))).is_fork


async def test_a_button_counts_though_its_page_is_older_than_the_last_save(shelf: DraftStore, me: Identity) -> None:
    key, tab = new_key(), new_key()
    await shelf.keep(me, ONE, text("page two"), Save(key, tab, 0, 9))
    kept = await shelf.keep(me, ONE, text("back on page one"), Save(key, tab, 0, 3, by_button=True))
    assert (kept.draft, kept.number) == (key, 10)
    assert await texts(shelf, me) == ["back on page one"]


async def test_no_late_save_brings_back_what_is_over_but_a_button_does(shelf: DraftStore, me: Identity) -> None:
    key, tab = new_key(), new_key()
    await shelf.keep(me, ONE, text("saved"), Save(key, tab, 0, 1))
    await shelf.end(me, [key])
    assert await shelf.count(me) == 0
    assert (await shelf.keep(me, ONE, text("late"), Save(key, tab, 0, 2))).is_late
    assert await shelf.count(me) == 0
    kept = await shelf.keep(me, ONE, text("pressed again"), Save(key, tab, 0, 2, by_button=True))
    assert (kept.is_late, kept.is_fork) == (False, False)
    assert await texts(shelf, me) == ["pressed again"]


async def test_nobody_sees_writes_or_ends_anothers_draft(shelf: DraftStore, me: Identity) -> None:
    key = new_key()
    await shelf.keep(me, ONE, text("mine"), Save(key, new_key(), 0, 1))
    for other in (Identity("", new_key()), Identity("alice", me.browser)):
        assert await shelf.find(other, key) is None
        assert await shelf.for_subject(other, ONE) == ()
        kept = await shelf.keep(other, ONE, text("theirs"), Save(key, new_key(), 9, 10))
        assert kept.draft != key
        await shelf.end(other, [key])
    assert await texts(shelf, me) == ["mine"]


@pytest.mark.slow
async def test_a_full_shelf_throws_nothing_away_and_takes_no_more(shelf: DraftStore, me: Identity) -> None:
    keys = [new_key() for _ in range(MAX_PER_BROWSER)]
    for key in keys:
        await shelf.keep(me, Subject("pods"), text(key), Save(key, key, 0, 1))
    with pytest.raises(DraftLimitReached):
        await shelf.keep(me, ONE, text("one more"), Save(new_key(), new_key(), 0, 1))
    assert (await shelf.keep(me, ONE, text("goes on"), Save(keys[0], keys[0], 0, 2))).number == 2
    assert await shelf.count(me) == MAX_PER_BROWSER


async def test_drafts_are_forgotten_after_fourteen_days(shelf: DraftStore, me: Identity, clock: FakeClock) -> None:
    await shelf.keep(me, ONE, text("old"), Save(new_key(), new_key(), 0, 1))
    await clock.advance(RETENTION.total_seconds() - 1)
    assert await texts(shelf, me) == ["old"]
    await clock.advance(2)
    assert await texts(shelf, me) == []
    await shelf.keep(me, ONE, text("new"), Save(new_key(), new_key(), 0, 1))
    assert await texts(shelf, me) == ["new"]


def test_what_is_too_large_is_said() -> None:
    assert "3 MiB" in Content("ø" * (2 * 1024 * 1024)).problem
    assert "form" in Content("", (("field.a", "x" * 300_000),)).problem
    assert Content("x" * (3 * 1024 * 1024)).problem == ""


def test_only_what_was_typed_into_the_form_is_kept_of_it() -> None:
    post = {"yaml": "a\r\nb\0", "field.a": "1", "shown.a": "1", "field.b": "2", "shown.b": "1", "field.c": "3"}
    assert Content.of(post) == Content("a\nb␀", (("field.b", "2"), ("shown.b", "1")))


async def test_a_database_that_is_away_is_asked_again_after_a_rest_only(clock: FakeClock, me: Identity) -> None:
    asked: list[str] = []

    def question(alias: str) -> None:
        asked.append(alias)
        raise OperationalError("gone\nfor good")

    database = DatabaseExecutor(clock)
    for _ in range(3):
        with pytest.raises(Unavailable, match="gone for good"):
            await database.ask(question)
    assert len(asked) == 1
    await clock.advance(FAILURE_PAUSE)
    with pytest.raises(Unavailable):
        await database.ask(question)
    assert len(asked) == 2


async def test_a_value_that_the_database_refuses_keeps_nobody_else_from_it(clock: FakeClock) -> None:
    database = DatabaseExecutor(clock)

    def question(alias: str) -> None:
        raise DataError("value too long")

    with pytest.raises(Unavailable, match="value too long"):
        await database.ask(question)
    assert await database.ask(lambda alias: alias) == "default"


def test_a_name_that_no_object_has_is_no_subject() -> None:
    assert Subject("pods", "d", "n").problem == ""
    assert "long" in Subject("pods", "d", "n" * 254).problem
    assert "not valid for any object" in Subject("pods", "d", "n\0").problem


async def test_nobody_waits_for_a_database_that_hangs(clock: FakeClock) -> None:
    hanging = threading.Event()
    database = DatabaseExecutor(clock, time_limit=0.01)
    with pytest.raises(Unavailable, match="no answer within"):
        await database.ask(lambda _: hanging.wait(60))
    hanging.set()


async def test_browsers_that_are_made_up_do_not_fill_the_table(
    shelf: DraftStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.pages.drafts.store.MAX_PER_PERSON", 2)
    owner = f"owner-{new_key()}"
    saves = [Save(new_key(), new_key(), 0, 1) for _ in range(3)]
    kept = [await shelf.keep(Identity(owner, new_key()), ONE, text("x"), save) for save in saves[:2]]
    with pytest.raises(DraftLimitReached):
        await shelf.keep(Identity(owner, new_key()), ONE, text("x"), saves[2])
    assert not any(each.is_late for each in kept)
    await shelf.keep(Identity(f"owner-{new_key()}", new_key()), ONE, text("x"), saves[2])


async def test_long_texts_in_browsers_that_are_made_up_do_not_fill_the_disk(
    shelf: DraftStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.pages.drafts.store.MAX_CHARACTERS_PER_PERSON", 500_000)
    owner = f"owner-{new_key()}"
    long = text("x" * 100_000, base="y" * 100_000)
    first, key, tab = Identity(owner, new_key()), new_key(), new_key()
    await shelf.keep(first, ONE, long, Save(key, tab, 0, 1))
    await shelf.keep(Identity(owner, new_key()), ONE, long, Save(new_key(), new_key(), 0, 1))
    with pytest.raises(DraftLimitReached, match="all your drafts together"):
        await shelf.keep(Identity(owner, new_key()), ONE, long, Save(new_key(), new_key(), 0, 1))
    longer = text("x" * 250_000, base="y" * 100_000)
    with pytest.raises(DraftLimitReached):
        await shelf.keep(first, ONE, longer, Save(key, tab, 0, 2))
    assert (await shelf.keep(first, ONE, long, Save(key, tab, 0, 3))).number == 3, "a draft is not counted twice"
    await shelf.keep(Identity(owner, new_key()), ONE, text("short"), Save(new_key(), new_key(), 0, 1))
    await shelf.keep(Identity(f"owner-{new_key()}", new_key()), ONE, long, Save(new_key(), new_key(), 0, 1))


async def test_where_nobody_signs_in_the_oldest_of_another_browser_makes_room_though_none_of_the_last_day(
    shelf: DraftStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await clock.advance(RETENTION.total_seconds() * 3)  # what other tests left goes with the first save
    mine, *others = [Identity("", new_key()) for _ in range(4)]
    for whose in (mine, *others[:2]):
        await shelf.keep(whose, ONE, text("old"), Save(new_key(), new_key(), 0, 1))
        await clock.advance(1)
    monkeypatch.setattr("dashboard.pages.drafts.store.MAX_PER_PERSON", 3)
    with pytest.raises(DraftLimitReached, match="all browsers here have 3 already"):
        await shelf.keep(others[2], ONE, text("new"), Save(new_key(), new_key(), 0, 1))
    await clock.advance(MIN_EVICTION_AGE.total_seconds())
    await shelf.keep(mine, ONE, text("new"), Save(new_key(), new_key(), 0, 1))
    assert [await texts(shelf, whose) for whose in (mine, *others)] == [["new", "old"], [], ["old"], []]
