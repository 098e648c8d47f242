"""Tests of sessions as a web process knows them: one process, two with and without messages, and a lost database."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.access.oidc.tokens import LogoutToken
from dashboard.access.sessions import store
from dashboard.access.sessions.session import session_id
from dashboard.pages.sessions.registry import (
    CACHE_SECONDS,
    GRACE_SECONDS,
    EndedSessions,
    SessionRegistry,
    ended_message,
)
from dashboard.runtime.database_executor import DatabaseExecutor, Unavailable
from informerd.clock import SystemClock
from tests.support.clock import FakeClock
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.redis_layer import encrypted_redis_layer
from tests.support.sign_in.sessions import LIFETIME, begun, registry
from tests.support.wait import eventually


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def layer() -> RecordingLayer:
    return RecordingLayer()


@pytest.fixture
def process(sessions_alias: str, layer: RecordingLayer, clock: FakeClock) -> SessionRegistry:
    return registry(sessions_alias, layer, clock)


@pytest.fixture
def other(sessions_alias: str, layer: RecordingLayer, clock: FakeClock) -> SessionRegistry:
    """A second process."""
    return registry(sessions_alias, layer, clock)


async def hear(process: SessionRegistry, layer: RecordingLayer) -> None:
    """What was sent arrives."""
    for _, message in layer.sent:
        await process.receive(message)


async def test_a_session_is_known_in_each_process(process: SessionRegistry, other: SessionRegistry) -> None:
    cookie = await begun(process)
    (here, there) = (await process.current(cookie), await other.current(cookie))
    assert here is not None
    assert here == there
    assert await process.current(f"{cookie}x") is None


async def test_a_session_that_ends_is_over_at_once_where_it_was_ended(process: SessionRegistry) -> None:
    cookie = await begun(process)
    session = await process.current(cookie)
    assert session is not None
    with process.watch(session) as ended:
        assert await process.end(session.person.name, [session.id]) == 1
        assert ended.is_set()
    assert await process.current(cookie) is None


async def test_the_message_ends_it_in_other_processes_within_the_same_second(
    process: SessionRegistry, other: SessionRegistry, layer: RecordingLayer
) -> None:
    cookie, kept = await begun(process), await begun(process)
    session, stays = await other.current(cookie), await other.current(kept)
    assert session is not None
    assert stays is not None
    with other.watch(session) as ended, other.watch(stays) as goes_on:
        await process.end(session.person.name, [session.id])
        assert await other.current(cookie) == session, "nobody has told it yet"
        await hear(other, layer)
        assert ended.is_set()
        assert not goes_on.is_set()
    assert await other.current(cookie) is None
    assert await other.current(kept) == stays


async def test_without_the_message_the_next_lookup_finds_it_ended(
    process: SessionRegistry, other: SessionRegistry, layer: RecordingLayer, clock: FakeClock
) -> None:
    layer.broken = True
    cookie = await begun(process)
    session = await other.current(cookie)
    assert session is not None
    await process.end(session.person.name, [session.id])
    with other.watch(session) as ended:
        await other.check_watched()
        assert ended.is_set()
    assert await other.current(cookie) is None
    cookie = await begun(process)
    session = await other.current(cookie)
    assert session is not None
    await process.end_of_person(session.person.name)
    clock.skip(CACHE_SECONDS)
    assert await other.current(cookie) is None


async def test_everybodys_sessions_end_in_all_processes(
    process: SessionRegistry, other: SessionRegistry, layer: RecordingLayer
) -> None:
    cookies = [await begun(process) for _ in range(3)]
    sessions = [await other.current(cookie) for cookie in cookies]
    assert sessions[0] is not None
    with other.watch(sessions[0]) as ended:
        assert await process.end_everybody() >= 3
        await hear(other, layer)
        assert ended.is_set()
    assert [await each.current(cookie) for each in (process, other) for cookie in cookies] == [None] * 6


async def test_a_lookup_that_began_before_the_end_is_not_kept(
    process: SessionRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message comes between the database's answer and its arrival."""
    cookie = await begun(process)
    find, key = store.find, session_id(cookie)
    loop = asyncio.get_running_loop()

    def ended_meanwhile(alias: str, *args: Any) -> Any:
        found = find(alias, *args)
        if found is not None:
            store.end(alias, found.person.name, [key])
            message = ended_message(EndedSessions((key,)))
            asyncio.run_coroutine_threadsafe(process.receive(message), loop).result(30)
        return found

    monkeypatch.setattr(store, "find", ended_meanwhile)
    assert await process.current(cookie) is None


