"""Tests of the encrypted channel layer over an in-memory one, on which a test can write what it likes."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from dashboard.live.replication.encrypted_channel_layer import EncryptedChannelLayer
from dashboard.live.replication.message_cipher import MessageCipher
from dashboard.live.replication.rejected_messages import RejectedMessages, Rejection
from tests.support.clock import FakeClock
from tests.support.wait import eventually

GROUP, OTHER_GROUP = "deltaboard.feed", "deltaboard.ask"
SECRET = "the secret of both processes"


class TwoProcesses:
    """A sender and a receiver with one secret on one layer; `rejected` are the receiver's."""

    def __init__(self, *, sender_secret: str = SECRET) -> None:
        self.wire = InMemoryChannelLayer()
        self.clock = FakeClock()
        self.rejected = RejectedMessages(self.clock)
        self.receiver = self._layer(SECRET, self.rejected)
        self.sender = self._layer(sender_secret, RejectedMessages(self.clock))
        self.channel = ""

    def _layer(self, secret: str, rejected: RejectedMessages) -> EncryptedChannelLayer:
        return EncryptedChannelLayer(self.wire, MessageCipher([secret], installation="deltaboard"), rejected)

    async def join(self) -> None:
        self.channel = await self.receiver.new_channel()
        await self.receiver.group_add(GROUP, self.channel)

    async def on_the_wire(self, group: str = GROUP) -> dict[str, Any]:
        """The next message to the group as an attacker reads it; the receiver does not get it."""
        spy = await self.wire.new_channel()
        await self.wire.group_discard(group, self.channel)
        await self.wire.group_add(group, spy)
        await self.sender.group_send(group, {"type": "feed.frame", "data": b"rows"})
        message: dict[str, Any] = await self.wire.receive(spy)
        await self.wire.group_discard(group, spy)
        await self.wire.group_add(GROUP, self.channel)
        return message

    async def received(self) -> dict[str, Any]:
        """The next message that is not rejected: one that the sender sends now, where all others are."""
        await self.sender.group_send(GROUP, {"type": "feed.frame", "data": b"the last"})
        return await self.receiver.receive(self.channel)

    @property
    def reasons(self) -> dict[str, int]:
        return {str(reason): number for reason, number in self.rejected.counts.items() if number}


@pytest.fixture
async def two() -> TwoProcesses:
    made = TwoProcesses()
    await made.join()
    return made


LAST = {"type": "feed.frame", "data": b"the last"}


async def test_messages_to_a_group_and_to_a_channel_arrive(two: TwoProcesses) -> None:
    await two.sender.group_send(GROUP, {"type": "feed.frame", "data": b"rows"})
    await two.sender.send(two.channel, {"type": "feed.chunk", "data": b"more rows"})
    await two.sender.group_send(GROUP, {"type": "census.look"})
    got = [await two.receiver.receive(two.channel) for _ in range(3)]
    assert [(each["type"], each["data"]) for each in got] == [
        ("feed.frame", b"rows"),
        ("feed.chunk", b"more rows"),
        ("census.look", b""),
    ]
    assert two.reasons == {}


async def test_a_forged_message_is_dropped_and_the_next_one_arrives(two: TwoProcesses) -> None:
    await two.wire.group_send(GROUP, {"type": "feed.frame", "data": b"\x90 made up"})
    await two.wire.send(two.channel, {"type": "feed.chunk", "to": two.channel, "data": b"\xc1\x01" + bytes(99)})
    await two.wire.send(two.channel, {})
    await two.wire.send(two.channel, {"type": "feed.chunk", "data": "no bytes"})
    assert await two.received() == LAST
    assert two.reasons == {"unencrypted": 1, "other-key": 1, "malformed": 2}


async def test_a_message_is_given_out_once_and_in_order(two: TwoProcesses) -> None:
    recorded = await two.on_the_wire()
    await two.wire.send(two.channel, recorded)
    assert (await two.receiver.receive(two.channel))["data"] == b"rows"
    await two.wire.send(two.channel, recorded)
    assert await two.received() == LAST
    await two.wire.send(two.channel, recorded)
    assert await two.received() == LAST
    assert two.reasons == {"replayed": 2}


