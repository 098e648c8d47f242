"""Log of a pod as entries: read once, or followed by a watch of its pod."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict

import msgspec

from informerd.clock import sleep_or
from informerd.errors import InvalidCall
from informerd.logs.container_runs import default_container, is_over_for_good, runs_of
from informerd.logs.log_events import LogEvent, LogMark, MarkKind
from informerd.logs.log_follower import LogFollower, LogPosition
from informerd.logs.log_lines import split_time
from informerd.logs.log_reader import read_log
from informerd.resource import PODS
from informerd.rest.object_states import ObjectStates
from informerd.rest.request import object_path
from informerd.rest.rest_client import RestClient
from informerd.unstructured import Json

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A line of a log, or a mark between lines. As text it is its `text`."""

    text: str
    """The line without its end and its time; of a mark, a sentence."""
    time: datetime | None = None
    """When the container wrote it; None for a mark, and where the API server gave none."""
    mark: MarkKind | None = None
    """None for a line; for a mark its kind, such as ``gap`` (lines may be missing here) or ``restarted``."""

    def __str__(self) -> str:
        return self.text


class LogOptions(TypedDict, total=False):
    """Options of `Client.logs`."""

    follow: bool
    previous: bool
    tail: int | None
    since: datetime | timedelta | None


async def read_entries(
    client: RestClient, pod: str, namespace: str, container: str, *, previous: bool, position: LogPosition
) -> AsyncGenerator[LogEntry, None]:
    """The lines that there are now. Raises as `Client.get` does."""
    chunks = read_log(client, namespace, pod, container, previous=previous, since=position.since, tail=position.tail)
    async with contextlib.aclosing(chunks):
        async for chunk in chunks:
            for line in chunk[:-1].split(b"\n"):
                yield _entry(line)


async def follow_entries(
    client: RestClient, pod: str, namespace: str, container: str, position: LogPosition
) -> AsyncGenerator[LogEntry, None]:
    """The lines that there are and those to come. Raises as `Client.logs` does."""
    now = (await client.request("GET", object_path(PODS, pod, namespace))).object()
    name = container or default_container(now)
    if runs_of(now, name) is None:
        raise InvalidCall(f"the pod {pod} has no container {name!r}")
    events: asyncio.Queue[LogEvent | None] = asyncio.Queue()
    source = _WatchedPod(client, now, pod, namespace, name, changed=lambda: events.put_nowait(None))
    follower = LogFollower(
        client, source, namespace, pod, name, events.put_nowait,
        position=position, clock=client.clock, before_read=events.join,
    )  # fmt: skip
    tasks = [
        asyncio.create_task(source.run(), name=f"pod {pod}"),
        asyncio.create_task(follower.run(), name=f"log {pod}"),
    ]
    for task in tasks:
        task.add_done_callback(lambda _: events.put_nowait(None))
    try:
        async for entry in _entries(events, tasks, source):
            yield entry
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _entries(
    events: asyncio.Queue[LogEvent | None], tasks: list[asyncio.Task[None]], source: _WatchedPod
) -> AsyncGenerator[LogEntry, None]:
    """What the follower tells, until the container has ended for good, or a task has ended. Raises the task's error."""
    has_ended = False
    while True:
        event = await events.get()
        if isinstance(event, LogMark):
            has_ended = event.kind == "ended"
            yield LogEntry(event.words, mark=event.kind)
        elif event is not None:
            for line in event.lines:
                yield _entry(line)
        events.task_done()
        if events.empty():
            ended = [task for task in tasks if task.done()]
            for task in ended:
                task.result()
            if ended or (has_ended and source.is_over):
                return


class _WatchedPod:
    """The state of a pod, by a watch; see `informerd.logs.log_follower.PodSource`."""

    def __init__(
        self, client: RestClient, pod: Json, name: str, namespace: str, container: str, *, changed: Callable[[], None]
    ) -> None:
        self._client = client
        self._states = ObjectStates(client, PODS, name, namespace)
        self._pod: Mapping[str, Any] | None = pod
        self._uid = pod["metadata"]["uid"]
        self._container = container
        self._tell = changed
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Follow the pod until it is gone. Raises what `ObjectStates` raises."""
        async with contextlib.aclosing(aiter(self._states)) as states:
            async for state in states:
                pod: Json | None = msgspec.json.decode(state) if state is not None else None
                self._pod = pod if pod is not None and pod["metadata"]["uid"] == self._uid else None
                self._changed.set()
                self._changed = asyncio.Event()
                self._tell()
                if self._pod is None:
                    await asyncio.Event().wait()  # the follower finds out by itself, and ends

    @property
    def is_over(self) -> bool:
        """Whether the container has ended and will not be started again."""
        runs = runs_of(self._pod, self._container) if self._pod is not None else None
        return self._pod is not None and runs is not None and is_over_for_good(self._pod, runs)

    async def pod(self) -> Mapping[str, Any] | None:
        return self._pod

    async def wait(self, seconds: float) -> None:
        await sleep_or(self._changed, seconds, self._client.clock)


def position_of(tail: int | None, since: datetime | timedelta | None, now: float) -> LogPosition:
    """Where to begin; `now` in Unix seconds. Raises InvalidCall for a moment without a time zone."""
    if since is None:
        return LogPosition(tail)
    moment = _EPOCH + timedelta(seconds=now) - since if isinstance(since, timedelta) else since
    if moment.tzinfo is None:
        raise InvalidCall(f"the time {moment} has no time zone: give it one, such as UTC")
    return LogPosition(tail, f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")


def _entry(line: bytes) -> LogEntry:
    nanoseconds, text = split_time(line)
    time = None if nanoseconds is None else _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    return LogEntry(text.decode(errors="replace"), time)
