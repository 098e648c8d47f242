"""Tests of the recorder, which names the authors of writes."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.access.identity import Identity
from dashboard.pages.authors.record_and_lookup import RETRY_DELAY, WriteRecorder
from dashboard.pages.authors.store import AuthorStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import rfc3339
from tests.dashboard.pages.authors.test_store import ANNA, BEN, MANAGER
from tests.support.clock import FakeClock


def live(uid: str, version: str, *entries: tuple[str, str]) -> dict[str, dict[str, object]]:
    fields = [{"manager": manager, "time": time} for manager, time in entries]
    return {"metadata": {"uid": uid, "resourceVersion": version, "managedFields": fields}}


async def test_whoever_deleted_it_first_did(authors: AuthorStore, uid: str, clock: FakeClock) -> None:
    for whose in (ANNA, BEN):  # it waits for a finalizer, and the second changes nothing any more
        WriteRecorder(authors, whose, MANAGER, clock).record_deletion(uid)
    await authors.stop()
    assert await WriteRecorder(authors, BEN, MANAGER, clock).deleter(uid) == "anna"
    WriteRecorder(authors, ANNA, MANAGER, clock).record_deletion(uid)  # once more, which is not stored yet
    assert await WriteRecorder(authors, BEN, MANAGER, clock).deleter(uid) == "anna"


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
