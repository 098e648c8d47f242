"""Tests of recorded writes and their authors, in SQLite and in PostgreSQL."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dashboard.access.identity import Identity
from dashboard.pages.authors.store import MAX_WRITES, RETENTION, AuthorStore, Write
from dashboard.pages.authors.store import RETRY_DELAY as AGAIN_KEPT
from dashboard.runtime.database_executor import Unavailable
from tests.support.clock import FakeClock

ANNA, BEN = Identity("anna", "a" * 32), Identity("ben", "b" * 32)
MANAGER = "deltaboard"


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
