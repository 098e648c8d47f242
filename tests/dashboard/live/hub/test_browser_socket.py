"""Tests of a socket: no browser that falls behind delays another, and the size of messages."""

from __future__ import annotations

import asyncio
import gzip
import json
import random

import pytest

from dashboard.live.hub.browser_socket import (
    ACKNOWLEDGE_TIMEOUT,
    BEHIND_TIMEOUT,
    MAX_MESSAGE_UNITS,
    MAX_UNACKNOWLEDGED,
    RECONNECT_CODE,
    Message,
    Socket,
    encode_frame,
    encode_message,
)
from dashboard.live.hub.hub import HEARTBEAT_INTERVAL
from dashboard.objects.query.list_query import Query
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.lists.live_list import open_list
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.live.hub_with_browsers import PODS, Browser, World
from tests.support.live.replica_feeder import pod


@pytest.mark.slow
def test_a_browser_that_does_not_keep_up_is_stopped_and_later_gets_one_window() -> None:
    world = World(40)
    slow, quick = world.browser(), world.browser()
    chance = random.Random(1)
    for version in range(2, 30):
        nodes = [chance.randbytes(600).hex() for _ in range(40)]  # which does not compress well
        world.pods.put(*(pod(f"p{index}", version=version, node=node) for index, node in enumerate(nodes)))
        world.pass_time(0.5)
        quick.acknowledge()
    assert slow.socket.is_behind
    assert slow.socket.unacknowledged_units <= MAX_UNACKNOWLEDGED + 50_000
    assert len(slow.updates) < len(quick.updates)
    assert world.hub.metrics.socket_stops == 1
    slow.got.clear()
    slow.acknowledge()
    assert not slow.socket.is_behind
    assert [("after" in frame, 'data-version="29"' in frame["content"]) for frame in slow.frames] == [(False, True)]
    world.pods.put(pod("p0", version=999, restarts=0))
    world.pass_time(0.5)
    assert len(slow.updates) == 1


async def test_a_browser_that_stays_behind_is_told_to_come_back(world: World) -> None:
    slow = world.browser()
    slow.socket.sent_units += MAX_UNACKNOWLEDGED + 1
    world.pass_time(HEARTBEAT_INTERVAL)
    assert slow.socket.is_behind
    world.pass_time(BEHIND_TIMEOUT + HEARTBEAT_INTERVAL)
    await run_ready_tasks()
    assert slow.closed == [RECONNECT_CODE]
    assert slow.socket not in world.hub.sockets
    slow.acknowledge()
    assert slow.socket not in world.hub.sockets


async def test_a_browser_that_is_not_heard_for_a_minute_is_let_go_of(world: World) -> None:
    browser = world.browser()
    browser.acknowledge()
    world.pass_time(ACKNOWLEDGE_TIMEOUT * 10)  # the clock leaps: nothing was sent, so nothing is to be acknowledged
    assert browser.socket in world.hub.sockets
    browser.acknowledge()
    world.pass_time(HEARTBEAT_INTERVAL)
    world.pass_time(ACKNOWLEDGE_TIMEOUT)
    assert browser.socket in world.hub.sockets
    world.pass_time(HEARTBEAT_INTERVAL)
    await run_ready_tasks()
    assert (browser.closed, world.hub.sockets, world.hub.metrics.sockets_given_up) == ([RECONNECT_CODE], set(), 1)


def test_acknowledging_more_than_was_sent_gains_nothing(world: World) -> None:
    browser = world.browser()
    world.hub.acknowledge(browser.socket, 10**12)
    assert browser.socket.unacknowledged_units == 0
    world.pass_time(HEARTBEAT_INTERVAL)
    assert browser.socket.unacknowledged_units > 0


async def test_what_the_transport_has_not_taken_cannot_be_acknowledged() -> None:
    clock = FakeClock()
    room = asyncio.Event()
    taken: list[Message] = []

    async def send(message: Message) -> None:
        await room.wait()
        taken.append(message)

    async def close(_: int) -> None:
        """Nothing to close."""

    socket = Socket(send, close, clock)
    sending = asyncio.create_task(socket.run())
    posted = 0
    while socket.post("x" * 1000):
        posted += 1
        socket.acknowledge(10**9)
        await run_ready_tasks()
    assert posted == MAX_UNACKNOWLEDGED // 1000 + 1
    assert not socket.acknowledge(10**9)
    assert socket.is_behind
    room.set()
    await run_ready_tasks()
    assert len(taken) == posted
    assert socket.acknowledge(10**9)
    assert not socket.is_behind
    sending.cancel()


async def test_a_socket_whose_transport_has_no_room_for_a_minute_has_timed_out() -> None:
    clock = FakeClock()

    async def send(_: Message) -> None:
        await asyncio.Event().wait()

    async def close(_: int) -> None:
        """Nothing to close."""

    socket = Socket(send, close, clock)
    sending = asyncio.create_task(socket.run())
    socket.post("little")
    await run_ready_tasks()
    clock.skip(ACKNOWLEDGE_TIMEOUT)
    socket.acknowledge(1)
    assert not socket.has_timed_out
    clock.skip(1)
    assert socket.has_timed_out
    sending.cancel()


def test_big_windows_are_sent_compressed_once_and_small_messages_as_text() -> None:
    world = World(100)
    one, other = Browser(world.hub, world.clock), Browser(world.hub, world.clock)
    for browser in (one, other):
        view = open_list(world.hub, PODS, Query.parse({}, "pods"))
        world.hub.join(browser.socket, view, path="/")
    windows = [[m for m in browser.socket._outbox if isinstance(m, bytes)] for browser in (one, other)]
    assert len(windows[0]) == 1
    assert windows[0][0] is windows[1][0]
    assert len(windows[0][0]) * 5 < len(gzip.decompress(windows[0][0]))


def test_a_frame_too_big_for_a_message_tells_the_page_to_fetch_itself() -> None:
    noise = random.Random(1).randbytes(MAX_MESSAGE_UNITS).hex()
    message = encode_frame({"content": noise, "view": "abc", "seq": "t-2"})
    assert json.loads(message) == {"fetch": True, "view": "abc"}
    assert encode_frame({"content": "x" * MAX_MESSAGE_UNITS * 2, "view": "abc", "seq": "t-2"})[:2] == b"\x1f\x8b"


def test_messages_are_counted_as_a_browser_counts_them() -> None:
    message = encode_message({"content": "žluťoučký 🐎 → ok"})
    assert isinstance(message, str)
    assert message.isascii()
    assert json.loads(message) == {"content": "žluťoučký 🐎 → ok"}


@pytest.mark.slow
def test_the_biggest_window_does_not_put_a_browser_behind_that_keeps_up() -> None:
    world = World(1)
    browser = Browser(world.hub, world.clock)
    view = open_detail(world.hub, PODS, "default", "p0")
    world.hub.join(browser.socket, view, view.seq, path="/resources/pods/default/p0/")
    for version, size in enumerate((60_000, 100_000, 150_000, 400_000), start=2):
        browser.acknowledge()
        noise = random.Random(version).randbytes(size).hex()
        world.pods.put(pod("p0", version=version, obj={"kind": "Pod", "data": {"noise": noise}}))
        heard = len(browser.got)
        for _ in range(4):
            world.pass_time(HEARTBEAT_INTERVAL)
            assert not browser.socket.is_behind
            browser.acknowledge()
        assert len([message for message in browser.got[heard:] if "beat" not in message]) == 1
