"""Relist of an informer whose watch the test controls."""

from __future__ import annotations

from tests.informerd.conftest import Setup
from tests.support.scripted_api_server import EXPIRED, Request
from tests.support.wait import eventually

Running = tuple[Setup, Request]


async def relist(setup: Setup, stream: Request, *pods: dict[str, object], version: str) -> Request:
    """Have its watch expire, and list these pods at that version. Returns the new stream."""
    await stream.send("ERROR", EXPIRED)
    await setup.clock.wait_for_sleeper(0.8, 5)
    await setup.clock.advance(2)
    again = await setup.server.take_streaming_list()
    await again.send_list(pods, version)
    await eventually(lambda: setup.informer.last_resource_version == version)
    return again
