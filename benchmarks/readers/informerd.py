"""Reader with informerd's shared informer: python -m benchmarks.readers.informerd URL PODS EVENTS [dashboard].

With `dashboard` it decodes the fields of a pod that the dashboard reads, else those of a controller.
"""

from __future__ import annotations

import asyncio
import sys
import time

import uvloop

from benchmarks.readers.pod_projection import Pod
from benchmarks.readers.reader_output import report, resident_megabytes
from benchmarks.support.load_server_pods import LAST_VERSION
from informerd.cache.factory import SharedInformerFactory
from informerd.objects import Object
from informerd.resource import PODS
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig


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


async def read(server: str, pods: int, events: int, projection: type[Object]) -> None:
    counter = Counter()
    async with Client(ClusterConfig(name="load", server=server, why="benchmark")) as client:
        factory = SharedInformerFactory(client)
        informer = factory.informer(PODS, projection)
        registration = informer.add_handler(counter, same_version_updates=True)  # the load server repeats itself
        before = resident_megabytes()
        start = time.perf_counter()
        factory.start()
        await registration.wait_for_sync()
        list_seconds = time.perf_counter() - start
        await counter.done.wait()
        event_seconds = time.perf_counter() - counter.first
        resident = resident_megabytes()
        objects = len(informer.store)
        assert objects == pods == len(informer.store.by_index("namespace", "team-0")) * min(20, pods)
        assert counter.updates == events + 1, f"told of {counter.updates} updates, {events} and the last were sent"
        await factory.stop()
    report(
        list_seconds=list_seconds,
        events=counter.updates,
        event_seconds=event_seconds,
        resident=resident,
        grown=resident - before,
        objects=objects,
    )


def main(server: str, pods: str, events: str, kind: str = "") -> None:
    projection: type[Object] = Pod
    if kind == "dashboard":
        from dashboard.objects.printers import projection_for

        projection = projection_for("pods")
    uvloop.run(read(server, int(pods), int(events), projection))


if __name__ == "__main__":
    main(*sys.argv[1:])
