"""Event sink: writes events to the cluster, and retries while the API server cannot be reached."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

from informerd.clock import Clock
from informerd.errors import AlreadyExists, ApiError, InformerdError, MalformedAnswer, NotFound, Unreachable
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.record.event import EVENTS, Event
from informerd.rest.client import Client

MAX_TRIES = 12
RETRY_SECONDS = 10.0
"""Seconds between two tries; before the second a part of it, so that not all come back at once."""

MAX_RETRY_SECONDS = 60.0
"""However long the API server asks for: meanwhile nothing else is written, and what exceeds the queue is lost."""

WriteOutcome = Literal["created", "repeated", "refused"]

log = logging.getLogger(__name__)


class EventSink:
    """Writes one event after the other. An event that the API server refuses is dropped: it would be refused again.

    Source: client-go tools/record/event.go (recordToSink, recordEvent).
    """

    def __init__(self, client: Client, clock: Clock, chance: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock
        self._chance = chance
        self._repeats = LogThrottle(clock)
        self.problem = ""
        """Why the last event was not written; empty where it was."""

    async def write(self, event: Event) -> WriteOutcome:
        """Create it, or count it up where its count is above 1. Twelve tries while no answer comes; raises nothing."""
        for number in range(1, MAX_TRIES + 1):
            try:
                outcome = await self._try(event)
            except AlreadyExists as error:
                if number > 1:  # names are used once: it was written, and only the answer was lost
                    return "created"
                return self._give_up(event, error)
            except InformerdError as error:
                if not _is_worth_another_try(error) or number == MAX_TRIES:
                    return self._give_up(event, error)
                retry_after = min(getattr(error, "retry_after", None) or 0.0, MAX_RETRY_SECONDS)
                await self._clock.sleep(max(self._pause(number), retry_after))
            else:
                self.problem = ""
                return outcome
        raise AssertionError("unreachable")

    async def _try(self, event: Event) -> WriteOutcome:
        if event.count > 1:
            try:
                await self._client.patch(EVENTS, event.name, event.namespace, event.repetition_patch())
            except NotFound:  # after an hour the API server has forgotten it
                pass
            else:
                return "repeated"
        await self._client.create(EVENTS, event.body())
        return "created"

    def _pause(self, number: int) -> float:
        return RETRY_SECONDS * self._chance() if number == 1 else RETRY_SECONDS

    def _give_up(self, event: Event, error: InformerdError) -> WriteOutcome:
        if not _is_expected(error):
            self.problem = str(error)
            number = self._repeats.count(type(error).__name__)
            if number:
                about = event.about
                place = f"{about.kind} {about.namespace}/{about.name}"
                text, fields = "an event about %s (%s) was not written%s: %s", {"object": place, "reason": event.reason}
                log.warning(text, place, event.reason, repeat_suffix(number), error, extra=fields)
        return "refused"


def _is_worth_another_try(error: InformerdError) -> bool:
    """Whether to retry: there was no answer, or none of an API server's, or one that says when to come back.

    (client-go's transport does the last one below its recorder.)
    """
    if isinstance(error, ApiError):
        return error.retry_after is not None
    return isinstance(error, Unreachable | MalformedAnswer)


def _is_expected(error: InformerdError) -> bool:
    """A namespace that is being deleted takes nothing new."""
    return isinstance(error, ApiError) and any(cause.reason == "NamespaceTerminating" for cause in error.causes)
