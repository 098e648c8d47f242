"""Tests of the pager: a long list comes in one answer after its first page, or its pages go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from informerd.cache.list_watch import Page
from informerd.cache.pager import Listing, list_all
from informerd.errors import Expired, Forbidden, InformerdError, MalformedStream, Status, TooManyRequests, Unreachable
from informerd.objects import Object, ObjectMeta
from tests.support.clock import FakeClock, run_ready_tasks

WITHIN = 30.0


def named(name: str, version: str) -> Object:
    return Object(metadata=ObjectMeta(name=name, namespace="shop", resource_version=version))


class Source:
    """A list of four objects in pages of two, in which `c` has gone and `e` is new when it is listed as a whole."""

    def __init__(self, clock: FakeClock, whole: Exception | float = 0.0, *, first_page: float = 0.0) -> None:
        """`whole`: how the whole list fails, or the seconds that it takes, as `first_page` does."""
        self.asked: list[tuple[str, int, str]] = []
        self.remaining: int | None = 2
        self._clock = clock
        self._whole = whole
        self._first_page = first_page

    async def page(
        self,
        resource_version: str,
        *,
        limit: int = 0,
        continue_token: str = "",
        on_progress: Callable[[int], None] = lambda _count: None,
    ) -> Page[Object]:
        self.asked.append((resource_version, limit, continue_token))
        if continue_token:
            return Page([named("c", "3"), named("d", "4")], "10", "", 0)
        if limit:
            if self._first_page:
                await self._clock.sleep(self._first_page)
            return Page([named("a", "1"), named("b", "2")], "10", "next", self.remaining)
        if isinstance(self._whole, Exception):
            raise self._whole
        on_progress(1)
        on_progress(3)
        if self._whole:
            await self._clock.sleep(self._whole)
        return Page([named("a", "1"), named("b", "2"), named("d", "4"), named("e", "11")], "12")


async def read(source: Source, clock: FakeClock) -> tuple[Listing[Object], list[tuple[int, int | None]]]:
    told: list[tuple[int, int | None]] = []
    reading = asyncio.ensure_future(
        list_all(source, "", limit=2, clock=clock, progress=lambda *each: told.append(each), whole_within=WITHIN)
    )
    while not reading.done():
        await run_ready_tasks()
        await clock.advance(1.0)
    return await reading, told


def versions(listing: Listing[Object]) -> dict[str, str]:
    return {obj.metadata.name: obj.metadata.resource_version for obj in listing.objects.values()}


async def test_a_long_list_comes_in_one_answer_and_has_nothing_of_the_first_page_that_is_gone(clock: FakeClock) -> None:
    source = Source(clock)
    listing, told = await read(source, clock)
    assert source.asked == [("", 2, ""), ("", 0, "")]
    assert versions(listing) == {"a": "1", "b": "2", "d": "4", "e": "11"}
    assert (listing.resource_version, listing.is_paginated) == ("12", False)
    assert told == [(2, 2), (2, 2), (3, 1), (4, None)]


@pytest.mark.parametrize(
    "failure",
    [
        Unreachable("connection reset"),
        MalformedStream("cut off"),
        TooManyRequests(Status(code=429, reason="TooManyRequests", message="later")),
        Expired(Status(code=410, reason="Expired", message="too old")),
        Forbidden(Status(code=403, reason="Forbidden", message="no whole lists")),
    ],
    ids=lambda failure: type(failure).__name__,
)
async def test_the_pages_go_on_where_it_fails(clock: FakeClock, failure: InformerdError) -> None:
    source = Source(clock, failure)
    listing, told = await read(source, clock)
    assert source.asked == [("", 2, ""), ("", 0, ""), ("", 2, "next")]
    assert versions(listing) == {"a": "1", "b": "2", "c": "3", "d": "4"}
    assert (listing.resource_version, listing.is_paginated) == ("10", True)
    assert told == [(2, 2), (4, 0)]


async def test_the_pages_go_on_where_it_takes_too_long(clock: FakeClock) -> None:
    source = Source(clock, WITHIN + 1)
    listing, _ = await read(source, clock)
    assert source.asked[-1] == ("", 2, "next")
    assert versions(listing) == {"a": "1", "b": "2", "c": "3", "d": "4"}
    quick = Source(clock, WITHIN - 1)
    listing, _ = await read(quick, clock)
    assert listing.resource_version == "12"


async def test_a_list_that_would_take_too_long_or_whose_length_is_not_known_comes_in_pages(clock: FakeClock) -> None:
    slow = Source(clock, first_page=31.0)
    await read(slow, clock)
    assert slow.asked == [("", 2, ""), ("", 2, "next")]
    unknown = Source(clock)
    unknown.remaining = None
    await read(unknown, clock)
    assert unknown.asked == [("", 2, ""), ("", 2, "next")]


async def test_other_programs_errors_are_raised(clock: FakeClock) -> None:
    with pytest.raises(ZeroDivisionError):
        await read(Source(clock, ZeroDivisionError()), clock)


class CappedSource(Source):
    """A server that gives two objects at a time, also to who asks for all, as an aggregated API may."""

    async def page(
        self, resource_version: str, *, limit: int = 0, continue_token: str = "", **others: Any
    ) -> Page[Object]:
        if not limit and not continue_token:
            self.asked.append((resource_version, limit, continue_token))
        return await super().page(resource_version, limit=limit or 2, continue_token=continue_token, **others)


async def test_an_answer_that_a_server_caps_is_not_taken_for_the_whole_list(clock: FakeClock) -> None:
    source = CappedSource(clock)
    listing, _ = await read(source, clock)
    assert ("", 0, "") in source.asked
    assert versions(listing) == {"a": "1", "b": "2", "c": "3", "d": "4"}


class ShardOfSource(Source):
    """The same list for an informer that keeps none of the first page's objects."""

    async def page(self, *where: Any, **how: Any) -> Page[Object]:
        page = await super().page(*where, **how)
        return Page(
            [obj for obj in page.objects if obj.metadata.name > "b"],
            page.resource_version,
            page.continue_token,
            page.remaining,
        )


async def test_how_long_a_list_takes_is_judged_by_what_the_server_sent(clock: FakeClock) -> None:
    source = ShardOfSource(clock, first_page=20.0)
    listing, _ = await read(source, clock)
    assert source.asked == [("", 2, ""), ("", 0, "")]
    assert versions(listing) == {"d": "4", "e": "11"}
