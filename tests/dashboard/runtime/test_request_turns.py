"""Tests of turns on the event loop: one step in an iteration, and results, errors and cancellation as without turns."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from dashboard.runtime.request_turns import RequestTurns

ITERATIONS = 50
"""More than enough for all that a test waits for."""


async def iterations(count: int, happened: list[str], name: str = "loop") -> None:
    for _ in range(count):
        await asyncio.sleep(0)
        happened.append(name)


async def work(happened: list[str], name: str, steps: int = 1) -> None:
    happened.append(name)
    for _ in range(steps - 1):
        await asyncio.sleep(0)
        happened.append(name)


async def test_one_step_runs_in_an_iteration_of_the_loop_and_all_get_their_turn() -> None:
    turns, happened = RequestTurns(), list[str]()
    async with asyncio.TaskGroup() as group:
        group.create_task(iterations(ITERATIONS, happened))
        for name in "abcde":
            group.create_task(turns.run(work(happened, name, steps=3)))
    steps = [each for each in happened if each != "loop"]
    assert steps == [*"abcdeabcdeabcde"]
    between = "".join("." if each == "loop" else each for each in happened).split(".")
    assert max(map(len, between)) == 1


async def test_without_others_a_step_runs_at_once() -> None:
    turns, happened = RequestTurns(), list[str]()
    task = asyncio.create_task(turns.run(work(happened, "a")))
    await asyncio.sleep(0)
    assert happened == ["a"]
    await task


async def test_an_error_of_the_work_reaches_who_awaits_it_and_frees_the_turn() -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError("gone")

    turns, happened = RequestTurns(), list[str]()
    with pytest.raises(LookupError, match="gone"):
        await turns.run(fail())
    await turns.run(work(happened, "next"))
    assert happened == ["next"]


async def test_what_the_work_waits_for_may_fail() -> None:
    async def wait(future: asyncio.Future[None]) -> None:
        try:
            await future
        except OSError:
            happened.append("seen")

    turns, happened = RequestTurns(), list[str]()
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_exception, OSError())
    await turns.run(wait(future))
    assert happened == ["seen"]


async def test_a_cancellation_reaches_the_work_which_may_finish_in_turns() -> None:
    async def wait() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            happened.append("cleans up")
            await asyncio.sleep(0)
            happened.append("is done")

    turns, happened = RequestTurns(), list[str]()
    task = asyncio.create_task(turns.run(wait()))
    await iterations(3, [])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert happened == ["cleans up", "is done"]


@pytest.mark.parametrize("iterations_before", range(1, 5))
async def test_a_task_that_is_cancelled_before_its_turn_passes_it_on(iterations_before: int) -> None:
    turns, happened = RequestTurns(), list[str]()
    tasks = [asyncio.create_task(turns.run(work(happened, name, steps=2))) for name in "abc"]
    await iterations(iterations_before, [])
    tasks[1].cancel()
    await asyncio.wait(tasks, timeout=5)
    assert [each.done() for each in tasks] == [True] * 3
    assert happened.count("a") == happened.count("c") == 2
    assert tasks[1].cancelled() == (happened.count("b") < 2)
    async with asyncio.timeout(5):
        await turns.run(work(happened, "later"))


async def test_a_task_that_is_cancelled_in_the_moment_its_turn_comes_passes_it_on() -> None:
    """Between the future's result and the task that awaits it lies an iteration of the loop."""
    turns, happened = RequestTurns(), list[str]()
    loop = asyncio.get_running_loop()
    first = asyncio.create_task(turns.run(work(happened, "a")))
    second = asyncio.create_task(turns.run(work(happened, "b")))
    third = asyncio.create_task(turns.run(work(happened, "c")))
    loop.call_soon(lambda: loop.call_soon(second.cancel))  # right after the turn is passed on
    await asyncio.wait([first, second, third], timeout=5)
    assert happened == ["a", "c"]
    assert second.cancelled()


async def test_tasks_that_are_cancelled_together_clean_up_in_turn() -> None:
    async def wait(name: str) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            happened.append(name)

    turns, happened = RequestTurns(), list[str]()
    tasks = [asyncio.create_task(turns.run(wait(name))) for name in "abcde"]
    await iterations(ITERATIONS, [])
    for task in tasks:
        task.cancel()
    await iterations(ITERATIONS, happened)
    assert all(task.cancelled() for task in tasks)
    between = "".join("." if each == "loop" else each for each in happened).split(".")
    assert sorted(filter(None, between)) == [*"abcde"]


async def test_work_that_is_thrown_away_is_closed() -> None:
    async def wait() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            happened.append("closed")

    turns, happened = RequestTurns(), list[str]()
    waiting = wait()
    steps = turns.run(waiting)
    steps.send(None)  # as a task does
    steps.close()
    assert happened == ["closed"]
    del waiting  # it would be closed here, too


async def test_work_that_is_thrown_away_before_its_turn_holds_nobody_up() -> None:
    turns, happened = RequestTurns(), list[str]()
    first = asyncio.create_task(turns.run(work(happened, "first")))
    await asyncio.sleep(0)
    thrown_away = turns.run(work(happened, "thrown away"))
    thrown_away.send(None)  # it waits for its turn
    thrown_away.close()
    async with asyncio.timeout(5):
        await first
        await turns.run(work(happened, "later"))
    assert happened == ["first", "later"]


@pytest.mark.parametrize("is_cancelled", [True, False], ids=["cancelled", "what it waits for fails"])
async def test_an_error_of_the_work_leaves_no_cycle(is_cancelled: bool) -> None:
    """A request's body would stay in memory until a collection of all objects."""

    class Body:
        """Stands for what a request has in memory."""

    futures: list[asyncio.Future[None]] = []

    async def fail(body: Body) -> None:
        futures.append(asyncio.get_running_loop().create_future())
        await futures[0]

    bodies = [Body()]
    reference = weakref.ref(bodies[0])
    task = asyncio.create_task(RequestTurns().run(fail(bodies.pop())))
    await iterations(3, [])
    gc.disable()
    try:
        if is_cancelled:
            task.cancel()
        else:
            futures[0].set_exception(OSError())
        await asyncio.wait([task])
        assert task.cancelled() or isinstance(task.exception(), OSError)
        del task
        futures.clear()
        assert reference() is None
    finally:
        gc.enable()


async def test_a_task_group_and_a_timeout_in_the_work_know_their_task() -> None:
    async def use() -> None:
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            group.create_task(work(happened, "inner"))
        happened.append("outer")

    turns, happened = RequestTurns(), list[str]()
    await turns.run(use())
    assert happened == ["inner", "outer"]
