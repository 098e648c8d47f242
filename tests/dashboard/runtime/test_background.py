"""Long work in slices lets the event loop live, and one that fails keeps no other from being done."""

from __future__ import annotations

import asyncio
import time

import pytest

from dashboard.live.slices import AT_ONCE, SLICE, Slices, Work


def counting(steps: int, done: list[str], name: str, seconds: float = 0.0) -> Work:
    for _ in range(steps):
        time.sleep(seconds)
        yield None
    done.append(name)


def test_short_work_is_done_at_once_without_an_event_loop() -> None:
    done: list[str] = []
    Slices().add(counting(AT_ONCE - 1, done, "short"))
    assert done == ["short"]


async def until_done(slices: Slices) -> int:
    turns = 0
    while len(slices):
        turns += 1
        await asyncio.sleep(0)
    return turns


async def test_the_loop_has_a_turn_between_two_slices() -> None:
    slices, done = Slices(), list[str]()
    slices.add(counting(AT_ONCE + 20, done, "long", SLICE))
    assert done == []
    assert await until_done(slices) >= 20
    assert done == ["long"]


async def test_works_take_turns_so_that_a_short_one_does_not_wait_for_a_long_one() -> None:
    slices, done = Slices(), list[str]()
    slices.add(counting(AT_ONCE + 50, done, "long", SLICE))
    slices.add(counting(AT_ONCE + 2, done, "short", SLICE))
    await until_done(slices)
    assert done == ["short", "long"]


async def test_a_work_that_waits_for_another_does_not_keep_it_from_its_turn() -> None:
    slices, done = Slices(), list[str]()

    def waiting() -> Work:
        while not done:
            yield "wait"
        done.append("waiting")

    slices.add(waiting())
    slices.add(counting(AT_ONCE + 5, done, "other", SLICE))
    await until_done(slices)
    assert done == ["other", "waiting"]


async def test_a_work_that_fails_is_logged_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    slices, done = Slices(), list[str]()

    def failing() -> Work:
        yield "wait"
        raise ZeroDivisionError

    slices.add(failing())
    slices.add(counting(AT_ONCE + 5, done, "other", SLICE))
    await until_done(slices)
    assert done == ["other"]
    assert "ZeroDivisionError" in caplog.text


async def test_stopping_lets_go_of_what_is_not_done() -> None:
    slices, done = Slices(), list[str]()
    slices.add(counting(AT_ONCE + 5, done, "long", SLICE))
    await slices.stop()
    assert len(slices) == 0
    assert done == []
