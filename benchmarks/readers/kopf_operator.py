"""kopf operator whose handler of pod events does nothing: python -m benchmarks.readers.kopf_operator URL PODS.

kopf has its default settings, except that its log and its Kubernetes Events about handlers are off. It runs on uvloop,
as with its own command line. Its other handlers (on.create, on.update) would write to each object.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

import kopf
import uvloop

from benchmarks.readers.handled_objects import HandledObjects


async def run(url: str, pods: int) -> None:
    load = HandledObjects(url, pods)
    listed, stop = asyncio.Event(), asyncio.Event()

    @kopf.on.login()
    def login(**_: Any) -> kopf.ConnectionInfo:
        return kopf.ConnectionInfo(server=url)

    @kopf.on.startup()
    def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
        settings.posting.enabled = False

    @kopf.on.event("pods")
    async def handle(name: str, namespace: str | None, **_: Any) -> None:
        if load.count_handled(namespace or "", name):
            stop.set()
        elif load.is_listed:
            listed.set()

    running = asyncio.create_task(kopf.operator(standalone=True, clusterwide=True, stop_flag=stop))
    await listed.wait()
    load.ask_for_events()
    await running


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    uvloop.run(run(sys.argv[1], int(sys.argv[2])))
