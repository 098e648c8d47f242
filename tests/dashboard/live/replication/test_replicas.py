"""Tests of all replicas of a process: notices of a failing layer, and the passing of time without messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dashboard.live.replication.channel_layer import RECEIVE_RETRY_DELAY, REJOIN_INTERVAL
from dashboard.live.replication.messages import Frame, SnapshotChunk, encoder, snapshot_request_decoder
from dashboard.live.replication.replica import SILENCE_TIMEOUT
from dashboard.live.replication.replicas import TICK, Replicas
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.cache.health import Health
from tests.support.clock import FakeClock, run_ready_tasks

KINDS = parse_kinds(["pods", "nodes", "namespaces", "deployments", "events"])
HEALTH = Health(state="live", since=1.0, heard=2.0)
Message = dict[str, Any]


class Faulty:
    """A layer that takes and gives messages until it is told to raise or to hang."""

    def __init__(self) -> None:
        self.raises = False
        self.hangs = False
        self.asked: list[str] = []
        self.under_way = 0
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()

    async def _fate(self) -> None:
        if self.raises:
            raise ConnectionError("no Redis here")
        if self.hangs:
            self.under_way += 1
            try:
                await asyncio.Event().wait()
            finally:
                self.under_way -= 1

    async def send(self, channel: str, message: Message) -> None:
        await self._fate()

    async def group_send(self, group: str, message: Message) -> None:
        await self._fate()
        self.asked.append(snapshot_request_decoder.decode(message["data"]).resource)

    async def receive(self, channel: str) -> Message:
        await self._fate()
        return await self.inbox.get()

    async def new_channel(self) -> str:
        await self._fate()
        return "replicas"

    async def group_add(self, group: str, channel: str) -> None:
        """Of no use as a sign: the pubsub layer does nothing for a member it has already."""

    async def group_discard(self, group: str, channel: str) -> None:
        pass


class Following:
    def __init__(self) -> None:
        self.layer, self.clock = Faulty(), FakeClock()
        self.replicas = Replicas(self.layer, KINDS, self.clock)

    @property
    def states(self) -> set[str]:
        return {replica.state for replica in self.replicas}

    async def become_live(self) -> None:
        await self.clock.advance(TICK)
        for replica in self.replicas:
            answer = SnapshotChunk(replica.key, "5", 3, "5.1", 0, 1, HEALTH)
            self.layer.inbox.put_nowait({"type": "feed.chunk", "data": encoder.encode(answer)})
        await run_ready_tasks()
        assert self.states == {"live"}


@pytest.fixture
async def following() -> AsyncIterator[Following]:
    made = Following()
    running = asyncio.create_task(made.replicas.run())
    await run_ready_tasks()
    await made.clock.advance(TICK)
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_each_kind_is_asked_for_once_the_feed_can_be_heard(following: Following) -> None:
    assert following.layer.asked == [kind.key for kind in KINDS]


async def test_silence_is_noticed_while_the_layer_gives_nothing_but_errors(following: Following) -> None:
    await following.become_live()
    following.layer.raises = True
    following.layer.inbox.put_nowait({"type": "nothing"})  # wakes who waits for a message
    await following.clock.advance(SILENCE_TIMEOUT + 2 * TICK)
    assert not following.replicas._inbox.is_joined
    assert following.states == {"stale"}
    assert following.replicas.channel_problem == "no Redis here"


async def test_all_kinds_are_stale_at_once_while_each_send_hangs(following: Following) -> None:
    await following.become_live()
    following.layer.hangs = True
    await following.clock.advance(SILENCE_TIMEOUT + 2 * TICK)
    assert following.states == {"stale"}
    await following.clock.advance(3)
    assert following.layer.under_way == len(KINDS)


async def test_a_kind_that_falls_silent_while_a_send_hangs_is_noticed_in_time(following: Following) -> None:
    await following.become_live()
    following.layer.hangs = True
    await following.clock.advance(SILENCE_TIMEOUT / 2)
    heartbeat = Frame("nodes", "5", 3, 1.0, HEALTH)
    await following.replicas.receive({"type": "feed.frame", "data": encoder.encode(heartbeat)})
    await following.clock.advance(SILENCE_TIMEOUT / 2 + 2 * TICK)
    assert following.replicas.get("pods").state == "stale"
    assert following.replicas.get("nodes").state == "live"
    await following.clock.advance(SILENCE_TIMEOUT / 2)
    assert following.states == {"stale"}


async def test_they_ask_again_when_the_layer_is_back(following: Following) -> None:
    await following.become_live()
    following.layer.raises = True
    following.layer.inbox.put_nowait({"type": "nothing"})
    await following.clock.advance(SILENCE_TIMEOUT + 2 * TICK)
    following.layer.asked.clear()
    following.layer.raises = False
    await following.clock.advance(RECEIVE_RETRY_DELAY + REJOIN_INTERVAL + 2 * TICK)
    assert set(following.layer.asked) == {kind.key for kind in KINDS}


async def test_a_feed_that_cannot_be_read_is_one_warning(
    following: Following, caplog: pytest.LogCaptureFixture
) -> None:
    for data in (b"\x93\x01", b"\xc1", b""):
        await following.replicas.receive({"type": "feed.frame", "data": data})
    await following.replicas.receive({"type": "feed.frame"})
    warned = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warned) == 1
    assert "Run the same version of Deltaboard for the worker and all web processes" in warned[0]
    assert following.replicas.channel_problem.startswith("The worker cannot be heard: a message has content that this")
    assert {replica.state for replica in following.replicas} == {"starting"}


async def test_how_long_changes_were_on_their_way_is_counted_and_heartbeats_are_not() -> None:
    clock = FakeClock()
    replicas = Replicas(Faulty(), KINDS, clock)
    sent_at = clock.time() - 0.3
    for uids in (("a",), ()):
        frame = Frame("pods", "1", 1, sent_at, HEALTH, deleted_uids=uids)
        await replicas.receive({"type": "feed.frame", "data": encoder.encode(frame)})
    assert sum(replicas.frame_delays.counts) == 1
    assert replicas.frame_delays.sum == pytest.approx(0.3)
