"""Marks: changes of pods that can be identified where they arrive.

A mark is a pod's restart count from 1,000,000 on.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence

import aiohttp

FIRST = 1_000_000
_MERGE = {"Content-Type": "application/merge-patch+json"}
Pod = tuple[str, str]
"""Namespace and name."""


class Marker:
    """Writes marks into pods' status; `sent_at` has the start of each write (Unix seconds), `pod_by_mark` its pod."""

    def __init__(self) -> None:
        self.sent_at: dict[int, float] = {}
        self.answered_at: dict[int, float] = {}
        self.pod_by_mark: dict[int, Pod] = {}
        self._next = FIRST

    async def write(self, session: aiohttp.ClientSession, pod: Pod) -> int:
        """Write the next mark into a pod; returns it when the API server has answered."""
        mark, self._next = self._next, self._next + 1
        namespace, name = pod
        state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
        container = {"name": "app", "image": "app", "imageID": "", "ready": True, "state": state, "restartCount": mark}
        body = json.dumps({"status": {"phase": "Running", "containerStatuses": [container]}})
        self.pod_by_mark[mark], self.sent_at[mark] = pod, time.time()
        url = f"/api/v1/namespaces/{namespace}/pods/{name}/status"
        async with session.patch(url, data=body, headers=_MERGE) as answer:
            if answer.status != 200:
                raise SystemExit(f"{url}: {answer.status} {await answer.text()}")
            await answer.read()
        self.answered_at[mark] = time.time()
        return mark

    async def write_continuously(
        self, session: aiohttp.ClientSession, pods: Sequence[Pod], rate: float, seconds: float
    ) -> None:
        """Write that many marks a second, over `pods` in turn, however long each write takes."""
        began, writes = time.monotonic(), []
        try:
            for number in range(int(rate * seconds)):
                await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
                writes.append(asyncio.create_task(self.write(session, pods[number % len(pods)])))
        finally:  # also where it is cancelled: what was begun is brought to its end
            await asyncio.gather(*writes)
