"""Writes and whose they are, in SQLite and in PostgreSQL."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from dashboard.authors.authors import AGAIN as AGAIN_KEPT
from dashboard.authors.authors import KEPT_FOR, NEWEST, Authors, Write
from dashboard.authors.pen import AGAIN, Pen
from dashboard.drafts.database import Database, Unavailable
from dashboard.drafts.draft import Whose
from informerd.clock import rfc3339
from tests.clock import FakeClock

ANNA, BEN = Whose("anna", "a" * 32), Whose("ben", "b" * 32)
MANAGER = "deltaboard"


@pytest.fixture
def authors(alias: str, clock: FakeClock) -> Authors:
    return Authors(clock, Database(clock, alias=alias, time_limit=60))


@pytest.fixture
def uid() -> str:
    return str(uuid4())


def live(uid: str, version: str, *entries: tuple[str, str]) -> dict[str, dict[str, object]]:
    fields = [{"manager": manager, "time": time} for manager, time in entries]
    return {"metadata": {"uid": uid, "resourceVersion": version, "managedFields": fields}}


async def test_writes_of_an_object_are_known_the_newest_first_and_only_so_many(authors: Authors, uid: str) -> None:
    writes = [Write(uid, str(number), "2026-11-22T10:00:00Z", ANNA) for number in range(NEWEST + 5)]
    for write in writes:
        authors.remember(write)
    authors.remember(Write("another", "7", "", BEN))
    await authors.stop()
    assert await authors.of(uid) == tuple(reversed(writes[5:]))


async def test_of_nobody_in_particular_nothing_is_kept(authors: Authors, uid: str) -> None:
    authors.remember(Write(uid, "1", "", Whose("", "")))
    await authors.stop()
    assert await authors.of(uid) == ()


async def test_names_are_forgotten_with_the_drafts_that_may_ask_for_them(
    authors: Authors, uid: str, clock: FakeClock
) -> None:
    authors.remember(Write(uid, "1", "", ANNA))
    await authors.stop()
    await clock.advance(KEPT_FOR + 1)
    authors.remember(Write("another", "2", "", BEN))
    await authors.stop()
    assert await authors.of(uid) == ()


async def test_whoever_deleted_it_first_did(authors: Authors, uid: str, clock: FakeClock) -> None:
    for whose in (ANNA, BEN):  # it waits for a finalizer, and the second changes nothing any more
        Pen(authors, whose, MANAGER, clock).deleted(uid)
    await authors.stop()
    assert await Pen(authors, BEN, MANAGER, clock).deleter(uid) == "anna"


async def test_what_the_database_could_not_take_is_tried_once_more(
    authors: Authors, uid: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, refused = authors._database.ask, [Unavailable("locked")]

    async def asked(*given: Any) -> Any:
        if refused:
            raise refused.pop()
        return await ask(*given)

    monkeypatch.setattr(authors._database, "ask", asked)
    authors.remember(Write(uid, "1", "", ANNA))
    assert await clock.sleeper() == AGAIN_KEPT
    await clock.advance(AGAIN_KEPT)
    await authors.stop()
    assert [write.version for write in await authors.of(uid)] == ["1"]


async def test_without_tables_nobody_is_named_and_nothing_fails(
    clock: FakeClock, uid: str, empty_database: str
) -> None:
    authors = Authors(clock, Database(clock, alias=empty_database))
    pen = Pen(authors, ANNA, MANAGER, clock)
    pen.wrote(live(uid, "2", (MANAGER, "2026-11-22T10:00:00Z")))
    await authors.stop()
    assert await pen.writer(live(uid, "2"), MANAGER, "2026-11-22T10:00:00Z") == MANAGER
    assert await pen.deleter(uid) == ""


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (Whose("ben", "b" * 32), "anna"),
        (Whose("anna", "b" * 32), "You (in another browser)"),
        (ANNA, "You (in another window)"),
        (Whose("", ""), "anna"),
    ],
)
async def test_whoever_signed_in_is_named_to_others_and_is_you_to_themselves(
    authors: Authors, uid: str, clock: FakeClock, reader: Whose, words: str
) -> None:
    now = live(uid, "2", ("kubectl", "2026-11-22T09:00:00Z"), (MANAGER, "2026-11-22T10:00:00Z"))
    Pen(authors, ANNA, MANAGER, clock).wrote(now)
    await authors.stop()
    assert await Pen(authors, reader, MANAGER, clock).writer(now, MANAGER, "2026-11-22T10:00:00Z") == words


@pytest.mark.parametrize(
    ("reader", "words"),
    [("a" * 32, "You (in another window)"), ("b" * 32, "Somebody in another browser"), ("", MANAGER)],
)
async def test_where_nobody_signs_in_browsers_are_told_apart(
    authors: Authors, uid: str, clock: FakeClock, reader: str, words: str
) -> None:
    now = live(uid, "2", (MANAGER, "2026-11-22T10:00:00Z"))
    Pen(authors, Whose("", "a" * 32), MANAGER, clock).wrote(now)
    await authors.stop()
    assert await Pen(authors, Whose("", reader), MANAGER, clock).writer(now, MANAGER, "2026-11-22T10:00:00Z") == words


async def test_after_others_have_written_the_time_tells_and_never_another_manager(
    authors: Authors, uid: str, clock: FakeClock
) -> None:
    pen = Pen(authors, BEN, MANAGER, clock)
    Pen(authors, ANNA, MANAGER, clock).wrote(live(uid, "2", (MANAGER, "2026-11-22T10:00:00Z")))
    await authors.stop()
    later = live(uid, "9")  # the status was written since
    assert await pen.writer(later, MANAGER, "2026-11-22T10:00:00Z") == "anna"
    assert await pen.writer(later, "kubectl", "2026-11-22T10:00:00Z") == "kubectl"
    assert await pen.writer(later, MANAGER, "2026-11-22T10:00:01Z") == MANAGER


async def test_a_field_taken_out_leaves_no_time_but_its_version_tells(
    authors: Authors, uid: str, clock: FakeClock
) -> None:
    without = live(uid, "3", ("kubectl", "2026-11-22T10:00:05Z"), (MANAGER, "2026-11-22T10:00:00Z"))
    Pen(authors, ANNA, MANAGER, clock).wrote(without)
    await authors.stop()
    assert await Pen(authors, BEN, MANAGER, clock).writer(without, "kubectl", "2026-11-22T10:00:05Z") == "anna"


async def test_a_fresh_write_whose_name_comes_a_moment_later_is_looked_for_once_more(
    authors: Authors, uid: str, clock: FakeClock
) -> None:
    at = rfc3339(clock.time())
    now = live(uid, "2", (MANAGER, at))
    asked = asyncio.create_task(Pen(authors, BEN, MANAGER, clock).writer(now, MANAGER, at))
    assert await clock.sleeper() == AGAIN
    Pen(authors, ANNA, MANAGER, clock).wrote(now)
    await authors.stop()
    await clock.advance(AGAIN)
    assert await asked == "anna"
