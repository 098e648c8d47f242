"""Worker with a real manager and a sample controller, without a cluster: its requests come from the test.

``python -m tests.support.controllers.sample_worker FOLDER`` runs it over Redis as `manage.py informerd` would. A key
whose name begins with ``poison`` fails for as long as there is no file of that name in FOLDER.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.pages.controllers.runner import ControllerRunner
from informerd import (
    ChannelSource,
    ClusterConfig,
    Controller,
    ExponentialRateLimiter,
    GenericEvent,
    Manager,
    Object,
    Request,
    SystemClock,
)
from tests.support.live.redis_layer import encrypted_redis_layer

RETRY = 300.0
"""Seconds until a key that failed is tried again by itself: longer than any test."""


class Sample:
    """The controller ``sample``, and whatever is asked of it."""

    def __init__(self, layer: ChannelLayer, *, is_cured: Callable[[str], bool]) -> None:
        self.requests: asyncio.Queue[Object | GenericEvent[Object] | Request] = asyncio.Queue()
        self.is_cured = is_cured
        self.reconciled: list[str] = []
        self.runner = ControllerRunner(("sample",), self._manager, layer, SystemClock())

    def put(self, *keys: str) -> None:
        """Have these keys reconciled."""
        for key in keys:
            self.requests.put_nowait(Request.from_key(key))

    def _manager(self) -> Manager:
        manager = Manager(ClusterConfig(name="none", server="https://127.0.0.1:1"))
        manager.add(
            Controller(
                "sample",
                self._reconcile,
                sources=[ChannelSource(self.requests)],
                workers=2,
                limiter=ExponentialRateLimiter(RETRY, 2 * RETRY),
                resource="pods",
            )
        )
        return manager

    async def _reconcile(self, request: Request) -> None:
        self.reconciled.append(request.key)
        if request.name.startswith("poison") and not self.is_cured(request.name):
            raise ValueError("spec.port is 0 <b>&")


async def run(folder: Path) -> None:
    async with encrypted_redis_layer(os.environ["DELTABOARD_CHANNEL_PREFIX"]) as layer:
        sample = Sample(layer, is_cured=lambda name: (folder / name).exists())
        sample.put("default/well", "default/poison")
        sample.runner.start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
