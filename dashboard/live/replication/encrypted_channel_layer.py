"""Channel layer that encrypts what it sends through another one, and gives out only what its own processes sent."""

from __future__ import annotations

import asyncio
from typing import Any

from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.live.replication.message_cipher import MAX_SESSIONS, MessageCipher, MessageRejected
from dashboard.live.replication.rejected_messages import RejectedMessages, Rejection
from informerd.lru_cache import LruCache

SESSIONS_OF_A_GROUP = 100
"""Sessions whose newest message to a group is remembered for channels that join it."""


class EncryptedChannelLayer:
    """A ChannelLayer whose messages have a ``type`` and, as bytes, ``data``; the type and the address stay readable.

    `receive` gives only messages that a process with the key sent to this channel or to one of its groups, each once
    and in the order in which their sender sent them. A channel that joins a group gets nothing that another channel of
    this process had from it before. All others are dropped and recorded in `rejected`. A message that
    the other layer loses is lost, and one that it delays is late: nothing here can know.
    """

    def __init__(self, layer: ChannelLayer, cipher: MessageCipher, rejected: RejectedMessages) -> None:
        self._layer = layer
        self._cipher = cipher
        self._rejected = rejected
        self._groups: dict[str, set[str]] = {}
        self._newest: dict[str, dict[bytes, int]] = {}
        """By group and session, the highest number that a channel here has taken; the session heard last comes last."""
        self._last_numbers: LruCache[tuple[bytes, str, str], int] = LruCache(4 * MAX_SESSIONS)

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        await self._layer.send(channel, self._encrypted(channel, message))

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        await self._layer.group_send(group, self._encrypted(group, message))

    async def receive(self, channel: str) -> dict[str, Any]:
        while True:
            message = await self._layer.receive(channel)
            try:
                return self._decrypted(channel, message)
            except MessageRejected as rejection:
                self._rejected.record(rejection.reason)
                await asyncio.sleep(0)  # a flood of them leaves time for others

    async def new_channel(self) -> str:
        return await self._layer.new_channel()

    async def group_add(self, group: str, channel: str) -> None:
        groups = self._groups.setdefault(channel, set())
        if group not in groups:
            groups.add(group)
            for session, number in self._newest.get(group, {}).items():
                self._last_numbers.put((session, channel, group), number)
        await self._layer.group_add(group, channel)

    async def group_discard(self, group: str, channel: str) -> None:
        self._groups.get(channel, set()).discard(group)
        await self._layer.group_discard(group, channel)

    def _encrypted(self, address: str, message: dict[str, Any]) -> dict[str, Any]:
        """The message under its own type, by which a process of a version without encryption says that it is odd."""
        kind = message["type"]
        return {"type": kind, "to": address, "data": self._cipher.encrypt(address, kind, message.get("data", b""))}

    def _decrypted(self, channel: str, message: dict[str, Any]) -> dict[str, Any]:
        kind, address, data = message.get("type"), message.get("to"), message.get("data", b"")
        if not isinstance(kind, str) or not isinstance(data, bytes):
            raise MessageRejected(Rejection.MALFORMED)
        opened = self._cipher.decrypt(str(address), kind, data)
        if address != channel and address not in self._groups.get(channel, ()):
            raise MessageRejected(Rejection.MISADDRESSED)
        if opened.is_first:
            self._rejected.record_peer()
        self._take_number(opened.session, channel, str(address), opened.number)
        return {"type": kind, "data": opened.data}

    def _take_number(self, session: bytes, channel: str, address: str, number: int) -> None:
        place = (session, channel, address)
        if number <= (self._last_numbers.get(place) or 0):
            raise MessageRejected(Rejection.REPLAYED)
        self._last_numbers.put(place, number)
        if address != channel:
            newest = self._newest.setdefault(address, {})
            newest[session] = max(newest.pop(session, 0), number)
            if len(newest) > SESSIONS_OF_A_GROUP:
                del newest[next(iter(newest))]
