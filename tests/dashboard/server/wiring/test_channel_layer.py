"""Tests of the channel layer that the settings make."""

from __future__ import annotations

from itertools import pairwise

from channels.layers import get_channel_layer
from django.test import override_settings

from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.live.replication.encrypted_channel_layer import EncryptedChannelLayer
from dashboard.live.replication.rejected_messages import RejectedMessages
from dashboard.server.wiring.channel_layer import build_channel_layer
from tests.support.clock import FakeClock

OLD, NEW = "o" * 32, "n" * 32


def layer_of(rejected: RejectedMessages | None = None, /, **settings: object) -> ChannelLayer:
    with override_settings(REDIS_URL="redis://127.0.0.1:1", **settings):
        return build_channel_layer(rejected or RejectedMessages(FakeClock()))


async def is_read(sender: ChannelLayer, **reader_settings: object) -> bool:
    """Whether a process with these settings reads a message; it goes through the tests' in-memory layer."""
    rejected = RejectedMessages(FakeClock())
    reader = layer_of(rejected, **reader_settings)
    channel = await reader.new_channel()
    await sender.send(channel, {"type": "feed.frame", "data": b"rows"})
    own = layer_of(**reader_settings)
    await own.send(channel, {"type": "feed.frame", "data": b"the last"})
    return bool((await reader.receive(channel))["data"] == b"rows")


def test_in_one_process_nothing_is_encrypted() -> None:
    with override_settings(REDIS_URL="", DELTABOARD_FEED_KEY=[NEW]):
        assert build_channel_layer(RejectedMessages(FakeClock())) is get_channel_layer()
    assert isinstance(layer_of(), EncryptedChannelLayer)


async def test_the_feed_key_takes_the_place_of_the_secret_key() -> None:
    assert await is_read(layer_of(SECRET_KEY="one"), SECRET_KEY="one")
    assert not await is_read(layer_of(SECRET_KEY="one"), SECRET_KEY="two")
    assert await is_read(layer_of(SECRET_KEY="one", DELTABOARD_FEED_KEY=[NEW]), DELTABOARD_FEED_KEY=[NEW])
    assert not await is_read(layer_of(SECRET_KEY="one", DELTABOARD_FEED_KEY=[NEW]), SECRET_KEY="one")


async def test_each_step_of_a_change_of_the_key_can_be_read_by_its_neighbours() -> None:
    steps = ([OLD], [OLD, NEW], [NEW, OLD], [NEW])
    for before, after in pairwise(steps):
        assert await is_read(layer_of(DELTABOARD_FEED_KEY=before), DELTABOARD_FEED_KEY=after)
        assert await is_read(layer_of(DELTABOARD_FEED_KEY=after), DELTABOARD_FEED_KEY=before)


async def test_two_installations_do_not_read_each_other() -> None:
    assert not await is_read(layer_of(DELTABOARD_CHANNEL_PREFIX="staging"), DELTABOARD_CHANNEL_PREFIX="production")
