"""Channel layer for tests: stores everything sent, and delivers it when the test says so, lost, doubled or late."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from dashboard.live.replication.messages import Frame, SnapshotChunk, frame_decoder, snapshot_chunk_decoder
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from informerd.decoding.compressor import Compressor
from informerd.objects import Blob
from informerd.zstd_dictionaries import Dictionary, train_dictionary

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


def row(name: str, version: int = 1, *, namespace: str = "default", uid: str = "", blob: Blob | None = None) -> Row:
    return Row(
        uid=uid or f"uid-{namespace}-{name}",
        namespace=namespace,
        name=name,
        version=str(version),
        created=1000.0,
        status="Running",
        tone="ok",
        cells=(name, version),
        labels={"app": name},
        blob=blob,
    )


def object_of(name: str, version: int = 1) -> bytes:
    """The JSON of an object that names the row it belongs to."""
    labels = {f"example.org/label-{number}": f"{name}-{number}" for number in range(6)}
    metadata = {"name": name, "namespace": "default", "resourceVersion": str(version), "labels": labels}
    return msgspec.json.encode({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": name}})


def dictionary(kind: str) -> Dictionary:
    """The dictionary that a worker trains on the objects of a kind; two of the same kind have equal ids."""
    trained = train_dictionary([object_of(f"{kind}-{number}") for number in range(200)])
    assert trained
    return trained


def packed_row(name: str, version: int = 1, packer: Compressor | Dictionary | None = None) -> Row:
    """A row with its whole object, packed as `packer` packs now."""
    raw = object_of(name, version)
    if isinstance(packer, Dictionary):
        return row(name, version, blob=Blob(packer.compress(raw), packer))
    return row(name, version, blob=(packer or Compressor()).compress(raw))


def tells_of_itself(row: Row) -> bool:
    """Whether the whole object of a packed row is that row's, and no other's nor an older one."""
    metadata = row.decode_object()["metadata"]
    return (metadata["name"], metadata["resourceVersion"]) == (row.name, row.version)


def words_of(entries: list[Entry]) -> list[str]:
    return [entry.words for entry in entries]
