"""Tests of the channel over a layer that fails, and of joining again what the layer has forgotten."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer
from channels_redis.pubsub import RedisPubSubChannelLayer

from dashboard.live.replication.channel_layer import REJOIN_INTERVAL, ChannelLayerHealth, GroupChannel, Sender
from dashboard.live.replication.publisher import Publisher
from dashboard.live.replication.replicas import Replicas
from dashboard.live.worker.worker import Worker
from dashboard.objects.kinds.catalog import parse_kinds
from informerd.clock import SystemClock
from tests.support.clock import FakeClock
from tests.support.controlplane import free_ports
from tests.support.live.fake_channel_layer import RecordingLayer
from tests.support.live.sample_rows import row
from tests.support.skip_if_missing import missing, redis_url
from tests.support.wait import eventually, until

GROUP = "group"
Message = dict[str, Any]


async def test_a_failing_layer_is_said_once_and_its_return_too(caplog: pytest.LogCaptureFixture) -> None:
    layer, trouble = RecordingLayer(), ChannelLayerHealth()
    sender = Sender(layer, trouble)
    layer.broken = True
    assert not await sender.to_group(GROUP, {"type": "x"})
    assert not await sender.to_channel("channel", {"type": "x"})
    assert trouble.problem == "no Redis here"
    layer.broken = False
    assert await sender.to_group(GROUP, {"type": "x"})
    assert await sender.to_group(GROUP, {"type": "x"})
    assert trouble.problem == ""
    assert [record.message for record in caplog.records] == [
        "the channel layer cannot be used, trying again: no Redis here",
        "the channel layer can be used again",
    ]


async def test_a_layer_that_hangs_is_told_of_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, trouble = RecordingLayer(), ChannelLayerHealth()

    async def hang(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(layer, "send", hang)
    monkeypatch.setattr("dashboard.live.replication.channel_layer.SEND_TIMEOUT", 0.01)
    assert not await Sender(layer, trouble).to_channel("channel", {"type": "x"})
    assert trouble.problem == "it did not answer in time"


async def test_a_full_channel_is_a_loss_but_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, trouble = RecordingLayer(), ChannelLayerHealth()

    async def full(*_: object) -> None:
        raise ChannelFull

    monkeypatch.setattr(layer, "send", full)
    assert not await Sender(layer, trouble).to_channel("channel", {"type": "x"})
    assert trouble.problem == ""


class Hearing:
    """An inbox on a fake clock, with what it heard."""

    def __init__(self, layer: Any) -> None:
        self.clock = FakeClock()
        self.layer = layer
        self.heard: list[Message] = []
        self.trouble = ChannelLayerHealth()
        self.inbox = GroupChannel(layer, GROUP, self.clock, self.trouble)

    async def take(self, message: Message) -> None:
        self.heard.append(message)


@pytest.fixture
async def hearing() -> AsyncIterator[Hearing]:
    made = Hearing(InMemoryChannelLayer())
    running = asyncio.create_task(made.inbox.run(made.take))
    await made.clock.advance(0.2)
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_it_hears_the_group_and_its_own_channel(hearing: Hearing) -> None:
    assert hearing.inbox.is_joined
    await hearing.layer.group_send(GROUP, {"type": "for.all"})
    await hearing.layer.send(hearing.inbox.channel_name, {"type": "for.one"})
    await eventually(lambda: len(hearing.heard) == 2)
    assert [message["type"] for message in hearing.heard] == ["for.all", "for.one"]


async def test_a_member_the_layer_has_dropped_joins_again(hearing: Hearing) -> None:
    """What the in-memory layer does after a minute of unread messages, or a day."""
    hearing.layer.groups.clear()
    await hearing.layer.group_send(GROUP, {"type": "lost"})
    await hearing.clock.advance(REJOIN_INTERVAL)
    await hearing.layer.group_send(GROUP, {"type": "heard"})
    await eventually(lambda: hearing.heard)
    assert [message["type"] for message in hearing.heard] == ["heard"]


async def test_a_layer_that_gives_no_channel_is_asked_again() -> None:
    class Reluctant(InMemoryChannelLayer):  # type: ignore[misc]
        refusals = 3

        async def new_channel(self, prefix: str = "specific.") -> str:
            self.refusals -= 1
            if self.refusals >= 0:
                raise ConnectionError("not yet")
            return str(await super().new_channel(prefix))

    made = Hearing(Reluctant())
    running = asyncio.create_task(made.inbox.run(made.take))
    await made.clock.advance(0.5)
    assert (made.inbox.is_joined, made.trouble.problem) == (False, "not yet")
    await made.clock.advance(5)
    assert (made.inbox.is_joined, made.trouble.problem) == (True, "not yet"), "joining again may ask nobody"
    await made.layer.group_send(GROUP, {"type": "x"})
    await made.clock.advance(1)
    assert made.trouble.problem == ""
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


# --- a Redis that is restarted ----------------------------------------------------------------------------------


class OwnRedis:
    """A Redis server for one test, which is killed and started again on its port.

    `start` waits until it listens: a client that was refused waits for seconds before it tries again.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        (self.port,) = free_ports(1)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.directory)]
        self._process = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.DEVNULL)
        until(self._listens, what="Redis listens")

    def _listens(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    redis_url()  # says what is missing where no Redis is installed
    server = OwnRedis(tmp_path)
    try:
        server.start()
    except FileNotFoundError:
        missing("the program redis-server", "this test kills and restarts a Redis of its own")
    yield server
    server.kill()


class NoInformers:
    """Stands for a client in a worker without kinds."""


@pytest.mark.long
@pytest.mark.redis
async def test_a_redis_that_is_killed_and_started_again_is_healed(
    own_redis: OwnRedis, caplog: pytest.LogCaptureFixture
) -> None:
    clock, kinds = SystemClock(), parse_kinds(["pods"])
    layers = [RedisPubSubChannelLayer(hosts=[f"redis://127.0.0.1:{own_redis.port}"]) for _ in range(2)]
    worker = Worker(NoInformers(), layers[0], (), clock)  # type: ignore[arg-type]
    publisher = worker.publishers["pods"] = Publisher("pods", layers[0], clock, epoch=worker.epoch)
    replicas = Replicas(layers[1], kinds, clock)
    replica = replicas.get("pods")
    running = [asyncio.create_task(run()) for run in (worker.run, publisher.run, replicas.run)]
    try:
        publisher.put(row("before"))
        await eventually(lambda: replica.state == "live" and replica.get("default", "before"))
        own_redis.kill()
        await eventually(lambda: replica.state == "stale")
        publisher.put(row("meanwhile"))
        await eventually(lambda: replicas.channel_problem)
        own_redis.start()
        await eventually(lambda: replica.state == "live" and replica.get("default", "meanwhile"))
        assert replica.rows == publisher.rows
        assert replicas.channel_problem == ""
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for layer in layers:
            await layer.flush()
    assert "the channel layer can be used again" in caplog.text
