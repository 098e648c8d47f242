"""Tests of recorded writes and their authors, in SQLite and in PostgreSQL."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from dashboard.access.identity import Identity
from dashboard.pages.authors.record_and_lookup import RETRY_DELAY, WriteRecorder
from dashboard.pages.authors.store import MAX_WRITES, RETENTION, AuthorStore, Write
from dashboard.pages.authors.store import RETRY_DELAY as AGAIN_KEPT
from dashboard.runtime.database_executor import DatabaseExecutor, Unavailable
from informerd.clock import rfc3339
from tests.support.clock import FakeClock

ANNA, BEN = Identity("anna", "a" * 32), Identity("ben", "b" * 32)
MANAGER = "deltaboard"


@pytest.fixture
def authors(alias: str, clock: FakeClock) -> AuthorStore:
    return AuthorStore(clock, DatabaseExecutor(clock, alias=alias, time_limit=60))


@pytest.fixture
def uid() -> str:
    return str(uuid4())


def live(uid: str, version: str, *entries: tuple[str, str]) -> dict[str, dict[str, object]]:
    fields = [{"manager": manager, "time": time} for manager, time in entries]
    return {"metadata": {"uid": uid, "resourceVersion": version, "managedFields": fields}}


async def test_writes_of_an_object_are_known_the_newest_first_and_only_so_many(authors: AuthorStore, uid: str) -> None:
    writes = [Write(uid, str(number), "2026-11-22T10:00:00Z", ANNA) for number in range(MAX_WRITES + 5)]
    for write in writes:
        authors.remember(write)
    authors.remember(Write("another", "7", "", BEN))
    await authors.stop()
    assert await authors.writes_of(uid) == tuple(reversed(writes[5:]))


async def test_a_write_is_known_before_it_is_stored(authors: AuthorStore, uid: str) -> None:
    authors.remember(Write(uid, "1", "", ANNA))
    assert await authors.writes_of(uid) == (Write(uid, "1", "", ANNA),)
    await asyncio.sleep(0)  # it is being stored now
    authors.remember(Write(uid, "2", "", BEN))
    assert await authors.writes_of(uid) == (Write(uid, "2", "", BEN), Write(uid, "1", "", ANNA))
    await authors.stop()
    assert await authors.writes_of(uid) == (Write(uid, "2", "", BEN), Write(uid, "1", "", ANNA))


async def test_of_nobody_in_particular_nothing_is_kept(authors: AuthorStore, uid: str) -> None:
    authors.remember(Write(uid, "1", "", Identity("", "")))
    await authors.stop()
    assert await authors.writes_of(uid) == ()


async def test_names_are_forgotten_with_the_drafts_that_may_ask_for_them(
    authors: AuthorStore, uid: str, clock: FakeClock
) -> None:
    authors.remember(Write(uid, "1", "", ANNA))
    await authors.stop()
    await clock.advance(RETENTION + 1)
    authors.remember(Write("another", "2", "", BEN))
    await authors.stop()
    assert await authors.writes_of(uid) == ()


async def test_whoever_deleted_it_first_did(authors: AuthorStore, uid: str, clock: FakeClock) -> None:
    for whose in (ANNA, BEN):  # it waits for a finalizer, and the second changes nothing any more
        WriteRecorder(authors, whose, MANAGER, clock).record_deletion(uid)
    await authors.stop()
    assert await WriteRecorder(authors, BEN, MANAGER, clock).deleter(uid) == "anna"
    WriteRecorder(authors, ANNA, MANAGER, clock).record_deletion(uid)  # once more, which is not stored yet
    assert await WriteRecorder(authors, BEN, MANAGER, clock).deleter(uid) == "anna"


async def test_what_the_database_could_not_take_is_tried_once_more(
    authors: AuthorStore, uid: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, refused = authors._database.ask, [Unavailable("locked")]

    async def asked(*given: Any) -> Any:
        if refused:
            raise refused.pop()
        return await ask(*given)

    monkeypatch.setattr(authors._database, "ask", asked)
    authors.remember(Write(uid, "1", "", ANNA))
    assert await clock.wait_for_sleeper() == AGAIN_KEPT
    await clock.advance(AGAIN_KEPT)
    await authors.stop()
    assert [write.version for write in await authors.writes_of(uid)] == ["1"]


async def test_without_tables_nobody_is_named_and_nothing_fails(
    clock: FakeClock, uid: str, empty_database: str
) -> None:
    authors = AuthorStore(clock, DatabaseExecutor(clock, alias=empty_database))
    pen = WriteRecorder(authors, ANNA, MANAGER, clock)
    pen.record_write(live(uid, "2", (MANAGER, "2026-11-22T10:00:00Z")))
    await authors.stop()
    assert await pen.last_author(live(uid, "2"), MANAGER, "2026-11-22T10:00:00Z") == MANAGER
    assert await pen.deleter(uid) == ""


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (Identity("ben", "b" * 32), "anna"),
        (Identity("anna", "b" * 32), "You (in another browser)"),
        (ANNA, "You (in another window)"),
        (Identity("", ""), "anna"),
    ],
)
async def test_whoever_signed_in_is_named_to_others_and_is_you_to_themselves(
    authors: AuthorStore, uid: str, clock: FakeClock, reader: Identity, words: str
) -> None:
    now = live(uid, "2", ("kubectl", "2026-11-22T09:00:00Z"), (MANAGER, "2026-11-22T10:00:00Z"))
    WriteRecorder(authors, ANNA, MANAGER, clock).record_write(now)
    await authors.stop()
    assert (
        await WriteRecorder(authors, reader, MANAGER, clock).last_author(now, MANAGER, "2026-11-22T10:00:00Z") == words
    )


@pytest.mark.parametrize(
    ("reader", "words"),
    [("a" * 32, "You (in another window)"), ("b" * 32, "Somebody in another browser"), ("", MANAGER)],
)
async def test_where_nobody_signs_in_browsers_are_told_apart(
    authors: AuthorStore, uid: str, clock: FakeClock, reader: str, words: str
) -> None:
    now = live(uid, "2", (MANAGER, "2026-11-22T10:00:00Z"))
    WriteRecorder(authors, Identity("", "a" * 32), MANAGER, clock).record_write(now)
    await authors.stop()
    assert (
        await WriteRecorder(authors, Identity("", reader), MANAGER, clock).last_author(
            now, MANAGER, "2026-11-22T10:00:00Z"
        )
        == words
    )


async def test_after_others_have_written_the_time_tells_and_never_another_manager(
    authors: AuthorStore, uid: str, clock: FakeClock
) -> None:
    pen = WriteRecorder(authors, BEN, MANAGER, clock)
    WriteRecorder(authors, ANNA, MANAGER, clock).record_write(live(uid, "2", (MANAGER, "2026-11-22T10:00:00Z")))
    await authors.stop()
    later = live(uid, "9")  # the status was written since
    assert await pen.last_author(later, MANAGER, "2026-11-22T10:00:00Z") == "anna"
    assert await pen.last_author(later, "kubectl", "2026-11-22T10:00:00Z") == "kubectl"
    assert await pen.last_author(later, MANAGER, "2026-11-22T10:00:01Z") == MANAGER


async def test_a_field_taken_out_leaves_no_time_but_its_version_tells(
    authors: AuthorStore, uid: str, clock: FakeClock
) -> None:
    without = live(uid, "3", ("kubectl", "2026-11-22T10:00:05Z"), (MANAGER, "2026-11-22T10:00:00Z"))
    WriteRecorder(authors, ANNA, MANAGER, clock).record_write(without)
    await authors.stop()
    assert (
        await WriteRecorder(authors, BEN, MANAGER, clock).last_author(without, "kubectl", "2026-11-22T10:00:05Z")
        == "anna"
    )


async def test_a_fresh_write_whose_name_comes_a_moment_later_is_looked_for_once_more(
    authors: AuthorStore, uid: str, clock: FakeClock
) -> None:
    at = rfc3339(clock.time())
    now = live(uid, "2", (MANAGER, at))
    asked = asyncio.create_task(WriteRecorder(authors, BEN, MANAGER, clock).last_author(now, MANAGER, at))
    assert await clock.wait_for_sleeper() == RETRY_DELAY
    WriteRecorder(authors, ANNA, MANAGER, clock).record_write(now)
    await authors.stop()
    await clock.advance(RETRY_DELAY)
    assert await asked == "anna"