async def test_a_channel_that_joins_later_gets_nothing_that_the_process_had_before(two: TwoProcesses) -> None:
    recorded = await two.on_the_wire()
    assert await two.received() == LAST
    first, two.channel = two.channel, ""
    await two.receiver.group_discard(GROUP, first)
    await two.join()
    await two.wire.send(two.channel, recorded)
    assert await two.received() == LAST
    assert two.reasons == {"replayed": 1}


async def test_two_channels_of_a_group_get_each_message(two: TwoProcesses) -> None:
    first, two.channel = two.channel, ""
    await two.join()
    assert await two.received() == LAST
    assert await two.receiver.receive(first) == LAST
    assert two.reasons == {}


async def test_a_recorded_message_is_refused_under_another_name(two: TwoProcesses) -> None:
    for_another_group = await two.on_the_wire(OTHER_GROUP)
    await two.wire.group_send(GROUP, for_another_group)
    await two.wire.group_send(GROUP, {**for_another_group, "to": GROUP})
    await two.wire.group_send(GROUP, {**await two.on_the_wire(), "type": "feed.chunk"})
    assert await two.received() == LAST
    assert two.reasons == {"misaddressed": 1, "forged": 2}


async def test_a_channel_that_left_a_group_gets_nothing_of_it(two: TwoProcesses) -> None:
    recorded = await two.on_the_wire()
    await two.receiver.group_discard(GROUP, two.channel)
    await two.wire.send(two.channel, recorded)
    await two.sender.send(two.channel, LAST)
    assert await two.receiver.receive(two.channel) == LAST
    assert two.reasons == {"misaddressed": 1}


async def test_a_flood_of_forged_messages_leaves_time_for_others(two: TwoProcesses) -> None:
    for _ in range(50):
        await two.wire.send(two.channel, {"type": "feed.frame", "data": b"made up"})
    receiving = asyncio.create_task(two.receiver.receive(two.channel))
    seen = set()
    while two.rejected.counts[Rejection.UNENCRYPTED] < 50:
        seen.add(two.rejected.counts[Rejection.UNENCRYPTED])
        await asyncio.sleep(0)
    assert len(seen) > 20
    receiving.cancel()
    await asyncio.gather(receiving, return_exceptions=True)


async def test_two_keys_are_said_once_in_the_log_and_on_the_page(caplog: pytest.LogCaptureFixture) -> None:
    two = TwoProcesses(sender_secret="another secret")
    await two.join()
    receiving = asyncio.create_task(two.receiver.receive(two.channel))
    for _ in range(3):
        await two.sender.group_send(GROUP, {"type": "feed.frame", "data": b"rows"})
    await eventually(lambda: two.rejected.counts[Rejection.OTHER_KEY] == 3)
    receiving.cancel()
    await asyncio.gather(receiving, return_exceptions=True)
    sentence = (
        "worker and web process have different keys. "
        "Set DELTABOARD_FEED_KEY, or SECRET_KEY, to the same value for all processes and restart them"
    )
    assert two.rejected.problem == f"The worker cannot be heard: {sentence}."
    assert [(record.levelno, record.message) for record in caplog.records] == [
        (logging.WARNING, f"dropped a message of the channel layer: {sentence}")
    ]


async def test_a_known_process_that_writes_to_another_address_is_no_new_one(
    two: TwoProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    """Or each group in which a worker is heard would bring the same line again."""
    assert await two.received() == LAST
    await two.wire.send(two.channel, {"type": "feed.frame", "data": b"made up"})
    await two.sender.send(two.channel, LAST)
    assert await two.receiver.receive(two.channel) == LAST
    await two.wire.send(two.channel, {"type": "feed.frame", "data": b"made up"})
    assert await two.received() == LAST
    assert two.reasons == {"unencrypted": 2}
    assert len(caplog.records) == 1