async def test_an_open_page_is_a_use_and_its_session_lasts_as_long_as_it_may(
    process: SessionRegistry, clock: FakeClock
) -> None:
    cookie = await begun(process)
    session = await process.current(cookie)
    assert session is not None
    with process.watch(session) as ended:
        for _ in range(3):
            clock.skip(LIFETIME.idle - 60)
            await process.check_watched()
            assert not ended.is_set()
        clock.skip(60 * 4)
        await process.check_watched()
        assert ended.is_set(), "24 hours are over"


@pytest.mark.slow
async def test_while_the_database_is_away_known_sessions_go_on_for_a_minute(
    layer: RecordingLayer, clock: FakeClock, sessions_alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = DatabaseExecutor(clock, alias=sessions_alias, time_limit=60)
    process = SessionRegistry(layer, clock, LIFETIME, database=database)
    known, unknown = await begun(process), await begun(process)
    session = await process.current(known)
    assert session is not None

    async def fails(*_: object, **__: object) -> None:
        raise Unavailable("connection refused")

    monkeypatch.setattr(database, "ask", fails)
    clock.skip(GRACE_SECONDS)
    assert await process.current(known) == session
    with pytest.raises(Unavailable):
        await process.current(unknown)
    await process.receive(ended_message(EndedSessions((session.id,))))
    with pytest.raises(Unavailable):
        await process.current(known)


async def test_after_that_minute_nobody_is_taken_at_their_word(
    process: SessionRegistry, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = await begun(process)
    await process.current(cookie)

    async def fails(*_: object, **__: object) -> None:
        raise Unavailable("connection refused")

    monkeypatch.setattr(process._database, "ask", fails)
    clock.skip(GRACE_SECONDS + 1)
    with pytest.raises(Unavailable):
        await process.current(cookie)


async def test_a_malformed_message_changes_nothing(process: SessionRegistry) -> None:
    cookie = await begun(process)
    for message in ({}, {"type": "sessions.ended"}, {"type": "sessions.ended", "data": b"x"}, {"type": "other"}):
        await process.receive(message)
    assert await process.current(cookie) is not None


async def test_a_process_hears_of_ends_while_it_runs(sessions_alias: str) -> None:
    """With a real layer and a real clock."""
    clock, layer = SystemClock(), InMemoryChannelLayer()
    process, other = registry(sessions_alias, layer, clock), registry(sessions_alias, layer, clock)
    await ended_elsewhere(process, other)


@pytest.mark.redis
async def test_a_process_hears_of_ends_through_redis(sessions_alias: str) -> None:
    prefix = f"sessions-{secrets.token_hex(4)}"
    async with encrypted_redis_layer(prefix) as one, encrypted_redis_layer(prefix) as two:
        clock = SystemClock()
        await ended_elsewhere(registry(sessions_alias, one, clock), registry(sessions_alias, two, clock))


async def ended_elsewhere(process: SessionRegistry, other: SessionRegistry) -> None:
    """The periodic lookup is taken away, so that only the message can end it."""

    async def never() -> None:
        await asyncio.Event().wait()

    other.check_watched = never  # type: ignore[method-assign]
    running = asyncio.create_task(other.run())
    try:
        await eventually(lambda: other._inbox.is_joined)
        cookie = await begun(process)
        session = await other.current(cookie)
        assert session is not None
        with other.watch(session) as ended:
            await process.end_by_token("main", LogoutToken(session.sid, session.subject, secrets.token_hex(4), 9e9))
            async with asyncio.timeout(30):
                await ended.wait()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
