"""Tests of background work in slices, which yields to the event loop and survives a failed task."""

from __future__ import annotations

import asyncio
import time

import pytest

from dashboard.runtime.time_slicing import (
    EAGER_SECONDS,
    EAGER_STEPS,
    SLICE_SECONDS,
    DelayedSlices,
    SlicedWork,
    TimeSlicer,
    joined,
)


def counting(steps: int, done: list[str], name: str, seconds: float = 0.0) -> SlicedWork:
    for _ in range(steps):
        time.sleep(seconds)
        yield None
    done.append(name)


def test_short_work_is_done_at_once_without_an_event_loop() -> None:
    done: list[str] = []
    TimeSlicer().add(counting(EAGER_STEPS - 1, done, "short"))
    assert done == ["short"]


@pytest.mark.slow
def test_work_whose_steps_are_long_does_not_hold_up_the_loop_with_its_first_ones() -> None:
    done, begun = list[str](), list[int]()

    def long_steps() -> SlicedWork:
        for step in range(EAGER_STEPS):
            begun.append(step)
            end = time.thread_time() + 2 * EAGER_SECONDS
            while time.thread_time() < end:
                pass
            yield None
        done.append("long")

    async def add() -> None:
        slices = TimeSlicer()
        slices.add(long_steps())
        assert begun == [0]
        await until_done(slices)

    asyncio.run(add())
    assert done == ["long"]


async def until_done(slices: TimeSlicer) -> int:
    turns = 0
    while len(slices):
        turns += 1
        await asyncio.sleep(0)
    return turns


async def test_the_loop_has_a_turn_between_two_slices() -> None:
    slices, done = TimeSlicer(), list[str]()
    slices.add(counting(EAGER_STEPS + 20, done, "long", SLICE_SECONDS))
    assert done == []
    assert await until_done(slices) >= 20
    assert done == ["long"]


async def test_works_take_turns_so_that_a_short_one_does_not_wait_for_a_long_one() -> None:
    slices, done = TimeSlicer(), list[str]()
    slices.add(counting(EAGER_STEPS + 50, done, "long", SLICE_SECONDS))
    slices.add(counting(EAGER_STEPS + 2, done, "short", SLICE_SECONDS))
    await until_done(slices)
    assert done == ["short", "long"]


async def test_urgent_work_gets_every_other_slice() -> None:
    slices, done = TimeSlicer(), list[str]()
    for number in range(20):
        slices.add(counting(EAGER_STEPS + 10, done, f"work {number}", SLICE_SECONDS))
    slices.add(counting(EAGER_STEPS + 5, done, "urgent", SLICE_SECONDS), urgent=True)
    for _ in range(14):
        await asyncio.sleep(0)
    assert done == ["urgent"]
    await slices.stop()


async def test_a_work_that_waits_for_another_does_not_keep_it_from_its_turn() -> None:
    slices, done = TimeSlicer(), list[str]()

    def waiting() -> SlicedWork:
        while not done:
            yield "wait"
        done.append("waiting")

    slices.add(waiting())
    slices.add(counting(EAGER_STEPS + 5, done, "other", SLICE_SECONDS))
    await until_done(slices)
    assert done == ["other", "waiting"]


async def test_a_work_that_fails_is_logged_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    slices, done = TimeSlicer(), list[str]()

    def failing() -> SlicedWork:
        yield "wait"
        raise ZeroDivisionError

    slices.add(failing())
    slices.add(counting(EAGER_STEPS + 5, done, "other", SLICE_SECONDS))
    await until_done(slices)
    assert done == ["other"]
    assert "ZeroDivisionError" in caplog.text


async def test_stopping_lets_go_of_what_is_not_done() -> None:
    slices, done = TimeSlicer(), list[str]()
    slices.add(counting(EAGER_STEPS + 5, done, "long", SLICE_SECONDS))
    await slices.stop()
    assert len(slices) == 0
    assert done == []


def test_joined_work_is_done_in_its_order_in_few_steps() -> None:
    done: list[str] = []
    steps = list(joined([counting(5, done, "first"), counting(5, done, "second")], seconds=60.0))
    assert (steps, done) == ([], ["first", "second"])
    assert len(list(joined([counting(5, done, "third"), counting(5, done, "fourth")], seconds=0.0))) == 10


def test_joined_work_that_waits_lets_others_go_on() -> None:
    assert list(joined([iter(["wait", None, "wait"])], seconds=60.0)) == ["wait", "wait"]


async def test_delayed_work_begins_once_it_is_due() -> None:
    slices, done, due = TimeSlicer(), list[str](), list[str]()
    delayed = DelayedSlices(slices, lambda: bool(due))
    delayed.add(counting(3, done, "delayed"))
    slices.add(counting(EAGER_STEPS + 5, done, "meanwhile"))
    for _ in range(50):
        await asyncio.sleep(0)
    assert (done, len(slices)) == (["meanwhile"], 1)
    due.append("now")
    await until_done(slices)
    assert done == ["meanwhile", "delayed"]
    delayed.add(counting(3, done, "at once"))
    assert done[-1] == "at once"
