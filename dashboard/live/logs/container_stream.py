"""The log of one container, read once from the API server however many pages show it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from dashboard.live.logs.log_ring import LogRing
from informerd.clock import Clock, within
from informerd.logs.log_events import LogEvent, LogLines, LogMark
from informerd.logs.log_follower import TAIL, LogFollower, PodSource
from informerd.logs.log_lines import split_time
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

CLOCK_SKEW = 10.0
"""Seconds by which the clock of a node may be ahead of ours."""


@dataclass(frozen=True, slots=True)
class ContainerId:
    """A container of a pod. Another pod of the same name has another uid."""

    namespace: str
    pod: str
    uid: str
    """The pod's."""
    container: str


class LogListener(Protocol):
    """Gets a log's events."""

    def log_event(self, container: ContainerId, event: LogEvent) -> None:
        """The next event, in order."""

    def log_clients(self) -> Mapping[int, Client]:
        """Clients that may read the log, by a number that stays the same for each."""


class ContainerStream:
    """One followed log: `join` it for the newest lines and all that come. `run` follows it until nobody needs it.

    The first listener's client reads it. Where that may not do so any more, another listener's goes on. Whether a
    listener may see the log is for the caller to judge, before `join` and as long as it listens.
    """

    def __init__(
        self,
        container: ContainerId,
        pods: Callable[[ContainerId], PodSource],
        clock: Clock,
        max_bytes: int,
        on_event: Callable[[LogEvent], None],
    ) -> None:
        self.container = container
        self.listeners: list[LogListener] = []
        self.unused_since: float | None = None
        """Monotonic seconds since when nobody listens."""
        self.has_ended = False
        """Whether it is not followed any more: the pod is gone, nobody of the listeners may read it, or it failed."""
        self._pods = pods
        self._clock = clock
        self._begun = asyncio.Event()
        self.ring = LogRing(max_bytes)
        self.begins_within = False
        """Whether its first line is one of so many that the log may have older ones."""
        self._began_at = clock.time()
        self._tail_left = TAIL
        """Lines that may still be of those with which a log begins."""
        self._on_event = on_event
        self._used: set[int] = set()
        """Numbers of the clients that have been used: where one is used no more, it was refused."""

    def join(self, listener: LogListener) -> list[LogEvent]:
        """Let `listener` have what comes from now on. Returns what came before, oldest first."""
        self.listeners.append(listener)
        self.unused_since = None
        return list(self.ring)

    def leave(self, listener: LogListener) -> None:
        with suppress(ValueError):
            self.listeners.remove(listener)
        if not self.listeners:
            self.unused_since = self._clock.now()

    async def wait_until_begun(self, seconds: float) -> bool:
        """Wait until the first lines have come, or it is known why none come; at most so many seconds."""
        with suppress(TimeoutError):
            async with within(seconds, self._clock):
                await self._begun.wait()
        return self._begun.is_set()

    async def run(self) -> None:
        """Follow the log until it ends, or until cancelled."""
        client = self._next_client()
        try:
            if client is None:
                self._emit(LogMark(self.container.container, "refused", "There is no connection to the cluster."))
                return
            each = self.container
            await LogFollower(
                client,
                self._pods(each),
                each.namespace,
                each.pod,
                each.container,
                self._emit,
                clock=self._clock,
                next_client=self._next_client,
            ).run()
        except Exception as error:
            logger.exception("a log could not be followed further")
            self._emit(LogMark(self.container.container, "failed", f"Deltaboard failed to follow this log: {error!r}"))
        finally:
            self.has_ended = True
            self._begun.set()

    def _emit(self, event: LogEvent) -> None:
        self.ring.append(event)
        if isinstance(event, LogLines) and self._tail_left > 0:
            self._count_tail(event.lines)
        self._on_event(event)
        for listener in list(self.listeners):
            listener.log_event(self.container, event)
        self._begun.set()

    def _count_tail(self, lines: Sequence[bytes]) -> None:
        """A log that has more lines than it begins with has older ones. Where the last of these was written after it
        was asked for, there were fewer.
        """
        if len(lines) >= self._tail_left:
            written = split_time(lines[self._tail_left - 1])[0]
            self.begins_within = written is None or written <= (self._began_at + CLOCK_SKEW) * 1e9
        self._tail_left -= len(lines)

    def _next_client(self) -> Client | None:
        """A listener's client that was not refused."""
        for listener in self.listeners:
            for number, client in listener.log_clients().items():
                if number not in self._used:
                    self._used.add(number)
                    return client
        return None
