"""Fixture with a factory and an informer whose metrics are read."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.metrics import InformerCollector
from informerd.objects import Object
from informerd.resource import PODS
from tests.support.clock import FakeClock
from tests.support.informerd.metrics_scrape import Scrape
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import Request, ScriptedServer, pod
from tests.support.wait import eventually


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""


class Pod(Object, frozen=True):
    spec: Spec = Spec()


class Metered:
    """A factory with an informer of pods against a scripted server, and the collector that shows it."""

    def __init__(self, factory: SharedInformerFactory, server: ScriptedServer, clock: FakeClock) -> None:
        self.factory = factory
        self.server = server
        self.clock = clock
        self.collector = InformerCollector(factory, clock=clock)
        self.informer: SharedInformer[Pod] = factory.informer(PODS, Pod, transform=broken_for_broken)
        self.recorder = Recorder()
        self.informer.add_handler(self.recorder, name="recorder")

    def scrape(self) -> Scrape:
        return Scrape(self.collector)

    def value(self, name: str, **labels: str) -> float | None:
        return self.scrape().get(name, **labels)

    async def becomes(self, expected: float, name: str, **labels: str) -> None:
        await eventually(lambda: self.value(name, **labels) == expected, what=f"{name} {labels} {expected}")

    async def listed(self, *names: str) -> Request:
        """Start, and list these pods in a page; the watch, which is open."""
        self.factory.start()
        (await self.server.take_list()).answer_list([pod(name, "5") for name in names], "10")
        watch = await self.server.take_watch()
        await watch.open()
        await eventually(lambda: self.informer.health().state == "live")
        return watch


def broken_for_broken(raw: bytes) -> bytes:
    if b'"broken"' in raw:
        raise ValueError("broken")
    return raw


@pytest.fixture
async def metered(server: ScriptedServer, clock: FakeClock) -> AsyncIterator[Metered]:
    settings = ReflectorSettings(streaming_lists=False, chance=lambda: 0.0)
    async with server.client(clock) as client:
        metered = Metered(SharedInformerFactory(client, clock=clock, settings=settings), server, clock)
        yield metered
        await metered.factory.stop()
