"""informerd's shared informer, as the dashboard uses it: python -m benchmarks.readers.informerd URL."""

from __future__ import annotations

import asyncio
import sys
import time

import uvloop

from benchmarks.readers.report import LAST_VERSION, report, resident_megabytes
from dashboard.resources.rows import projection_for
from informerd.client import Client
from informerd.cluster import ClusterConfig
from informerd.factory import SharedInformerFactory
from informerd.objects import Object
from informerd.resource import PODS


class Counter:
    """A handler that counts updates and knows the last one."""

    def __init__(self) -> None:
        self.updates = 0
        self.first = 0.0
        self.done = asyncio.Event()

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None: ...

    def on_update(self, old: Object, new: Object) -> None:
        if not self.updates:
            self.first = time.perf_counter()
        self.updates += 1
        if new.metadata.resource_version == LAST_VERSION:
            self.done.set()

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None: ...


async def read(server: str) -> None:
    counter = Counter()
    async with Client(ClusterConfig(name="load", server=server, why="benchmark")) as client:
        factory = SharedInformerFactory(client)
        informer = factory.informer(PODS, projection_for("pods"))
        registration = informer.add_handler(counter)
        start = time.perf_counter()
        factory.start()
        await registration.wait_for_sync()
        list_seconds = time.perf_counter() - start
        await counter.done.wait()
        event_seconds = time.perf_counter() - counter.first
        resident = resident_megabytes()
        await factory.stop()
    report(list_seconds=list_seconds, events=counter.updates, event_seconds=event_seconds, resident=resident)


if __name__ == "__main__":
    uvloop.run(read(sys.argv[1]))
