"""The correlator: what is said again is counted, what is said in many words is combined, what is said too often let go.

Source: client-go tools/record/events_cache.go (EventAggregator, eventLogger, EventSourceObjectSpamFilter).
"""

from __future__ import annotations

from collections.abc import Hashable

import msgspec

from informerd.clock import Clock
from informerd.recording.event import Event, cut_message
from informerd.recording.recent import Recent

SIMILAR = 10
"""With so many different messages about the same, the last one and all further ones are combined."""

SIMILAR_WITHIN = 600.0
"""Seconds without a similar one, after which they are told apart again."""

BURST = 25
"""So many may come at once of one source, about one object, of one type…"""

REFILL = 300.0
"""…and then one in so many seconds."""

COMBINED = "(combined from similar events): "


class _Similar(msgspec.Struct):
    """Messages about the same, which are told apart."""

    messages: set[str]
    last: float


class _Said(msgspec.Struct, frozen=True):
    """What was said, as it stands in the cluster."""

    name: str
    first: float
    count: int


class _Bucket(msgspec.Struct):
    tokens: float
    filled: float


class Correlator:
    """Decides what becomes of each event. Remembers the last 4,096 of each sort."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._similar: Recent[Hashable, _Similar] = Recent()
        self._said: Recent[Hashable, _Said] = Recent()
        self._buckets: Recent[Hashable, _Bucket] = Recent()

    def correlate(self, event: Event) -> Event | None:
        """The event as it is to be written: new where its count is 1, else to be patched; None for one too many.

        One too many is counted all the same: when the next may be written, its count says how many there were.
        """
        event, key = self._combined(event)
        event = self._counted(event, key)
        return event if self._accepts(event) else None

    def _combined(self, event: Event) -> tuple[Event, Hashable]:
        """The event itself, or what stands for all similar ones; and what it is counted under."""
        key = _similarity(event)
        now = self._clock.now()
        similar = self._similar.get(key)
        if similar is None or now - similar.last > SIMILAR_WITHIN:
            similar = _Similar(set(), now)
        similar.last = now
        self._similar.put(key, similar)
        if event.message in similar.messages or len(similar.messages) < SIMILAR - 1:
            similar.messages.add(event.message)
            return event, (key, event.message)
        return msgspec.structs.replace(event, message=cut_message(COMBINED + event.message)), key

    def _counted(self, event: Event, key: Hashable) -> Event:
        said = self._said.get(key)
        if said is not None:
            event = msgspec.structs.replace(event, name=said.name, first=said.first, count=said.count + 1)
        self._said.put(key, _Said(event.name, event.first, event.count))
        return event

    def _accepts(self, event: Event) -> bool:
        """A token bucket for each source, object and type."""
        key = (event.source, _object(event), event.type)
        now = self._clock.now()
        bucket = self._buckets.get(key) or _Bucket(BURST, now)
        bucket.tokens = min(BURST, bucket.tokens + (now - bucket.filled) / REFILL)
        bucket.filled = now
        self._buckets.put(key, bucket)
        if bucket.tokens < 1:
            return False
        bucket.tokens -= 1
        return True


def _object(event: Event) -> Hashable:
    about = event.about
    return (about.kind, about.namespace, about.name, about.uid, about.api_version)


def _similarity(event: Event) -> Hashable:
    """What similar events have in common: all but the message, and the object's version, which changes with it."""
    return (event.source, _object(event), event.about.field_path, event.type, event.reason)
