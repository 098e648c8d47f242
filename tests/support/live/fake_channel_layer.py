"""Channel layer for tests: stores everything sent, and delivers it when the test says so, lost, doubled or late."""

from __future__ import annotations

import random
from typing import Any

from dashboard.live.replication.messages import Frame, SnapshotChunk, frame_decoder, snapshot_chunk_decoder

Message = dict[str, Any]


class RecordingLayer:
    """Takes every message and hands out none; `frames` and `chunks` are what was sent, decoded."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Message]] = []
        self.broken = False

    @property
    def frames(self) -> list[Frame]:
        return [frame_decoder.decode(each["data"]) for _, each in self.sent if each["type"] == "feed.frame"]

    @property
    def chunks(self) -> list[SnapshotChunk]:
        return [snapshot_chunk_decoder.decode(each["data"]) for _, each in self.sent if each["type"] == "feed.chunk"]

    async def send(self, channel: str, message: Message) -> None:
        if self.broken:
            raise ConnectionError("no Redis here")
        self.sent.append((channel, message))

    async def group_send(self, group: str, message: Message) -> None:
        await self.send(group, message)

    async def receive(self, channel: str) -> Message:
        raise NotImplementedError

    async def new_channel(self) -> str:
        return "replica"

    async def group_add(self, group: str, channel: str) -> None:
        return None

    async def group_discard(self, group: str, channel: str) -> None:
        return None


class LossyQueue:
    """Messages on their way: loses, doubles and delays them by chance; equal seeds, equal fates."""

    def __init__(self, chance: random.Random, *, loss: float, doubling: float, delay: float) -> None:
        self.losses = 0
        self.kind = False
        self._chance = chance
        self._loss, self._doubling, self._delay = loss, doubling, delay
        self._underway: list[tuple[float, int, Message]] = []
        self._count = 0

    def put(self, message: Message, now: float) -> None:
        if self._chance.random() < self._loss:
            self.losses += 1
            return
        copies = 2 if self._chance.random() < self._doubling else 1
        for _ in range(copies):
            self._count += 1
            late = self._chance.random() * self._delay
            self._underway.append((now + late, self._count, message))

    def arrived(self, now: float) -> list[Message]:
        due = sorted((each for each in self._underway if each[0] <= now), key=lambda each: each[:2])
        self._underway = [each for each in self._underway if each[0] > now]
        return [message for _, _, message in due]

    def be_kind(self) -> None:
        """From now on lose, double and delay nothing."""
        self.kind = True
        self._loss = self._doubling = self._delay = 0.0
