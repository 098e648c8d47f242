"""Tests of what becomes of bytes that somebody else wrote to Redis."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.live.replication.redis_channel_layer import MAX_MESSAGE_BYTES, RedisChannelLayer

NESTED = b"\x81\xa1x" + b"\x91" * 100_000 + b"\xc0"


def test_a_message_keeps_its_three_fields() -> None:
    layer = RedisChannelLayer()
    message = {"type": "feed.frame", "to": "group", "data": b"rows"}
    assert layer.deserialize(layer.serialize(message)) == message
    assert layer.deserialize(layer.serialize({**message, "more": [1, {}]})) == message


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xc1", b"no msgpack", b"\x93\x01", NESTED, b"\x81\xa4type\xa1\xff", b"\x81\xa4data\xc6\xff\xff\xff\xff",
     msgspec.msgpack.encode({"type": 1}), bytes(MAX_MESSAGE_BYTES + 1)],
    ids=["nothing", "no value", "text", "list", "nested", "no UTF-8", "truncated", "other type", "too large"],
)  # fmt: skip
def test_anything_else_is_an_empty_message_and_no_error(raw: bytes) -> None:
    assert RedisChannelLayer().deserialize(raw) == {}
