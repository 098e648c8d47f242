"""Twenty idle informers, which print their share of a core: python -m benchmarks.readers.idle_informers URL SECONDS."""

from __future__ import annotations

import asyncio
import json
import sys
import time

import uvloop

from informerd.cache.factory import SharedInformerFactory
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig

KINDS = 20


async def idle(server: str, seconds: float) -> None:
    async with Client(ClusterConfig(name="load", server=server, why="benchmark")) as client:
        factory = SharedInformerFactory(client)
        for number in range(KINDS):
            factory.informer(Resource(version="v1", plural=f"kind{number}s", kind=f"Kind{number}"))
        factory.start()
        await factory.wait_for_cache_sync()
        await asyncio.sleep(1)
        start, used = time.perf_counter(), time.process_time()
        await asyncio.sleep(seconds)
        share = (time.process_time() - used) / (time.perf_counter() - start)
        await factory.stop()
    print(json.dumps({"core_percent": 100 * share}))


if __name__ == "__main__":
    uvloop.run(idle(sys.argv[1], float(sys.argv[2])))
