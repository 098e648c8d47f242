"""Tests of the limit of pieces of work at the same time."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.runtime.concurrency_limit import ConcurrencyLimit, LimitReached, Limits, Owners, read_limits
from tests.support.clock import FakeClock, run_ready_tasks

ALICE, MALLORY = ("alice",), ("mallory",)


class Work:
    """Pieces of work that run until they are told to end."""

    def __init__(self, per_owner: int, in_all: int, *, max_waiting: int = 32) -> None:
        self.clock = FakeClock()
        self.limit = ConcurrencyLimit(
            Limits(per_owner, in_all), self.clock, queue_seconds=10.0, max_waiting=max_waiting
        )
        self.running: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}

    async def begin(self, name: str, owners: Owners) -> asyncio.Task[None]:
        task = asyncio.create_task(self._run(name, owners))
        await run_ready_tasks()
        return task

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await run_ready_tasks()

    async def _run(self, name: str, owners: Owners) -> None:
        self._ends[name] = asyncio.Event()
        async with self.limit.slot(owners):
            self.running.append(name)
            await self._ends[name].wait()
            self.running.remove(name)


async def test_what_is_over_a_users_limit_waits_and_another_users_work_does_not() -> None:
    work = Work(per_owner=1, in_all=2)
    for name, owner in (("m1", MALLORY), ("m2", MALLORY), ("a1", ALICE)):
        await work.begin(name, owner)
    assert work.running == ["m1", "a1"]
    await work.end("m1")
    assert work.running == ["a1", "m2"]
    for name in ("a1", "m2"):
        await work.end(name)


async def test_users_take_turns_however_many_one_of_them_sends() -> None:
    work = Work(per_owner=1, in_all=1)
    for name, owner in (("m1", MALLORY), ("m2", MALLORY), ("m3", MALLORY), ("a1", ALICE)):
        await work.begin(name, owner)
    order = []
    while work.running:
        order += work.running
        await work.end(work.running[0])
    assert order == ["m1", "m2", "a1", "m3"]


async def test_a_request_without_the_cookie_still_counts_for_its_address() -> None:
    work = Work(per_owner=1, in_all=9)
    await work.begin("with", ("browser 1", "address x"))
    await work.begin("without", ("address x",))
    await work.begin("other cookie", ("browser 2", "address x"))
    await work.begin("moved", ("browser 1", "address y"))
    assert work.running == ["with"]
    for name in ("with", "without", "other cookie", "moved"):
        await work.end(name)


async def test_what_gets_no_turn_in_time_is_refused_and_leaves_the_queue() -> None:
    work = Work(per_owner=1, in_all=1)
    first, second = await work.begin("1", ALICE), await work.begin("2", ALICE)
    await work.clock.advance(10.0)
    with pytest.raises(LimitReached):
        await second
    await work.end("1")
    await first
    third = await work.begin("3", ALICE)
    assert work.running == ["3"]
    await work.end("3")
    await third


async def test_a_full_queue_refuses_at_once() -> None:
    work = Work(per_owner=1, in_all=1, max_waiting=1)
    await work.begin("1", ALICE)
    await work.begin("2", ALICE)
    with pytest.raises(LimitReached):
        await (await work.begin("3", ALICE))
    await work.end("1")
    await work.end("2")


async def test_cancelled_work_leaves_its_turn_to_the_next() -> None:
    work = Work(per_owner=1, in_all=1)
    await work.begin("1", ALICE)
    second, third = await work.begin("2", ALICE), await work.begin("3", ALICE)
    second.cancel()
    await run_ready_tasks()
    await work.end("1")
    assert work.running == ["3"]
    await work.end("3")
    await third


async def test_work_that_is_cancelled_as_its_turn_comes_gives_it_back() -> None:
    work = Work(per_owner=1, in_all=1)
    await work.begin("1", ALICE)
    second, _ = await work.begin("2", ALICE), await work.begin("3", ALICE)
    work._ends["1"].set()
    await asyncio.sleep(0)  # 1 ends, and 2 has its turn before it runs
    second.cancel()
    await run_ready_tasks()
    assert work.running == ["3"]
    await work.end("3")


@pytest.mark.parametrize("text", ["", "2", "2/", "/8", "0/8", "2/0", "a/b", "-1/4", "1/2/3"])
def test_a_setting_that_is_not_two_numbers_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="such as 2/8"):
        read_limits(text)


def test_a_setting_names_the_limit_of_a_user_and_in_all() -> None:
    assert read_limits(" 2 / 8 ") == Limits(2, 8)
