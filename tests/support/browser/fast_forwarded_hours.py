"""Time lapse of an open page: hours of heartbeats and changes, as fast as the page takes them."""

from __future__ import annotations

import asyncio
import itertools

from dashboard.live.hub.browser_socket import Socket
from dashboard.live.hub.hub import Hub
from informerd.clock import SystemClock
from tests.support.live.replica_feeder import Feeder, Feeders, pod
from tests.support.wait import eventually

AT_ONCE = 128 * 1024
"""Unacknowledged units that a page may have: half the limit at which the hub disconnects a slow browser."""
UNHEARD = 30.0
"""Seconds without an acknowledgement, by the hastened clock, after which the page counts as behind."""
KEPT = 30
"""Rows that are always there."""


class HastenedClock(SystemClock):
    """The machine's clock, put forward by hand."""

    ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead

    def time(self) -> float:
        return super().time() + self.ahead


class Hours:
    """Seconds of a small cluster, one after the other without a pause: `lived` counts them."""

    def __init__(self, hub: Hub, feeders: Feeders, clock: HastenedClock) -> None:
        self.lived = 0
        self._hub = hub
        self._feeders = feeders
        self._clock = clock
        self._rounds = itertools.count(1)

    async def pass_by(self, seconds: int) -> None:
        """Each second has its heartbeat and four changes, each fifth a row that comes and one that goes."""
        for _ in range(seconds):
            self._clock.ahead += 1
            for socket in self._hub.sockets:
                socket.acknowledged_at += 1  # a page says what it has applied by its own clock, which goes as ever
            self._second(next(self._rounds))
            self._hub.tick()
            await asyncio.sleep(0)  # what was posted leaves
            await eventually(lambda: all(map(self._keeps_up, self._hub.sockets)), within=60, what="pages that keep up")
            self.lived += 1

    def _second(self, number: int) -> None:
        pods = self._feeders.feeders["pods"]
        rows = [
            pod(f"pod-{(number * 7 + step) % KEPT:03d}", version=number * 10 + step, restarts=(number * 13 + step) % 99)
            for step in range(4)
        ]
        pods.put(*rows)
        if number % 5 == 0:
            self._replace(pods, number)
        for feeder in self._feeders.feeders.values():
            feeder.beat()

    def _replace(self, pods: Feeder, number: int) -> None:
        gone = f"uid-default-extra-{number - 5}"
        if gone in pods.replica.rows:
            pods.drop(gone)
        pods.put(pod(f"extra-{number}", version=number, restarts=number % 50, created=self._clock.time()), op="added")

    def _keeps_up(self, socket: Socket) -> bool:
        return socket.unacknowledged_units < AT_ONCE and self._clock.now() - socket.acknowledged_at < UNHEARD
