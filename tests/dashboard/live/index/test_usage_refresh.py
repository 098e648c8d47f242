"""Tests of lists that are filtered or sorted by usage: they are right after each poll, and while rows change."""

from __future__ import annotations

import asyncio
import random

import pytest
from django.http import QueryDict

from dashboard.live.index.kind_index import KindIndex
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath, Values
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import read_field
from dashboard.objects.usage.usage_field import UsageField
from dashboard.runtime.time_slicing import TimeSlicer
from tests.support.clock import FakeClock
from tests.support.live.fake_usage import FakeUsage, usage
from tests.support.live.replica_feeder import Feeder, pod

MANY = 2_500
PARAMS = [
    "sort=-memory",
    "sort=cpu&namespace=team-1",
    "sort=cpu-share&q=memory>50%25",
    "q=cpu>300m",
    "q=-cpu>300m status=Running&sort=-memory-share",
    "q=cpu=",
]


def query(params: str) -> Query:
    return Query.parse(QueryDict(params), "pods")


def made(number: int, version: int = 1, status: str = "Running") -> Row:
    return pod(f"p-{number:05d}", namespace=f"team-{number % 3}", version=version, status=status)


class World:
    """Pods, what they use, and lists of them."""

    def __init__(self, number: int) -> None:
        self.usage, self.slices, self.chance = FakeUsage(), TimeSlicer(), random.Random(number)
        clock = FakeClock()
        self.feed = Feeder("pods", clock, [made(each) for each in range(number)])
        self.index = KindIndex(self.feed.replica, clock, self.slices, self.usage)
        self.feed.replica.on_change(self.index.apply)
        self.usage.on_change(self.index.refresh_usage)

    def measure(self) -> None:
        """Most pods use something else now; nothing is known of the others."""
        amounts = (
            usage(row.key, self.chance.random(), self.chance.random() * 512, of_mebibytes=512)
            for row in self.feed.replica.rows.values()
            if self.chance.random() < 0.9
        )
        self.usage.state(*amounts)

    def fields(self, field: FieldPath | UsageField, row: Row) -> Values:
        if isinstance(field, FieldPath):
            return read_field(field, row)
        used = self.usage.get("pods", row)
        value = field.value(used) if used is not None else None
        return () if value is None else (value,)

    def expected(self, params: str) -> list[str]:
        asked = query(params)
        rows = [row for row in self.feed.replica.rows.values() if asked.matches(row, 1.8e9, self.fields)]
        return [row.uid for row in sorted(rows, key=asked.sort_key_by(self.fields))]

    def shown(self, params: str) -> list[str]:
        result = self.index.open_result(query(params))
        return result.window(0, len(result) + 1)

    async def settled(self) -> None:
        while len(self.slices):  # noqa: ASYNC110 - turns of the loop are what it needs
            await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.parametrize("params", PARAMS)
async def test_a_list_is_right_after_each_poll(params: str) -> None:
    world = World(MANY)
    world.measure()
    world.index.open_result(query(params))
    await world.settled()
    assert world.shown(params) == world.expected(params)
    assert len(world.expected(params)) > 20
    for _ in range(3):
        world.measure()
        await world.settled()
        assert world.shown(params) == world.expected(params)


@pytest.mark.slow
async def test_all_lists_are_right_when_rows_change_and_polls_come_while_they_are_being_sorted() -> None:
    world = World(MANY)
    for params in PARAMS:
        world.index.open_result(query(params))
    for round_ in range(12):
        world.measure()
        for _ in range(world.chance.randrange(4)):
            await asyncio.sleep(0)
            numbers = world.chance.sample(range(MANY + 50), 20)
            world.feed.put(*[made(each, 2 + round_, world.chance.choice(["Running", "Failed"])) for each in numbers])
            world.feed.drop(*world.chance.sample(list(world.feed.replica.rows), 3))
    await world.settled()
    for params in PARAMS:
        assert world.shown(params) == world.expected(params), params


async def test_who_looks_is_told_of_the_rows_that_moved() -> None:
    world = World(50)
    world.measure()
    result = world.index.open_result(query("q=cpu>500m"))
    await world.settled()
    before, told = set(result.window(0, 100)), set[str]()
    result.listeners["me"] = lambda uids, *_: told.update(uids)
    world.measure()
    await world.settled()
    assert told >= before ^ set(result.window(0, 100))


async def test_lists_that_do_not_ask_for_usage_are_left_alone() -> None:
    world = World(50)
    world.index.open_result(query("sort=-restarts"))
    await world.settled()
    world.measure()
    assert len(world.slices) == 0
