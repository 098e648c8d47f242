"""Event recorder: records what a controller does as Kubernetes Events, without ever blocking it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable, Mapping
from typing import Self

from informerd.clock import Clock, SystemClock
from informerd.errors import InvalidCall
from informerd.objects import Object
from informerd.record.event import EventType, Source, make_event
from informerd.record.event_counts import RecorderState
from informerd.record.queue import EventQueue
from informerd.record.reference import ObjectReference
from informerd.rest.client import Client
from informerd.unstructured import Json

FLUSH_SECONDS = 5.0
"""Seconds that the end waits for unwritten events; a manager's end waits so many seconds for each next one."""

log = logging.getLogger(__name__)


class EventRecorder:
    """Records events of one component. `run` writes them one after the other, in the order in which they were recorded.

    An identical event counts up the present one; the tenth of similar ones within ten minutes, and later ones, become
    one "(combined from similar events)"; for one object and type at most 25 are written at once and then one in five
    minutes. At most 1,000 wait: further ones are dropped and counted, with one log line.
    """

    def __init__(
        self,
        client: Client,
        component: str,
        *,
        host: str = "",
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        queue: EventQueue | None = None,
    ) -> None:
        """`component` is the source of the events, `host` its host where there are several.

        `queue` may be another recorder's, see `for_source`. Raises InvalidCall for an empty component.
        """
        if not component:
            raise InvalidCall("an event recorder needs the name of its component, such as mydemo-controller")
        self._clock = clock or SystemClock()
        self._outbox = queue or EventQueue(client, self._clock, chance)
        self._client = client
        self._task: asyncio.Task[None] | None = None
        self.source = Source(component, host)

    def for_source(self, component: str, host: str = "") -> EventRecorder:
        """A recorder for another component or host, which shares queue, memory and writer with this one.

        One `run` serves them all.
        """
        return EventRecorder(self._client, component, host=host, clock=self._clock, queue=self._outbox)

    def event(
        self,
        about: Object | Json | ObjectReference,
        type_: EventType,
        reason: str,
        message: str,
        *,
        field_path: str = "",
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        """Say something about an object: never waits, never raises, from any thread.

        `reason` is a short word in CamelCase for machines, `message` a sentence for people, cut at 1,024 bytes. What
        cannot be an event (another type than Normal or Warning, an object without kind or name) is logged.
        """
        at = self._clock.time()
        try:
            reference = ObjectReference.to(about, field_path=field_path)
            number = self._outbox.next_nanoseconds(at)
            new_event = make_event(
                reference, self.source, type_, reason, message, at=at, nanoseconds=number, annotations=annotations
            )
        except Exception as error:  # noqa: BLE001 - recording an event raises nothing
            self._outbox.count_refused()
            component = self.source.component
            log.error("an event of %s was not recorded: %s", component, error, extra={"component": component})  # noqa: TRY400 - no trace
            return
        self._outbox.put(new_event)

    async def run(self) -> None:
        """Write recorded events, until cancelled; the rest is dropped then, so call `flush` first.

        Raises AlreadyStarted where another `run` does that: a manager has one for its own recorders.
        """
        await self._outbox.run()

    async def flush(self, seconds: float | None = FLUSH_SECONDS) -> bool:
        """Wait until all recorded events are written or dropped, at most `seconds`; returns whether they are.

        A `run` is needed to write them.
        """
        return await self._outbox.flush(seconds)

    def state(self) -> RecorderState:
        """Counts of the events so far."""
        return self._outbox.state()

    async def __aenter__(self) -> Self:
        """Run it inside `async with`; at its end, waiting events are written, for at most 5 s."""
        self._task = asyncio.create_task(self.run(), name=f"event recorder {self.source.component}")
        return self

    async def __aexit__(self, *_: object) -> None:
        task, self._task = self._task, None
        if task is not None:
            try:
                await self.flush()
            finally:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
