"""Tests of the outcomes of lists and watches."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.list_watch_outcome import OUTCOMES, count_attempt, outcome_of
from informerd.cache.watch_session import HistoryLost, ShortWatch
from informerd.errors import (
    CredentialsError,
    Expired,
    InformerdError,
    MalformedStream,
    ServerTimeout,
    Status,
    Unreachable,
)
from tests.support.clock import FakeClock


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Expired(Status(code=410)), "expired"),
        (ServerTimeout(Status(code=504)), "server_error"),
        (CredentialsError("no"), "no_credentials"),
        (Unreachable("no"), "unreachable"),
        (ShortWatch("no"), "short"),
        (HistoryLost("no"), "history_lost"),
        (MalformedStream("no"), "malformed"),
        (InformerdError("no"), "error"),
        (ZeroDivisionError(), "error"),
    ],
)
def test_each_failure_has_its_word(error: Exception, outcome: str) -> None:
    assert outcome_of(error) == outcome
    assert outcome in OUTCOMES


async def test_what_is_inside_is_counted_once_with_its_seconds(clock: FakeClock) -> None:
    seen: list[tuple[str, float]] = []
    with count_attempt(clock, lambda *one: seen.append(one)):
        await clock.advance(2)
    with count_attempt(clock, lambda *one: seen.append(one)) as attempt:
        attempt.outcome = "cut_off"
    with count_attempt(clock, lambda *one: seen.append(one)) as attempt:
        attempt.outcome = ""
    await clock.advance(1)
    with pytest.raises(Unreachable), count_attempt(clock, lambda *one: seen.append(one)):
        raise Unreachable("no")
    assert seen == [("ok", 2), ("cut_off", 0), ("unreachable", 0)]


def test_what_is_cancelled_is_not_counted(clock: FakeClock) -> None:
    seen: list[tuple[str, float]] = []
    with pytest.raises(asyncio.CancelledError), count_attempt(clock, lambda *one: seen.append(one)):
        raise asyncio.CancelledError
    assert seen == []
