"""Fixtures: a scripted API server, a clock that stands still, and an informer of pods between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import msgspec
import pytest

from informerd.cache.list_watch import ListWatch
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.objects import Object
from informerd.resource import PODS
from informerd.rest.client import Client
from tests.support.clock import FakeClock
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import ScriptedServer


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    server = ScriptedServer()
    await server.start()
    yield server
    await server.stop()


class Setup(msgspec.Struct):
    """A running informer of pods, and what it tells."""

    informer: SharedInformer[Object]
    recorder: Recorder
    server: ScriptedServer
    clock: FakeClock
    task: asyncio.Task[None]
    client: Client
    errors: list[Exception] = msgspec.field(default_factory=list)

    @property
    def keys(self) -> dict[str, str]:
        """Versions by key, as the store has them."""
        return {obj.key: obj.metadata.resource_version for obj in self.informer.store}

    @property
    def state(self) -> str:
        return self.informer.health().state


StartInformer = Callable[..., Any]


@pytest.fixture
async def start(server: ScriptedServer, clock: FakeClock) -> AsyncIterator[StartInformer]:
    """Starts an informer against the scripted server: ``await start(streaming_lists=False, chance=…)``."""
    async with AsyncExitStack() as stack:

        async def begin(**settings: Any) -> Setup:
            return await stack.enter_async_context(_running(server, clock, **settings))

        yield begin


@asynccontextmanager
async def _running(server: ScriptedServer, clock: FakeClock, **settings: Any) -> AsyncIterator[Setup]:
    settings.setdefault("chance", lambda: 0.0)
    probe = settings.pop("probe", None)
    narrowing = {name: settings.pop(name) for name in ("transform", "reduce") if name in settings}
    projection = settings.pop("projection", Object)
    async with server.client(clock) as client:
        list_watch = ListWatch(client, PODS, projection=projection, clock=clock, **narrowing)
        informer = SharedInformer(list_watch, clock=clock, probe=probe, settings=ReflectorSettings(**settings))
        errors: list[Exception] = []
        recorder = Recorder()
        informer.add_handler(recorder)
        informer.set_watch_error_handler(errors.append)
        task = asyncio.create_task(informer.run())
        try:
            yield Setup(informer, recorder, server, clock, task, client, errors)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
