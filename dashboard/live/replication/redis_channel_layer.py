"""Redis channel layer that decodes what it receives into a message's three fields, and nothing larger or other."""

from __future__ import annotations

from typing import Any

import msgspec
from channels_redis.pubsub import RedisPubSubChannelLayer

MAX_MESSAGE_BYTES = 32 * 2**20
"""Bytes of a message; the largest that the worker sends is a snapshot's last chunk, with a row of MAX_ROW_BYTES and
entries of MAX_ENTRY_BYTES.
"""


class _Envelope(msgspec.Struct):
    """A message as Redis has it. Other fields are skipped without being decoded."""

    type: str = ""
    to: str = ""
    data: bytes = b""


_decoder = msgspec.msgpack.Decoder(_Envelope)


class RedisChannelLayer(RedisPubSubChannelLayer):  # type: ignore[misc]  # channels_redis has no types
    """channels_redis's layer, for which whatever stands in Redis is no error and costs no more memory than it has."""

    def deserialize(self, message: bytes) -> dict[str, Any]:
        """The message; empty where it is none. (The layer's own decoder makes any number of objects of any message.)"""
        if len(message) > MAX_MESSAGE_BYTES:
            return {}
        try:
            envelope = _decoder.decode(message)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return {}
        return {"type": envelope.type, "to": envelope.to, "data": envelope.data}
