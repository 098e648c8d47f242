"""Tests of the session store, in SQLite and in PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dashboard.access.oidc.tokens import LogoutToken
from dashboard.access.person import Person
from dashboard.access.sessions import models, store
from dashboard.access.sessions.session import TOUCH_SECONDS, Session
from dashboard.runtime.database_executor import DatabaseExecutor
from tests.support.clock import FakeClock
from tests.support.sign_in.sessions import LIFETIME, session

HOUR = 3600.0
NOW = 1_000.0

Ask = Callable[..., Any]


@pytest.fixture
def ask(alias: str) -> Ask:
    """Calls a function of the store as web processes do."""
    return DatabaseExecutor(FakeClock(), alias=alias, time_limit=60).ask


async def stored(ask: Ask, **changes: Any) -> Session:
    made = session(**changes)
    assert await ask(store.add, made, LIFETIME) == ()
    return made


@pytest.mark.slow
async def test_a_session_comes_back_as_it_was(ask: Ask) -> None:
    made = await stored(ask)
    assert await ask(store.find, made.id, NOW + 1, LIFETIME) == made
    assert await ask(store.find, "0" * 64, NOW + 1, LIFETIME) is None


@pytest.mark.slow
async def test_it_ends_when_its_time_is_over_however_often_it_is_used(ask: Ask) -> None:
    made = await stored(ask)
    for hour in range(1, 24):
        assert await ask(store.find, made.id, NOW + hour * HOUR, LIFETIME)
    assert await ask(store.find, made.id, NOW + LIFETIME.longest - 1, LIFETIME)
    assert await ask(store.find, made.id, NOW + LIFETIME.longest, LIFETIME) is None


async def test_it_ends_when_nobody_uses_it(ask: Ask) -> None:
    made = await stored(ask)
    assert await ask(store.find, made.id, NOW + LIFETIME.idle + TOUCH_SECONDS, LIFETIME) is None


async def test_the_last_use_is_written_once_a_minute(ask: Ask) -> None:
    made = await stored(ask)
    for second, written in ((59.0, 0.0), (61.0, 61.0), (100.0, 61.0), (121.0, 121.0)):
        await ask(store.find, made.id, NOW + second, LIFETIME)
        found = await ask(store.find, made.id, NOW + second, LIFETIME)
        assert found.last_used == NOW + written


async def test_sessions_of_open_pages_are_in_use(ask: Ask) -> None:
    used, ended = await stored(ask), session()
    assert await ask(store.use, [used.id, ended.id], NOW + 7 * HOUR, LIFETIME) == {used.id}
    assert await ask(store.find, used.id, NOW + 14 * HOUR, LIFETIME)
    assert await ask(store.use, [used.id], NOW + 24 * HOUR, LIFETIME) == frozenset()


async def test_somebody_ends_their_own_sessions_alone(ask: Ask) -> None:
    mine = await stored(ask)
    other, theirs = await stored(ask, name=mine.person.name), await stored(ask)
    assert await ask(store.end, mine.person.name, [theirs.id]) == ()
    assert [each.id for each in await ask(store.of_person, mine.person.name, NOW, LIFETIME)] == sorted(
        [mine.id, other.id]
    )
    assert await ask(store.end_of_person, mine.person.name, mine.id) == (other.id,)
    assert await ask(store.end, mine.person.name, [mine.id]) == (mine.id,)
    assert await ask(store.find, mine.id, NOW, LIFETIME) is None
    assert await ask(store.find, theirs.id, NOW, LIFETIME) == theirs


async def test_everybodys_end(ask: Ask) -> None:
    made = [await stored(ask) for _ in range(3)]
    assert await ask(store.end_all) >= 3
    assert await ask(store.all_sessions, NOW, LIFETIME) == ()
    assert await ask(store.find, made[0].id, NOW, LIFETIME) is None


@pytest.mark.long
async def test_a_person_has_a_hundred_sessions_and_the_least_used_gives_way(ask: Ask) -> None:
    name = session().person.name
    made = [await stored(ask, name=name, now=NOW + number) for number in range(store.MAX_PER_PERSON)]
    one_more = session(name, NOW + 500)
    assert await ask(store.add, one_more, LIFETIME) == (made[0].id,)
    assert len(await ask(store.of_person, name, NOW + 500, LIFETIME)) == store.MAX_PER_PERSON


def is_there(alias: str, key: str) -> bool:
    return models.Session.objects.using(alias).filter(pk=key).exists()


async def test_a_new_session_clears_those_that_are_over(ask: Ask) -> None:
    over = await stored(ask)
    assert await ask(is_there, over.id)
    await stored(ask, now=NOW + LIFETIME.longest)
    assert not await ask(is_there, over.id)


def logout(**values: str) -> LogoutToken:
    return LogoutToken(values.get("sid", ""), values.get("subject", ""), secrets.token_hex(8), NOW + 300)


async def test_a_logout_token_ends_the_session_that_it_names(ask: Ask) -> None:
    one = await stored(ask)
    other = await stored(ask, subject=one.subject)
    elsewhere = await stored(ask, subject=one.subject, sid=one.sid, issuer="another")
    assert await ask(store.end_by_token, "main", logout(sid=one.sid), NOW) == (one.id,)
    assert await ask(store.end_by_token, "main", logout(subject=one.subject), NOW) == (other.id,)
    assert await ask(store.find, elsewhere.id, NOW, LIFETIME) == elsewhere


async def test_a_session_without_a_sid_ends_with_its_subject(ask: Ask) -> None:
    nameless = await stored(ask, sid="")
    named = await stored(ask, subject=nameless.subject)
    assert await ask(store.end_by_token, "main", logout(sid="s", subject=nameless.subject), NOW) == (nameless.id,)
    assert await ask(store.find, named.id, NOW, LIFETIME) == named


async def test_a_logout_token_counts_once(ask: Ask) -> None:
    token = logout(sid="none")
    assert await ask(store.end_by_token, "main", token, NOW) == ()
    assert await ask(store.end_by_token, "main", token, NOW) is None
    assert await ask(store.end_by_token, "another", token, NOW) == ()
    assert await ask(store.end_by_token, "main", token, token.expires_at) == (), "it would be refused as too old"


async def test_a_name_that_nobody_may_have_any_more_has_no_session(ask: Ask) -> None:
    made = await stored(ask, person=Person("system:admin"))
    assert await ask(store.find, made.id, NOW, LIFETIME) is None
    grouped = await stored(ask, person=replace(session().person, groups=("system:masters",)))
    assert await ask(store.find, grouped.id, NOW, LIFETIME) is None
