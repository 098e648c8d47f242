"""The writer: has events in the cluster, and holds on while the API server cannot be reached."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

from informerd.clock import Clock
from informerd.errors import AlreadyExists, ApiError, InformerdError, MalformedAnswer, NotFound, Unreachable
from informerd.recording.event import EVENTS, Event
from informerd.repeats import Repeats, nth
from informerd.rest.client import Client

TRIES = 12
PAUSE = 10.0
"""Seconds between two tries; before the second a part of it, so that not all come back at once."""

LONGEST_PAUSE = 60.0
"""However long the API server asks for: meanwhile nothing else is written, and what exceeds the queue is lost."""

Outcome = Literal["created", "repeated", "refused"]

log = logging.getLogger(__name__)


class EventWriter:
    """Writes one event after the other. What the API server refuses is let go: it would refuse it again.

    Source: client-go tools/record/event.go (recordToSink, recordEvent).
    """

    def __init__(self, client: Client, clock: Clock, chance: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock
        self._chance = chance
        self._repeats = Repeats(clock)
        self.problem = ""
        """Why the last event was not written; empty where it was."""

    async def write(self, event: Event) -> Outcome:
        """Create it, or count it up where its count is above 1. Twelve tries while no answer comes; raises nothing."""
        for number in range(1, TRIES + 1):
            try:
                outcome = await self._try(event)
            except AlreadyExists as error:
                if number > 1:  # names are used once: it was written, and only the answer was lost
                    return "created"
                return self._give_up(event, error)
            except InformerdError as error:
                if not _is_worth_another_try(error) or number == TRIES:
                    return self._give_up(event, error)
                asked = min(getattr(error, "retry_after", None) or 0.0, LONGEST_PAUSE)
                await self._clock.sleep(max(self._pause(number), asked))
            else:
                self.problem = ""
                return outcome
        raise AssertionError("unreachable")

    async def _try(self, event: Event) -> Outcome:
        if event.count > 1:
            try:
                await self._client.patch(EVENTS, event.name, event.namespace, event.repetition())
            except NotFound:  # after an hour the API server has forgotten it
                pass
            else:
                return "repeated"
        await self._client.create(EVENTS, event.body())
        return "created"

    def _pause(self, number: int) -> float:
        return PAUSE * self._chance() if number == 1 else PAUSE

    def _give_up(self, event: Event, error: InformerdError) -> Outcome:
        if not _is_expected(error):
            self.problem = str(error)
            number = self._repeats.count(type(error).__name__)
            if number:
                about = event.about
                place = f"{about.kind} {about.namespace}/{about.name}"
                text, fields = "an event about %s (%s) was not written%s: %s", {"object": place, "reason": event.reason}
                log.warning(text, place, event.reason, nth(number), error, extra=fields)
        return "refused"


def _is_worth_another_try(error: InformerdError) -> bool:
    """Where no answer came, or none of an API server's, or one that says when to come back.

    (client-go's transport does that last thing below its recorder.)
    """
    if isinstance(error, ApiError):
        return error.retry_after is not None
    return isinstance(error, Unreachable | MalformedAnswer)


def _is_expected(error: InformerdError) -> bool:
    """A namespace that is being deleted takes nothing new."""
    return isinstance(error, ApiError) and any(cause.reason == "NamespaceTerminating" for cause in error.causes)
