"""History of kinds of a real API server, recorded while a test runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from dashboard.live.history.reader import HistoryReader
from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.printers.registry import projection_for
from dashboard.objects.printers.secret_redaction import mask_secret
from informerd.cache.factory import InformerOptions, SharedInformerFactory
from informerd.clock import SystemClock
from informerd.rest.client import Client
from tests.support.live.history import recording
from tests.support.wait import eventually

CLUSTER = "cluster"


@asynccontextmanager
async def recorded_cluster(
    client: Client, folder: Path, *keys: str, namespace: str = ""
) -> AsyncIterator[HistoryObjects]:
    """The history of these kinds in a namespace, from now on, in files in `folder`."""
    mask = partial(mask_secret, hash_key=b"key")
    parts, clock = SqliteParts(folder), SystemClock()
    reader = HistoryReader(parts, CLUSTER)
    async with SharedInformerFactory(client, clock=clock) as factory:
        informers = []
        for key in keys:
            transform = mask if key == "secrets" else None
            options: InformerOptions = {"namespace": namespace, "transform": transform}
            informers.append((key, factory.informer(KINDS[key].resource, projection_for(key), **options)))
        async with recording(parts, *informers, cluster=CLUSTER):  # type: ignore[arg-type]
            factory.start()
            await eventually(lambda: all(map(reader.recorded_until, keys)), what=f"{', '.join(keys)} are recorded")
            yield HistoryObjects(lambda: reader, clock)
