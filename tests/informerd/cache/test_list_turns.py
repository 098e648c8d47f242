"""Tests of the turns of large lists."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from informerd.cache.list_turns import LARGE_LIST, ListTurns
from informerd.cache.list_watch import Page
from informerd.cache.pager import Listing, list_all
from informerd.objects import Object
from tests.support.clock import FakeClock, run_ready_tasks


class Lists:
    """Lists with a page under way or waiting, by name."""

    def __init__(self, clock: FakeClock, at_once: int = 1) -> None:
        self.turns = ListTurns(clock, at_once=at_once, patience=10.0)
        self.under_way: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def begin(self, name: str, remaining: int | None) -> None:
        self._ends[name] = asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._page(name, remaining))
        await run_ready_tasks()

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await run_ready_tasks()

    async def cancel(self, name: str) -> None:
        self._tasks[name].cancel()
        await run_ready_tasks()

    async def _page(self, name: str, remaining: int | None) -> None:
        async with self.turns.turn(remaining):
            self.under_way.append(name)
            try:
                await self._ends[name].wait()
            finally:
                self.under_way.remove(name)


async def test_of_those_that_wait_the_shortest_list_is_next(clock: FakeClock) -> None:
    lists = Lists(clock)
    for name, remaining in (("pods", 150_000), ("events", 100_000), ("nodes", 4_500), ("namespaces", 9_500)):
        await lists.begin(name, remaining)
    order = []
    for _ in range(4):
        (name,) = lists.under_way
        order.append(name)
        await lists.end(name)
    assert order == ["pods", "nodes", "namespaces", "events"]
    assert lists.under_way == []


async def test_short_lists_and_those_of_unknown_length_never_wait(clock: FakeClock) -> None:
    lists = Lists(clock)
    await lists.begin("pods", 150_000)
    await lists.begin("secrets", LARGE_LIST - 1)
    await lists.begin("leases", None)
    assert lists.under_way == ["pods", "secrets", "leases"]
    await lists.begin("events", LARGE_LIST)
    await lists.end("secrets")
    assert lists.under_way == ["pods", "leases"]
    await lists.end("pods")
    assert lists.under_way == ["leases", "events"]


async def test_some_come_at_a_time(clock: FakeClock) -> None:
    lists = Lists(clock, at_once=2)
    for name in ("a", "b", "c", "d"):
        await lists.begin(name, 5_000)
    assert lists.under_way == ["a", "b"]
    await lists.end("b")
    assert lists.under_way == ["a", "c"]


async def test_no_page_waits_longer_than_its_patience_for_one_that_does_not_end(clock: FakeClock) -> None:
    lists = Lists(clock)
    for name in ("stuck", "b", "c"):
        await lists.begin(name, 5_000)
    await clock.advance(9.9)
    assert lists.under_way == ["stuck"]
    await clock.advance(0.2)
    assert lists.under_way == ["stuck", "b", "c"]
    await lists.begin("d", 5_000)
    await lists.end("b")
    await lists.end("c")
    assert lists.under_way == ["stuck"]
    await lists.end("stuck")
    assert lists.under_way == ["d"]


async def test_a_list_that_is_given_up_leaves_its_turn_to_others(clock: FakeClock) -> None:
    lists = Lists(clock)
    for name in ("a", "b", "c"):
        await lists.begin(name, 5_000)
    await lists.cancel("b")
    await lists.cancel("a")
    assert lists.under_way == ["c"]
    await lists.cancel("c")
    await lists.begin("d", 5_000)
    assert lists.under_way == ["d"]


async def test_a_list_that_is_given_up_as_its_turn_comes_leaves_it_to_the_next(clock: FakeClock) -> None:
    lists = Lists(clock)
    for name in ("a", "b", "c"):
        await lists.begin(name, 5_000)
    lists._ends["a"].set()
    while "a" in lists.under_way:  # noqa: ASYNC110 -- b's turn has come, and b has not run yet
        await asyncio.sleep(0)
    await lists.cancel("b")
    assert lists.under_way == ["c"]


class Pages:
    """A list of some pages; each takes a second."""

    def __init__(self, name: str, pages: int, clock: FakeClock, order: list[str]) -> None:
        self._name = name
        self._left = pages
        self._clock = clock
        self._order = order

    async def page(
        self,
        resource_version: str,
        *,
        limit: int = 0,
        continue_token: str = "",
        on_progress: Callable[[int], None] = lambda _count: None,
    ) -> Page[Object]:
        self._order.append(self._name)
        await self._clock.sleep(1.0)
        self._left -= 1
        return Page([], "7", "more" if self._left else "", self._left * limit)


async def test_the_pages_of_the_shorter_list_come_first(clock: FakeClock) -> None:
    turns, order = ListTurns(clock, at_once=1), list[str]()

    async def read(name: str, pages: int) -> Listing[Object]:
        source = Pages(name, pages, clock, order)
        return await list_all(source, "", limit=5_000, progress=lambda *_: None, clock=clock, turns=turns)

    lists = [asyncio.ensure_future(read(name, pages)) for name, pages in (("pods", 5), ("events", 4), ("nodes", 2))]
    await clock.advance_until(lambda: all(each.done() for each in lists))
    assert order == ["pods", "events", "nodes", "pods", "nodes", "events", "events", "events", "pods", "pods", "pods"]
    assert all(each.result().resource_version == "7" for each in lists)
