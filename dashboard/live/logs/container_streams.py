"""All logs that a web process follows, each once, within limits of number and memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from dashboard.live.logs.container_stream import ContainerId, ContainerStream, LogListener
from dashboard.live.replication.replica_change import Change
from dashboard.live.replication.replicas import Replicas
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from informerd.clock import Clock, within
from informerd.logs.log_events import LogEvent, LogLines

MAX_STREAMS = 500
"""Logs that one process follows at a time: each is a connection to the API server."""
MAX_BYTES = 128 * 2**20
"""Bytes of lines that all streams keep together for pages that are opened later."""
MAX_STREAM_BYTES = 4 * 2**20
"""Bytes of one stream's; less where there are many."""
MIN_STREAM_BYTES = 128 * 2**10
UNUSED_SECONDS = 15.0
"""Seconds that a log is followed though nobody listens: pages are loaded again, and filters changed."""
SWEEP_INTERVAL = 5.0
PODS = "pods"


class TooManyStreams(Exception):
    """MAX_STREAMS logs are followed already. The message is for users."""


class LogStreams:
    """Follows logs on demand. `run` ends those that nobody needs; it ends all of them when cancelled."""

    def __init__(self, replicas: Replicas, clock: Clock, *, max_streams: int = MAX_STREAMS) -> None:
        self.lines = 0
        """Lines that came since the process started."""
        self._replicas = replicas
        self._clock = clock
        self._max_streams = max_streams
        self._streams: dict[ContainerId, ContainerStream] = {}
        self._tasks: dict[ContainerId, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        """Number of logs that are followed."""
        return len(self._streams)

    def join(self, container: ContainerId, listener: LogListener) -> tuple[ContainerStream, list[LogEvent]]:
        """The stream of a log, which `listener` hears from now on, and what it has had so far.

        The caller has made sure that whoever `listener` stands for may read the log. Raises TooManyStreams.
        """
        stream = self._streams.get(container)
        if stream is None or stream.has_ended:
            self._make_room(container)
            stream = ContainerStream(container, self._pod_rows, self._clock, self._bytes_each(), self._count)
            before = stream.join(listener)
            self._streams[container] = stream
            task = asyncio.get_running_loop().create_task(stream.run(), name=f"log of {container.container}")
            self._tasks[container] = task
            return stream, before
        return stream, stream.join(listener)

    def leave(self, stream: ContainerStream, listener: LogListener) -> None:
        stream.leave(listener)

    async def run(self) -> None:
        """End what nobody needs, until cancelled."""
        try:
            while True:
                await self._clock.sleep(SWEEP_INTERVAL)
                self.sweep()
        finally:
            await cancel_all([*self._tasks.values()])
            self._streams, self._tasks = {}, {}

    def sweep(self) -> None:
        """End the logs that nobody has listened to for UNUSED_SECONDS."""
        limit = self._clock.now() - UNUSED_SECONDS
        for stream in list(self._streams.values()):
            if stream.unused_since is not None and stream.unused_since <= limit:
                self._end(stream)

    def _make_room(self, container: ContainerId) -> None:
        if container in self._streams:
            self._end(self._streams[container])
        if len(self._streams) < self._max_streams:
            return
        unused = [stream for stream in self._streams.values() if stream.unused_since is not None]
        if not unused:
            raise TooManyStreams(
                f"Deltaboard follows {self._max_streams:,} logs already, which is the most that one of its processes "
                "does. Close pages of logs that you do not need."
            )
        self._end(min(unused, key=lambda stream: stream.unused_since or 0.0))

    def _end(self, stream: ContainerStream) -> None:
        del self._streams[stream.container]
        self._tasks.pop(stream.container).cancel()

    def _bytes_each(self) -> int:
        """Bytes that each stream may keep; the ones there are get less where there are many."""
        each = max(MIN_STREAM_BYTES, min(MAX_STREAM_BYTES, MAX_BYTES // (len(self._streams) + 1)))
        for stream in self._streams.values():
            stream.ring.max_bytes = min(stream.ring.max_bytes, each)
        return each

    def _count(self, event: LogEvent) -> None:
        if isinstance(event, LogLines):
            self.lines += len(event.lines)

    def _pod_rows(self, container: ContainerId) -> PodRows:
        return PodRows(self._replicas, container, self._clock)


class PodRows:
    """The state of a pod as the rows have it (a PodSource of informerd)."""

    def __init__(self, replicas: Replicas, container: ContainerId, clock: Clock) -> None:
        self._replicas = replicas
        self._uid = container.uid
        self._clock = clock
        self._last: Mapping[str, Any] | None = None

    async def pod(self) -> Mapping[str, Any] | None:
        """The pod; its last state while pods are not followed."""
        if PODS not in self._replicas:
            return self._last
        row = self._replicas.get(PODS).rows.get(self._uid)
        self._last = row.decode_object() if row is not None else None
        return self._last

    async def wait(self, seconds: float) -> None:
        if PODS not in self._replicas:
            await self._clock.sleep(seconds)
            return
        changed = asyncio.Event()

        def note(change: Change) -> None:
            if self._uid in change.affected_uids:
                changed.set()

        leave: Callable[[], None] = self._replicas.get(PODS).on_change(note)
        try:
            with suppress(TimeoutError):
                async with within(seconds, self._clock):
                    await changed.wait()
        finally:
            leave()


LOG_STREAMS: Key[LogStreams] = Key("log streams")
