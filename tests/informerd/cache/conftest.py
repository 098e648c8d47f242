"""Fixtures of the informer's tests."""

from __future__ import annotations

import pytest

from tests.informerd.conftest import StartInformer
from tests.support.informerd.relist import Running
from tests.support.scripted_api_server import ScriptedServer, pod
from tests.support.wait import eventually


@pytest.fixture
async def running(start: StartInformer, server: ScriptedServer) -> Running:
    """An informer that has listed pods a and b at version 10, and its stream."""
    setup = await start()
    stream = await server.take_streaming_list()
    await stream.send_list([pod("a", "1"), pod("b", "2")], "10")
    await setup.informer.wait_for_sync()
    await eventually(lambda: len(setup.recorder.told) == 2)
    return setup, stream
