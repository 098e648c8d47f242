"""Tests of updates: with any number of open views, rendering takes turns with the rest of the web process."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.template.loader import render_to_string

from dashboard.live.hub import updates as updates_module
from dashboard.live.hub.browser_socket import Message, Socket
from dashboard.live.hub.connected_sockets import ConnectedSockets
from dashboard.live.hub.hub import Hub
from dashboard.live.hub.updates import BUDGET_REFILL, COST_FACTOR, MAX_WAIT, RENDER_BUDGET, TURN_SECONDS
from dashboard.runtime import time_slicing
from dashboard.runtime.time_slicing import SlicedWork
from tests.support.clock import FakeClock
from tests.support.live.hub_with_browsers import Browser
from tests.support.live.replica_feeder import Feeder, Feeders, pod

NAMESPACES = 40


@pytest.fixture(autouse=True)
def all_work_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests have no event loop for slices that are left when a machine is busy."""
    monkeypatch.setattr(time_slicing, "EAGER_SECONDS", 60.0)


class Slow:
    """A hub whose rows take 4 ms each to render, with a list of each namespace open."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        rows = [pod("p", namespace=f"team-{number}") for number in range(NAMESPACES)]
        self.pods = Feeder("pods", self.clock, rows)
        self.hub = Hub(Feeders(self.pods), self.clock, self.render, timer=self.clock.now)
        self.browsers = [Browser(self.hub, self.clock).join(f"namespace=team-{each}") for each in range(NAMESPACES)]
        self.clock.skip(1)

    def render(self, *template: Any, **context: Any) -> str:
        self.clock.skip(0.004)
        return render_to_string(*template, **context)

    def change_all(self, version: int) -> None:
        self.pods.put(
            *(pod("p", namespace=f"team-{each}", version=version, restarts=version) for each in range(NAMESPACES))
        )

    def tick(self) -> tuple[float, float]:
        """The seconds that it took, and those that the hub waits now."""
        before = self.clock.now()
        wait = self.hub.tick()
        return self.clock.now() - before, wait

    @property
    def told(self) -> list[int]:
        return [len(browser.updates) for browser in self.browsers]


def test_a_turn_ends_in_time_and_the_next_follows_once_everybody_else_has_had_one() -> None:
    slow = Slow()
    slow.change_all(2)
    took, wait = slow.tick()
    assert TURN_SECONDS <= took < 3 * TURN_SECONDS
    assert 0 < sum(slow.told) < NAMESPACES
    assert wait == 0
    assert slow.hub.metrics.full_turns == 1
    assert sum(slow.hub.metrics.view_delays.counts) == sum(slow.told)
    assert slow.hub.metrics.view_delays.sum > 0


@pytest.mark.slow
def test_with_no_time_left_in_store_a_turn_is_followed_by_a_rest_as_long() -> None:
    slow, version = Slow(), 2
    busy = rested = 0.0
    while busy + rested < 4 * MAX_WAIT:
        slow.change_all(version)
        version += 1
        took, wait = slow.tick()
        busy, rested = busy + took, rested + wait
        slow.clock.skip(wait)
    assert busy <= RENDER_BUDGET + BUDGET_REFILL * (busy + rested) + 3 * TURN_SECONDS
    assert busy >= BUDGET_REFILL * (busy + rested) * 0.8


async def test_who_waits_for_a_page_has_two_thirds_of_the_time_whatever_is_in_store() -> None:
    slow, over = Slow(), asyncio.Event()

    def work() -> SlicedWork:
        while not over.is_set():
            yield "wait"

    slow.hub.index.slices.add(work())
    slow.change_all(2)
    took, wait = slow.tick()
    assert wait >= 2 * took * 0.99
    told = sum(slow.told)
    slow.hub.tick()  # whatever wakes it meanwhile
    assert sum(slow.told) == told
    over.set()
    while len(slow.hub.index.slices):  # noqa: ASYNC110 - turns of the loop are what it needs
        await asyncio.sleep(0)


@pytest.mark.slow
def test_every_view_has_its_turn_though_the_first_ones_change_again_and_again() -> None:
    slow = Slow()
    end = slow.clock.now() + 2 * MAX_WAIT
    version = 2
    while slow.clock.now() < end:
        slow.change_all(version)
        version += 1
        slow.clock.skip(slow.hub.tick())
    assert min(slow.told) >= 1
    assert max(slow.told) <= min(slow.told) + 2


def test_what_posting_to_many_sockets_takes_delays_the_next_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    post = ConnectedSockets.post

    def take_long(audience: ConnectedSockets, socket: Socket, message: Message) -> None:
        slow.clock.skip(0.02 * ("content" in str(message)))
        post(audience, socket, message)

    monkeypatch.setattr(ConnectedSockets, "post", take_long)
    slow.pods.put(pod("p", namespace="team-0", version=2))
    slow.tick()
    slow.pods.put(pod("p", namespace="team-0", version=3))
    slow.clock.skip(COST_FACTOR * 0.01)
    slow.tick()
    assert slow.told[0] == 1
    slow.clock.skip(COST_FACTOR * 0.02)
    slow.tick()
    assert slow.told[0] == 2


def test_a_view_of_many_sockets_leaves_their_tasks_the_time_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates_module, "COST_PER_SOCKET", 0.1)
    slow = Slow()
    second = Browser(slow.hub, slow.clock).join("namespace=team-0")
    slow.clock.skip(1)
    for version, wait in ((2, 0.15), (3, 0.1)):
        slow.pods.put(pod("p", namespace="team-0", version=version))
        slow.tick()
        assert len(second.updates) == 1
        slow.clock.skip(wait)
    slow.tick()
    assert len(second.updates) == 2
