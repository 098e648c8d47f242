"""Somebody who can read and write in the Redis of an installation, and has no key.

Imports nothing that came with the encryption, so that the attacks also run against a version without it.
"""

from __future__ import annotations

import time
from typing import Any

import msgspec
import redis

from dashboard.live.replication.messages import (
    FEED_GROUP,
    REQUEST_GROUP,
    Frame,
    SnapshotChunk,
    encoder,
    snapshot_request_decoder,
)
from dashboard.objects.kinds.row import Row
from informerd.cache.health import Health
from tests.support.skip_if_missing import redis_url


class RedisAttacker:
    """Reads the groups of `prefix` from now on, and publishes what it likes."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._redis = _client()
        self._reading = self._redis.pubsub()
        for group in (FEED_GROUP, REQUEST_GROUP):
            self._reading.subscribe(self._name(group))

    def close(self) -> None:
        self._reading.close()
        self._redis.close()

    def read(self, group: str) -> list[bytes]:
        """All messages to the group that have arrived since the last call; those to the other group are dropped."""
        found = []
        while (message := self._reading.get_message(timeout=0.05)) is not None:
            if message["type"] == "message" and message["channel"].decode() == self._name(group):
                found.append(message["data"])
        return found

    def publish(self, group: str, raw: bytes) -> None:
        self._redis.publish(self._name(group), raw)

    def answer(self, channel: str, raw: bytes) -> None:
        self._redis.publish(channel, raw)

    def _name(self, group: str) -> str:
        return f"{self.prefix}__group__{group}"


class ForgedWorker:
    """Pretends to be a worker that began after every other one, with one object of one kind."""

    EPOCH = "9999999999999-ffffff"

    def __init__(self, attacker: RedisAttacker, resource: str, row: Row) -> None:
        self._attacker = attacker
        self._resource = resource
        self._row = row

    def step(self) -> None:
        """Send a heartbeat, and the snapshot to all who ask and can be understood."""
        now = time.time()
        health = Health(state="live", since=now, heard=now)
        heartbeat = Frame(self._resource, self.EPOCH, 1, now, health)
        self._attacker.publish(FEED_GROUP, _message("feed.frame", heartbeat))
        for raw in self._attacker.read(REQUEST_GROUP):
            try:
                request = snapshot_request_decoder.decode(msgspec.msgpack.decode(raw)["data"])
            except Exception:  # noqa: BLE001 - the attacker cannot read it
                continue
            chunk = SnapshotChunk(self._resource, self.EPOCH, 1, "forged", request.index, 1, health, (self._row,))
            self._attacker.answer(request.reply_channel, _message("feed.chunk", chunk))


def _client() -> Any:
    """Any, because redis-py has no types for pubsub()."""
    return redis.Redis.from_url(redis_url())


def _message(kind: str, content: Any) -> bytes:
    return msgspec.msgpack.encode({"type": kind, "data": encoder.encode(content)})
