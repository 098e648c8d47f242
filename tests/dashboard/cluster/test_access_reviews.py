"""Tests of access reviews: cached, requested once, and shared by the pages that need them; on a scripted cluster."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from dashboard.cluster.access_reviews import (
    CACHE_SECONDS,
    MAX_CONCURRENT,
    REFRESH_SECONDS,
    AccessListener,
    AccessReviews,
    ResourceAttributes,
)
from dashboard.live.hub.hub import Hub
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.live_detail import LiveDetail, open_detail
from dashboard.pages.lists.live_list import open_list
from informerd.rest.client import Client
from informerd.testing import eventually
from tests.support.clock import FakeClock
from tests.support.live.hub_with_browsers import Browser
from tests.support.live.replica_feeder import Feeder, Feeders, pod

PODS = KINDS["pods"]


class Cluster:
    """Says no to these verbs; `sent` has every question, and `open` lets them be answered."""

    def __init__(self) -> None:
        self.forbidden: set[str] = set()
        self.sent: list[tuple[str, str]] = []
        self.at_once = self.most = 0
        self.open = asyncio.Event()
        self.open.set()

    async def create(self, _: object, review: Any) -> SimpleNamespace:
        asked = review["spec"]["resourceAttributes"]
        self.sent.append((asked["verb"], asked.get("name", "")))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await self.open.wait()
        finally:
            self.at_once -= 1
        return SimpleNamespace(object=lambda: {"status": {"allowed": asked["verb"] not in self.forbidden}})


class Told:
    """Counts how often it was told of a change."""

    times = 0

    def access_changed(self) -> None:
        self.times += 1


class World:
    """Rights, and a hub whose details ask them; time is turned by hand."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = Cluster()
        self.rights = AccessReviews(self.clock, lambda: cast("Client", self.cluster))
        pods = Feeder("pods", self.clock, [pod(f"p-{number}") for number in range(20)])
        self.hub = Hub(Feeders(pods), self.clock, denial_of=self.rights.cached_denial)

    def view(self, number: int = 0) -> LiveDetail:
        return open_detail(self.hub, PODS, "default", f"p-{number}")

    async def settled(self) -> None:
        await eventually(lambda: not self.rights._tasks, what="all questions are answered")


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    yield made
    await made.rights.stop()


def right(verb: str = "update", name: str = "one") -> ResourceAttributes:
    return ResourceAttributes(verb, PODS.resource, "default", name)


async def pass_time(world: World, seconds: float) -> None:
    world.clock.skip(seconds)
    world.hub.tick()
    await world.settled()
    world.hub.tick()


async def test_open_details_that_do_not_change_hear_within_a_while_what_may_be_done_now(world: World) -> None:
    browser = Browser(world.hub, world.clock)
    world.hub.join(browser.socket, world.view())
    assert "do not allow" not in browser.frames[-1]["content"]
    await world.settled()
    world.cluster.forbidden = {"update"}
    await pass_time(world, CACHE_SECONDS + REFRESH_SECONDS)
    await pass_time(world, 1.0)
    assert "do not allow: Edit." in browser.frames[-1]["content"]
    browser.acknowledge()
    world.cluster.forbidden = set()
    await pass_time(world, CACHE_SECONDS + REFRESH_SECONDS)
    await pass_time(world, 1.0)
    assert "do not allow" not in browser.frames[-1]["content"]


async def test_who_loads_a_list_again_and_again_without_scripts_hears_what_may_be_made_now(world: World) -> None:
    query = Query.parse(QueryDict("namespace=default"), PODS.key)

    async def loaded() -> str:
        said = open_list(world.hub, PODS, query).create_denial
        await world.settled()
        return said

    world.cluster.forbidden = {"create"}
    assert await loaded() == ""
    assert "account create pods" in await loaded()
    world.cluster.forbidden = set()
    for _ in range(3):
        world.clock.skip(CACHE_SECONDS / 2)
        await loaded()
    assert await loaded() == ""


async def test_nobody_asks_for_details_that_nobody_looks_at(world: World) -> None:
    view = world.view()
    assert view.denials.titles == ()
    await world.settled()
    asked = len(world.cluster.sent)
    await pass_time(world, CACHE_SECONDS + REFRESH_SECONDS)
    assert len(world.cluster.sent) == asked


async def test_who_shows_an_answer_hears_of_it_though_another_page_asked(world: World) -> None:
    told = Told()
    assert world.rights.cached_denial(right(), told) == ""
    await world.settled()
    world.cluster.forbidden = {"update"}
    world.clock.skip(CACHE_SECONDS)
    assert await world.rights.denial(right())
    assert told.times == 1
    assert world.rights.cached_denial(right(), told)
    world.cluster.forbidden = set()
    assert await world.rights.denial(right()) == ""
    assert told.times == 2


async def test_who_is_gone_is_not_kept(world: World) -> None:
    told = Told()
    world.rights.cached_denial(right(), told)
    await world.settled()
    del told
    gc.collect()
    assert [len(answer.listeners) for answer in world.rights._answers.values()] == [0, 0]


async def test_what_many_want_to_know_at_once_is_asked_once_and_few_questions_at_a_time(world: World) -> None:
    world.cluster.forbidden = {"update"}
    world.cluster.open.clear()
    told: list[AccessListener] = [Told() for _ in range(3 * MAX_CONCURRENT)]
    for number, each in enumerate(told):
        world.rights.cached_denial(right(name=f"p-{number}"), each)
    both = asyncio.gather(world.rights.denial(right(name="p-0")), world.rights.denial(right(name="p-0")))
    await eventually(lambda: world.cluster.sent, what="something is asked")
    world.cluster.open.set()
    assert all(await both)
    await world.settled()
    assert Counter(world.cluster.sent)["update", ""] == 1
    assert Counter(world.cluster.sent)["update", "p-0"] == 1
    assert len(world.cluster.sent) == len(told) + 1
    assert world.cluster.most <= MAX_CONCURRENT + 1, "and the page that waited for its own"


async def test_of_too_many_answers_the_younger_half_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.cluster.access_reviews.MAX_CACHED", 8)
    for number in range(8):
        world.clock.skip(1.0)
        await world.rights.denial(right(f"verb-{number}", name=""))
    await world.rights.denial(right("one-more", name=""))
    assert [each.verb for each in world.rights._answers] == [*(f"verb-{number}" for number in range(4, 8)), "one-more"]


async def test_after_the_end_what_is_known_is_said_and_nothing_asked(world: World) -> None:
    world.cluster.forbidden = {"update"}
    assert await world.rights.denial(right())
    world.clock.skip(CACHE_SECONDS)
    await world.rights.stop()
    asked = len(world.cluster.sent)
    assert world.rights.cached_denial(right(), Told())
    assert not world.rights._tasks
    assert len(world.cluster.sent) == asked


async def test_details_work_out_once_for_each_drawing_what_may_be_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[ResourceAttributes] = Counter()

    def denied(right: ResourceAttributes, _: AccessListener) -> str:
        asked[right] += 1
        return "no"

    view = world.view()
    monkeypatch.setattr(view, "_denial_of", denied)
    html = render_to_string("details/_detail.html", view.context())
    assert "do not allow: Edit, Clone, Evict, Delete, Terminal." in html
    assert set(asked.values()) == {1}
