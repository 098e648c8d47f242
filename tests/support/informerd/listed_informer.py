"""Informer that has listed one pod at version 10, with its open watch."""

from __future__ import annotations

from tests.informerd.conftest import Setup, StartInformer
from tests.support.clock import run_ready_tasks
from tests.support.scripted_api_server import Request, ScriptedServer, pod
from tests.support.wait import eventually


async def listed(start: StartInformer, server: ScriptedServer, **settings: object) -> tuple[Setup, Request]:
    """An informer without streaming lists that has listed pod a at version 10, and its open watch."""
    setup = await start(streaming_lists=False, **settings)
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    watch = await server.take_watch()
    await watch.open()
    await eventually(lambda: setup.state == "live")
    return setup, watch


async def until_version(setup: Setup, version: str) -> None:
    """Wait until the reflector has heard of `version`, and give the handlers their turns to be told."""
    await eventually(lambda: setup.informer.last_resource_version == version, what=f"version {version}")
    await run_ready_tasks()
