"""Controller of pods that does nothing: python -m benchmarks.readers.informerd_controller URL PODS WORKERS."""

from __future__ import annotations

import asyncio
import sys

import uvloop

from benchmarks.readers.handled_objects import HandledObjects
from benchmarks.readers.pod_projection import Pod
from informerd.controller.request import Request
from informerd.manager.manager import Manager
from informerd.resource import PODS
from informerd.rest.cluster_config import ClusterConfig


async def run(url: str, pods: int, workers: int) -> None:
    load = HandledObjects(url, pods)
    manager = Manager(ClusterConfig(name="load", server=url, why="benchmark"))
    listed = asyncio.Event()

    @manager.controller("load", manager.kind(PODS, Pod), workers=workers)
    async def reconcile(request: Request) -> None:
        if load.count_handled(request.namespace, request.name):
            manager.stop()
        elif load.is_listed:
            listed.set()

    running = asyncio.create_task(manager.run())
    await listed.wait()
    load.ask_for_events()
    await running


if __name__ == "__main__":
    uvloop.run(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
