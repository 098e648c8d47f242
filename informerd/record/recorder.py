"""The event recorder: says what a controller does, as Kubernetes Events, without ever holding it up."""

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
from informerd.recording.event import EventType, Source, make_event
from informerd.recording.outbox import Outbox
from informerd.recording.reference import ObjectReference
from informerd.recording.state import RecorderState
from informerd.rest.call import Json
from informerd.rest.client import Client

FLUSH = 5.0
"""Seconds that the end waits for what is still to be written."""

log = logging.getLogger(__name__)


class EventRecorder:
    """Records events of one component. `run` writes them, in the order in which they were said, one after the other.

    An identical event counts up the one that is there; the tenth of similar ones within ten minutes, and those that
    follow, become one "(combined from similar events)"; of one object and type no more than 25 at once and then one
    in five minutes are written. 1,000 wait at most: further ones are dropped, counted, and that is said once.
    """

    def __init__(
        self,
        client: Client,
        component: str,
        *,
        host: str = "",
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        outbox: Outbox | None = None,
    ) -> None:
        """`component` says whose events these are, `host` where it runs, where there are many of it.

        `outbox` is another recorder's, see `for_source`. Raises InvalidCall for an empty component.
        """
        if not component:
            raise InvalidCall("events are some component's: name it, such as mydemo-controller")
        self._clock = clock or SystemClock()
        self._outbox = outbox or Outbox(client, self._clock, chance)
        self._client = client
        self._task: asyncio.Task[None] | None = None
        self.source = Source(component, host)

    def for_source(self, component: str, host: str = "") -> EventRecorder:
        """A recorder for another component or host, which shares queue, memory and writer with this one.

        One `run` serves them all.
        """
        return EventRecorder(self._client, component, host=host, clock=self._clock, outbox=self._outbox)

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
            number = self._outbox.number(at)
            made = make_event(
                reference, self.source, type_, reason, message, at=at, nanoseconds=number, annotations=annotations
            )
        except Exception as error:  # noqa: BLE001 - a caller must not fail by what it says of its work
            self._outbox.refuse()
            component = self.source.component
            log.error("an event of %s was not recorded: %s", component, error, extra={"component": component})  # noqa: TRY400 - no trace
            return
        self._outbox.put(made)

    async def run(self) -> None:
        """Write what is said, until cancelled; what is left then is dropped, so `flush` first.

        Raises AlreadyStarted where another `run` does that: a manager has one for its own recorders.
        """
        await self._outbox.run()

    async def flush(self, seconds: float | None = FLUSH) -> bool:
        """Wait until all that was said has been dealt with, at most `seconds`; whether that is so.

        It takes a `run` to write them.
        """
        return await self._outbox.flush(seconds)

    def state(self) -> RecorderState:
        """What became of the events so far."""
        return self._outbox.state()

    async def __aenter__(self) -> Self:
        """Run it inside `async with`; at its end, what was said is written, as far as that can be done in 5 s."""
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
